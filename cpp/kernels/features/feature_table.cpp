#include "kernels/features/feature_table.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace treekernels {

namespace {

constexpr const char* kBeyond = "\x01";  // how `kNoLabel` is written: no reader makes such a label

bool is_letter(unsigned char c) { return c == '_' || c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }
bool is_name_text(std::string_view text) {
    return !text.empty() && is_letter(text.front()) &&
           std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace

// Reads trees that stand for features.
class FeatureReader {
public:
    FeatureReader(FeatureWeights& weights, const Dag& keys)
        : weights_(weights), keys_(keys), label_(keys.label_count(), kNone) {}

    Feature operator()(Node root) {
        const auto named = std::ranges::find(kFeatureNames, keys_.label_text(keys_.label(root)));
        const auto kind = static_cast<FeatureKind>(named - kFeatureNames.begin());
        require(named != kFeatureNames.end() && keys_.children(root).size() == 1);
        const Node top = keys_.children(root)[0];
        switch (kind) {
            case FeatureKind::subtree:
            case FeatureKind::outline:
                return subtree(kind, top);
            case FeatureKind::leaf:
                require(keys_.is_leaf(top));
                return weights_.intern(kind, label(top), kNone);
            case FeatureKind::path:
                return chain(kind, top, kNone);
            case FeatureKind::production:
            case FeatureKind::siblings:
                return weights_.intern(kind, label(top), row(top));
            case FeatureKind::gram:
            case FeatureKind::window:
                return gram(kind, top);
            default:
                require(false);
                return kNone;
        }
    }

private:
    static void require(bool good) {
        if (!good) throw std::invalid_argument("not a feature of trees");
    }
    Label label(Node node) {
        Label& known = label_[keys_.label(node)];
        if (known == kNone) {
            const std::string_view text = keys_.label_text(keys_.label(node));
            known = text == kBeyond ? kNoLabel : weights_.labels_.intern_label(text);
        }
        return known;
    }
    // The labels of the children, which are leaves.
    Feature row(Node node) {
        Feature rest = kNone;
        const auto children = keys_.children(node);
        for (std::size_t k = children.size(); k-- > 0;) {
            require(keys_.is_leaf(children[k]));
            rest = weights_.intern(FeatureKind::labels, label(children[k]), rest);
        }
        require(rest != kNone);
        return rest;
    }
    std::vector<Node> stem(Node top) {
        std::vector<Node> nodes{top};
        while (keys_.children(nodes.back()).size() == 1) nodes.push_back(keys_.children(nodes.back())[0]);
        return nodes;
    }
    Feature chain(FeatureKind kind, Node top, Feature rest) {
        const std::vector<Node> nodes = stem(top);
        require(keys_.is_leaf(nodes.back()));
        for (std::size_t k = nodes.size(); k-- > 0;) rest = weights_.intern(kind, label(nodes[k]), rest);
        return rest;
    }
    // Below the stem comes a node that holds the base, so that a base of one label is no part of the stem.
    Feature gram(FeatureKind kind, Node top) {
        require(keys_.children(top).size() == 2);
        Feature rest = row(keys_.children(top)[1]);
        const std::vector<Node> nodes = stem(keys_.children(top)[0]);
        require(keys_.is_leaf(nodes.back()));
        for (std::size_t k = nodes.size(); k-- > 0;)
            rest = weights_.intern(k == 0 ? kind : FeatureKind::labels, label(nodes[k]), rest);
        return rest;
    }
    Feature subtree(FeatureKind kind, Node root) {
        std::vector<Feature>& known = kind == FeatureKind::subtree ? subtree_ : outline_;
        known.resize(keys_.size(), kNone);
        open_.assign(1, root);
        while (!open_.empty()) {
            const Node node = open_.back();
            const std::size_t before = open_.size();
            for (Node child : keys_.children(node))
                if (known[child] == kNone) open_.push_back(child);
            if (open_.size() > before) continue;
            open_.pop_back();
            if (known[node] != kNone) continue;
            Feature rest = kNone;
            const auto children = keys_.children(node);
            for (std::size_t k = children.size(); k-- > 0;)
                rest = weights_.intern(FeatureKind::children, known[children[k]], rest);
            known[node] = weights_.intern(kind, label(node), rest);
        }
        return known[root];
    }

    FeatureWeights& weights_;
    const Dag& keys_;
    std::vector<Label> label_;
    std::vector<Feature> subtree_, outline_;  // by node
    std::vector<Node> open_;
};

FeatureWeights::FeatureWeights(double unseen, const Dag& keys, std::span<const Node> roots,
                               std::span<const double> weights)
    : unseen_(unseen) {
    if (roots.size() != weights.size()) throw std::invalid_argument("there must be a weight for each feature");
    FeatureReader read(*this, keys);
    for (std::size_t i = 0; i < roots.size(); ++i) {
        const Feature feature = read(roots[i]);  // may make room for more weights
        weights_[feature] = weights[i];
    }
}

Feature FeatureWeights::intern(FeatureKind kind, std::uint32_t first, Feature rest) {
    const Feature known = index_.find(kind, first, rest);
    if (known != kNone) return known;
    weights_.push_back(unseen_);
    return index_.insert(kind, first, rest);
}

void FeatureParameters::resolve(const Dag& dag) {
    if (has(FeatureKind::outline)) {
        auto marks = std::make_shared<std::vector<bool>>(dag.label_count());
        for (Label label = 0; label < marks->size(); ++label) (*marks)[label] = is_name_text(dag.label_text(label));
        names = std::move(marks);
    }
    if (has(FeatureKind::window)) {
        std::vector<Label> sorted(dag.label_count());
        std::iota(sorted.begin(), sorted.end(), Label{0});
        std::ranges::sort(sorted, {}, [&](Label label) { return dag.label_text(label); });
        auto places = std::make_shared<std::vector<std::uint32_t>>(sorted.size());
        for (std::uint32_t place = 0; place < sorted.size(); ++place) (*places)[sorted[place]] = place;
        ranks = std::move(places);
    }
    if (!learned) return;
    auto labels = std::make_shared<std::vector<Label>>(dag.label_count());
    for (Label label = 0; label < labels->size(); ++label) (*labels)[label] = learned->label(dag.label_text(label));
    labels_learned = std::move(labels);
}

Feature FeatureTable::insert(FeatureKind kind, std::uint32_t first, Feature rest) {
    const Properties properties = properties_of(kind, first, rest);
    if (decays()) make_room(scales_, 1);
    if (parameters_.has(FeatureKind::path)) make_room(lengths_, 1);
    if (parameters_.learned) make_room(learned_, 1);
    make_room(weights_, 1);
    const Feature feature = index_.insert(kind, first, rest);
    // Nothing can fail from here on.
    const double learned = parameters_.learned ? (*parameters_.learned)[properties.learned] : 1.0;
    if (decays()) scales_.push_back(properties.scale);
    if (parameters_.has(FeatureKind::path)) lengths_.push_back(properties.length);
    if (parameters_.learned) learned_.push_back(properties.learned);
    weights_.push_back(parameters_.weight(kind) * properties.scale * (learned * learned));
    return feature;
}

FeatureTable::Properties FeatureTable::properties_of(FeatureKind kind, std::uint32_t first, Feature rest) {
    const double below = scale(rest);
    Properties properties;
    if (kind == FeatureKind::path) {
        properties.scale = below * parameters_.path_decay;
        properties.length = rest == kNone ? 1 : lengths_[rest] + 1;
    } else if (kind == FeatureKind::subtree) {
        properties.scale = rest == kNone ? 1.0 : below * parameters_.subtree_decay;
    } else if (kind == FeatureKind::children) {
        properties.scale = below * scale(first);
    }
    if (!parameters_.learned) return properties;
    const Feature rest_learned = rest == kNone ? kNone : learned_[rest];
    const std::uint32_t first_learned = kind == FeatureKind::children ? learned_[first] : learned_label(first);
    if (first_learned != kNone && (rest == kNone || rest_learned != kNone))
        properties.learned = parameters_.learned->find(kind, first_learned, rest_learned);
    return properties;
}

bool FeatureTable::is_name(Label label) {
    if (!dag_) return (*parameters_.names)[label];
    while (names_.size() <= label) names_.push_back(is_name_text(dag_->label_text(static_cast<Label>(names_.size()))));
    return names_[label];
}

void FeatureTable::sort(std::span<Label> labels) const {
    if (dag_)
        std::ranges::sort(labels, {}, [this](Label label) { return dag_->label_text(label); });
    else
        std::ranges::sort(labels, {}, [this](Label label) { return (*parameters_.ranks)[label]; });
}

Label FeatureTable::learned_label(Label label) {
    if (label == kNoLabel) return kNoLabel;
    if (!dag_) return (*parameters_.labels_learned)[label];
    while (labels_.size() <= label)
        labels_.push_back(parameters_.learned->label(dag_->label_text(static_cast<Label>(labels_.size()))));
    return labels_[label];
}

std::vector<Node> feature_keys(const FeatureIndex& index, std::span<const Feature> features, const Dag& labels,
                               std::uint32_t base, Dag& keys) {
    const auto own_label = [&](Label label) {
        return keys.intern_label(label == kNoLabel ? kBeyond : labels.label_text(label));
    };
    const auto row_of = [&](Feature rest) {
        std::vector<Node> row;
        for (; rest != kNone; rest = index.rest(rest))
            row.push_back(keys.intern_node(own_label(index.first(rest)), {}));
        return row;
    };
    // The subtree, or path, of a feature, after those that it is made of, which have smaller numbers.
    std::vector<Node> made(index.size(), kNone);
    std::vector<Feature> open;
    const auto make = [&](Feature wanted) {
        open.assign(1, wanted);
        while (!open.empty()) {
            const Feature feature = open.back();
            const FeatureKind kind = index.kind(feature);
            const bool whole = kind == FeatureKind::subtree || kind == FeatureKind::outline;
            const std::size_t before = open.size();
            std::vector<Node> children;
            for (Feature rest = index.rest(feature); rest != kNone; rest = whole ? index.rest(rest) : kNone) {
                const Feature child = whole ? index.first(rest) : rest;
                if (made[child] == kNone) open.push_back(child);
                children.push_back(made[child]);
            }
            if (open.size() > before) continue;
            made[feature] = keys.intern_node(own_label(index.first(feature)), children);
            open.pop_back();
        }
        return made[wanted];
    };
    std::vector<Node> roots;
    for (Feature feature : features) {
        const FeatureKind kind = index.kind(feature);
        Node top = kNone;
        if (kind == FeatureKind::subtree || kind == FeatureKind::outline || kind == FeatureKind::path ||
            kind == FeatureKind::leaf) {
            top = make(feature);
        } else {
            std::vector<Node> row = row_of(index.rest(feature));
            const Label first = own_label(index.first(feature));
            if (kind == FeatureKind::gram || kind == FeatureKind::window) {
                const std::vector<Node> base_row(row.end() - base, row.end());
                row.resize(row.size() - base);
                Node stem = kNone;
                for (std::size_t k = row.size() + 1; k-- > 0;) {
                    const Label label = k == 0 ? first : keys.label(row[k - 1]);
                    stem = stem == kNone ? keys.intern_node(label, {}) : keys.intern_node(label, {&stem, 1});
                }
                const std::vector<Node> parts{stem, keys.intern_node(keys.intern_label("base"), base_row)};
                top = keys.intern_node(keys.intern_label("stem"), parts);
            } else {
                top = keys.intern_node(first, row);
            }
        }
        roots.push_back(keys.intern_node(keys.intern_label(kFeatureNames[static_cast<std::size_t>(kind)]), {&top, 1}));
    }
    return roots;
}

}  // namespace treekernels
