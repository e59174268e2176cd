#include "kernels/tripartite/placeholders.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace treekernels {

LabelParts split_label(std::string_view label) {
    std::size_t digits = 0;
    while (digits < label.size() && label[label.size() - 1 - digits] >= '0' && label[label.size() - 1 - digits] <= '9')
        ++digits;
    const std::size_t name = label.size() - digits;
    if (digits == 0 || name < 2 || label[name - 1] != ':') return {label, kNoPlaceholder};
    if (digits > 18)
        throw std::invalid_argument("the placeholder of the label " + std::string(label) + " has more than 18 digits");
    std::uint64_t number = 0;
    for (char digit : label.substr(name)) number = 10 * number + static_cast<std::uint64_t>(digit - '0');
    return {label.substr(0, name), number};
}

SplitLabels::SplitLabels(const Dag& dag) {
    std::unordered_map<std::string_view, std::uint32_t, TextHash> names;
    for (Label label = 0; label < dag.label_count(); ++label) {
        const auto [text, number] = split_label(dag.label_text(label));
        name.push_back(names.try_emplace(text, static_cast<std::uint32_t>(names.size())).first->second);
        placeholder.push_back(number);
    }
}

namespace {

// The different placeholders of one production, numbered in order of first use.
class OrderOfUse {
public:
    void clear() {
        known_.clear();
        many_.clear();
    }
    std::size_t size() const { return known_.size(); }
    std::uint32_t number(std::uint64_t placeholder) {
        constexpr std::size_t kFew = 16;
        const auto next = static_cast<std::uint32_t>(known_.size());
        if (next < kFew) {
            const auto found = std::ranges::find(known_, placeholder);
            if (found != known_.end()) return static_cast<std::uint32_t>(found - known_.begin());
        } else {
            for (std::uint32_t i = 0; many_.empty() && i < next; ++i) many_.emplace(known_[i], i);
            const auto [found, is_new] = many_.try_emplace(placeholder, next);
            if (!is_new) return found->second;
        }
        known_.push_back(placeholder);
        return next;
    }

private:
    std::vector<std::uint64_t> known_;
    std::unordered_map<std::uint64_t, std::uint32_t, NumberHash>
        many_;  // used where a search through the list would be slow
};

}  // namespace

AnchoredTrees::Keys AnchoredTrees::keys_of(const Corpus& corpus, const SplitLabels& labels) {
    Keys keys;
    keys.of_node.assign(corpus.node_count(), kNone);
    std::vector<std::uint32_t> key_of_production(corpus.production_count(), kNone);
    // How the production of each key looks: names, and after each the number of the placeholder.
    std::vector<std::uint32_t> looks;
    std::vector<std::size_t> begin{0};
    NumberIndex index;
    OrderOfUse order;
    for (Node node = 0; node < corpus.node_count(); ++node) {
        if (corpus.is_leaf(node)) continue;
        std::uint32_t& key = key_of_production[corpus.production(node)];
        if (key == kNone) {
            order.clear();
            const auto add = [&](Node part) {
                const Label label = corpus.label(part);
                const std::uint64_t placeholder = labels.placeholder[label];
                looks.push_back(labels.name[label]);
                looks.push_back(placeholder == kNoPlaceholder ? kNone : order.number(placeholder));
            };
            add(node);
            for (Node child : corpus.children(node)) add(child);
            const std::span<const std::uint32_t> all(looks);
            const auto look = all.subspan(begin.back());
            std::uint64_t hash = hash_secret();
            for (std::uint32_t part : look) hash = mix(hash, part);
            key = index.find(hash, [&](std::uint32_t other) {
                return std::ranges::equal(all.subspan(begin[other], begin[other + 1] - begin[other]), look);
            });
            if (key == kNone) {
                key = static_cast<std::uint32_t>(begin.size() - 1);
                begin.push_back(looks.size());
                index.insert(hash, key);
                keys.slot_count.push_back(static_cast<std::uint32_t>(order.size()));
            } else {
                looks.resize(begin.back());
            }
        }
        keys.of_node[node] = key;
    }
    return keys;
}

PlaceholderLists placeholders_of(const Corpus& texts, const Corpus& hypotheses, const SplitLabels& labels) {
    PlaceholderLists lists;
    for (std::size_t pair = 0; pair < texts.tree_count(); ++pair) {
        const auto begin = static_cast<std::ptrdiff_t>(lists.number.size());
        for (const Corpus* side : {&texts, &hypotheses})
            for (Node node : side->nodes(pair))
                if (const auto number = labels.placeholder[side->label(node)]; number != kNoPlaceholder)
                    lists.number.push_back(number);
        std::sort(lists.number.begin() + begin, lists.number.end());
        lists.number.erase(std::unique(lists.number.begin() + begin, lists.number.end()), lists.number.end());
        lists.offset.push_back(lists.number.size());
    }
    return lists;
}

AnchoredTrees::AnchoredTrees(Corpus corpus, const SplitLabels& labels, const PlaceholderLists& lists, unsigned threads,
                             const Task& task)
    : keys_(keys_of(corpus, labels)), keyed_(corpus, keys_.of_node, false, task), plain_(std::move(corpus)) {
    key_.reserve(keyed_.bottom_up().node.size());
    for (Node node : keyed_.bottom_up().node) key_.push_back(keys_.of_node[node]);
    keys_.of_node = {};
    run_both(threads, [&] { find_parents(); }, [&] { find_slots(labels, lists); });
    run_both(threads, [&] { find_places(); }, [&] { cut_plain(); });
}

void AnchoredTrees::cut_plain() {
    std::vector<bool> anchored(plain_.node_count());
    for (std::size_t place = 0; place < key_.size(); ++place)
        anchored[keyed_.bottom_up().node[place]] = keys_.slot_count[key_[place]] != 0;
    plain_.cut(anchored);
}

void AnchoredTrees::find_slots(const SplitLabels& labels, const PlaceholderLists& lists) {
    const std::vector<Node>& nodes = keyed_.bottom_up().node;
    OrderOfUse used;
    for (std::size_t tree = 0; tree < plain_.tree_count(); ++tree) {
        const std::span<const std::uint64_t> known(lists.number.data() + lists.offset[tree],
                                                   lists.number.data() + lists.offset[tree + 1]);
        const auto add = [&](Node node) {
            const std::uint64_t number = labels.placeholder[plain_.label(node)];
            const std::size_t known_here = used.size();
            if (number == kNoPlaceholder || used.number(number) < known_here) return;
            const auto place = std::ranges::lower_bound(known, number) - known.begin();
            slots_.placeholder.push_back(static_cast<std::uint32_t>(place));
        };
        for (std::size_t at = keyed_.begin(tree); at < keyed_.begin(tree) + keyed_.size(tree); ++at) {
            if (keys_.slot_count[key_[at]] != 0) {
                used.clear();
                add(nodes[at]);
                for (Node child : plain_.children(nodes[at])) add(child);
            }
            slots_.offset.push_back(slots_.placeholder.size());
        }
    }
}

void AnchoredTrees::find_places() {
    const auto& order = keyed_.bottom_up();
    places_.reserve(key_.size());
    for (std::size_t tree = 0; tree < plain_.tree_count(); ++tree) {
        for (std::uint32_t local = 0; local < keyed_.size(tree); ++local) {
            const std::size_t at = keyed_.begin(tree) + local;
            const std::uint64_t first_edge = edges_.size();
            std::uint64_t below = 0;
            std::uint64_t position = 0;
            for (std::uint32_t child : keyed_.children(order, tree, local)) {
                edges_.push_back({child, child == kNone ? kNone : key(tree, child)});
                if (child != kNone) below |= std::uint64_t{1} << (mix(position, key(tree, child)) >> 58);
                ++position;
            }
            std::uint64_t way = kNoWayUp;
            for (const Parent& parent : parents(tree, local)) {
                if (!slots(tree, parent.local).empty()) continue;
                way = way == kNoWayUp ? std::uint64_t{key(tree, parent.local)} << 32 | parent.position : kManyWaysUp;
            }
            places_.push_back({way, below, slots_.offset[at], first_edge,
                               static_cast<std::uint32_t>(slots_.of(at).size()),
                               static_cast<std::uint32_t>(edges_.size() - first_edge), order.count[at]});
        }
    }
}

void AnchoredTrees::find_parents() {
    const auto& order = keyed_.bottom_up();
    parent_offset_.assign(key_.size() + 1, 0);
    const auto each_edge = [&](auto visit) {
        for (std::size_t tree = 0; tree < plain_.tree_count(); ++tree)
            for (std::uint32_t local = 0; local < keyed_.size(tree); ++local) {
                const auto children = keyed_.children(order, tree, local);
                for (std::uint32_t position = 0; position < children.size(); ++position)
                    if (children[position] != kNone)
                        visit(keyed_.begin(tree) + children[position], Parent{local, position});
            }
    };
    each_edge([&](std::size_t child, Parent) { ++parent_offset_[child + 1]; });
    for (std::size_t place = 0; place < key_.size(); ++place) parent_offset_[place + 1] += parent_offset_[place];
    parent_.resize(parent_offset_.back());
    std::vector<std::uint64_t> next(parent_offset_.begin(), parent_offset_.end() - 1);
    each_edge([&](std::size_t child, Parent parent) { parent_[next[child]++] = parent; });
}

AnchoredPairs::AnchoredPairs(const Dag& dag, std::span<const Node> texts, std::span<const Node> hypotheses,
                             unsigned threads, const Task& task) {
    const SplitLabels labels(dag);
    std::optional<Corpus> text_corpus, hypothesis_corpus;
    run_both(
        threads, [&] { text_corpus.emplace(dag, texts, std::span<const Node>(), threads, task); },
        [&] { hypothesis_corpus.emplace(dag, hypotheses, std::span<const Node>(), threads, task); });
    lists_ = placeholders_of(*text_corpus, *hypothesis_corpus, labels);
    run_both(
        threads, [&] { texts_.emplace(std::move(*text_corpus), labels, lists_, threads, task); },
        [&] { hypotheses_.emplace(std::move(*hypothesis_corpus), labels, lists_, threads, task); });
    std::unordered_map<std::uint64_t, std::uint32_t, NumberHash> known;
    for (std::size_t pair = 0; pair < texts.size(); ++pair) {
        const std::uint64_t roots = std::uint64_t{texts[pair]} << 32 | hypotheses[pair];
        identity_.push_back(known.try_emplace(roots, static_cast<std::uint32_t>(known.size())).first->second);
    }
    identities_ = known.size();
}

}  // namespace treekernels
