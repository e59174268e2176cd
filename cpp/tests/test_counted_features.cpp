// Kernels of features that can be counted against a plain listing of the features of trees that share nothing.
#include <cmath>
#include <map>
#include <new>
#include <string>

#include "kernels/features/feature_gram.hpp"
#include "kernels/features/feature_lists.hpp"
#include "kernels/features/weighted_forest.hpp"
#include "tests/support/check.hpp"
#include "tests/support/failing_allocation.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

namespace {

struct Listed {
    double count = 0.0;
    double weight = 0.0;  // what it brings to the kernel, if it has no weight of its own
};
// By the tree that stands for the feature, in brackets.
using Listing = std::map<std::string, Listed>;
using OwnWeights = std::map<std::string, double>;

const std::string kBlank = "\x01";

std::string join(const std::vector<std::string>& texts) {
    std::string joined;
    for (const std::string& text : texts) joined += (joined.empty() ? "" : " ") + text;
    return joined;
}
std::string above(const std::string& label, const std::vector<std::string>& below) {
    return below.empty() ? label : label + "(" + join(below) + ")";
}
std::string chain(const std::vector<std::string>& labels) {
    std::string text = labels.back();
    for (std::size_t k = labels.size() - 1; k-- > 0;) text = above(labels[k], {text});
    return text;
}

Listing list_features(const PlainTree& tree, const FeatureParameters& parameters) {
    Listing found;
    const auto add = [&](FeatureKind kind, const std::string& text, double scale) {
        if (!parameters.has(kind)) return;
        const std::string name = kFeatureNames[static_cast<std::size_t>(kind)];
        Listed& feature = found[above(name, {text})];
        feature.count += 1.0;
        feature.weight = parameters.weight(kind) * scale;
    };
    const std::size_t size = tree.labels.size();
    std::vector<std::size_t> parent(size, size), inner(size, 0);
    std::vector<std::string> whole(size), outline(size);
    for (std::size_t node = 0; node < size; ++node) {
        std::vector<std::string> labels, subtrees, outlines;
        for (std::size_t child : tree.children[node]) {
            parent[child] = node;
            inner[node] += inner[child];
            labels.push_back(tree.labels[child]);
            subtrees.push_back(whole[child]);
            outlines.push_back(outline[child]);
        }
        whole[node] = above(tree.labels[node], subtrees);
        // The labels of these trees are capitals, and so all leaves are names.
        const bool only_a_name = labels.size() == 1 && tree.children[tree.children[node][0]].empty();
        outline[node] = above(tree.labels[node], only_a_name ? std::vector<std::string>{} : outlines);
        if (!labels.empty() && !only_a_name) add(FeatureKind::outline, outline[node], 1.0);
        if (labels.empty()) {
            add(FeatureKind::leaf, tree.labels[node], 1.0);
            continue;
        }
        inner[node] += 1;
        add(FeatureKind::subtree, whole[node], std::pow(parameters.subtree_decay, static_cast<double>(inner[node])));
        add(FeatureKind::production, above(tree.labels[node], labels), 1.0);
        for (std::size_t k = 0; k + 1 < labels.size(); ++k)
            add(FeatureKind::siblings, above(tree.labels[node], {labels[k], labels[k + 1]}), 1.0);
    }
    for (std::size_t node = 0; node < size; ++node) {
        // Paths that end here.
        std::vector<std::string> path;
        for (std::size_t up = node; up < size && path.size() < parameters.max_length; up = parent[up]) {
            path.insert(path.begin(), tree.labels[up]);
            add(FeatureKind::path, chain(path), std::pow(parameters.path_decay, static_cast<double>(path.size())));
        }
        // Grams whose stem ends here: the children with blanks before and after them, some at a time.
        std::vector<std::string> stem, row(parameters.base - 1, kBlank);
        for (std::size_t up = node; stem.size() < parameters.stem; up = up < size ? parent[up] : size)
            stem.insert(stem.begin(), up < size ? tree.labels[up] : kBlank);
        for (std::size_t child : tree.children[node]) row.push_back(tree.labels[child]);
        row.resize(row.size() + (tree.children[node].empty() ? 1 : parameters.base - 1), kBlank);
        for (auto first = row.begin(); row.end() - first >= parameters.base; ++first)
            add(FeatureKind::gram,
                above("stem", {chain(stem), above("base", std::vector(first, first + parameters.base))}), 1.0);
    }
    return found;
}

double plain_kernel(const Listing& one, const Listing& two, CountDamping damping, const OwnWeights* own) {
    const auto counted = [&](double count) {
        if (damping == CountDamping::binary) return 1.0;
        return damping == CountDamping::log ? 1.0 + std::log(count) : count;
    };
    double sum = 0.0;
    for (const auto& [text, feature] : one) {
        const auto other = two.find(text);
        if (other == two.end()) continue;
        double weight = feature.weight;
        if (own) {
            const auto learned = own->find(text);
            weight *= learned == own->end() ? 0.25 : learned->second * learned->second;  // unseen: 0.5
        }
        sum += weight * counted(feature.count) * counted(other->second.count);
    }
    return sum;
}

// The trees of a DAG in brackets.
std::vector<std::string> texts_of(const Dag& dag, std::span<const Node> roots) {
    std::vector<std::string> text, wanted;
    for (Node node = 0; node < dag.size(); ++node) {
        std::vector<std::string> below;
        for (Node child : dag.children(node)) below.push_back(text[child]);
        text.push_back(above(std::string(dag.label_text(dag.label(node))), below));
    }
    for (Node root : roots) wanted.push_back(text[root]);
    return wanted;
}

bool close(double a, double b) { return std::abs(a - b) <= 1e-11 * (1.0 + std::abs(b)); }

FeatureParameters parameters_of(std::initializer_list<std::pair<FeatureKind, double>> weights) {
    FeatureParameters parameters;
    for (const auto& [kind, weight] : weights) parameters.weights[static_cast<std::size_t>(kind)] = weight;
    return parameters;
}

// Each kind of kernel that there is, and all features at once.
std::vector<FeatureParameters> all_parameters() {
    std::vector<FeatureParameters> all;
    for (const std::uint32_t length : {1U, 3U, kNone}) {
        all.push_back(parameters_of({{FeatureKind::path, 1.0}}));
        all.back().path_decay = 0.7;
        all.back().max_length = length;
    }
    for (const std::uint32_t stem : {1U, 2U, 4U})
        for (const std::uint32_t base : {1U, 3U}) {
            all.push_back(parameters_of({{FeatureKind::gram, 1.0}}));
            all.back().stem = stem;
            all.back().base = base;
        }
    all.push_back(parameters_of({{FeatureKind::leaf, 0.5},
                                 {FeatureKind::production, 2.0},
                                 {FeatureKind::siblings, 3.0},
                                 {FeatureKind::subtree, 0.25},
                                 {FeatureKind::outline, 1.25}}));
    all.back().subtree_decay = 0.6;
    all.push_back(all.back());
    for (const FeatureKind kind : {FeatureKind::path, FeatureKind::gram})
        all.back().weights[static_cast<std::size_t>(kind)] = 0.75;
    all.back().stem = 3;
    return all;
}

std::vector<PlainTree> random_trees(Random& random, std::size_t count, std::size_t labels) {
    std::vector<PlainTree> trees;
    for (std::size_t tree = 0; tree < count; ++tree)
        trees.push_back(random_plain_tree(random, 1 + random.below(14), labels));
    return trees;
}
std::vector<Node> intern_all(Dag& dag, const std::vector<PlainTree>& trees) {
    std::vector<Node> roots;
    for (const PlainTree& tree : trees) roots.push_back(intern(dag, tree));
    return roots;
}

// Weights of the features that two of these trees have, each another one, and where they are asked for.
OwnWeights learn_weights(const std::vector<PlainTree>& trees, FeatureParameters& parameters) {
    Dag dag, keys;
    const auto roots = intern_all(dag, trees);
    const FeatureFrequencies found = feature_frequencies(parameters, dag, roots, {}, keys, Task(0));
    OwnWeights own;
    std::vector<double> weights;
    for (const std::string& text : texts_of(keys, found.keys)) {
        weights.push_back(0.5 + 0.03125 * static_cast<double>(weights.size() % 37));
        own[text] = weights.back();
    }
    parameters.learned = std::make_shared<FeatureWeights>(0.5, keys, found.keys, weights);
    return own;
}

// A forest that trees are added to, and a plain sum that it must equal.
class Pair {
public:
    explicit Pair(const FeatureParameters& parameters, const OwnWeights* own = nullptr)
        : forest(make_feature_forest(parameters, 2)), parameters_(parameters), own_(own) {}

    void add(const PlainTree& tree, double alpha) {
        const Node root = intern(forest->dag(), tree);
        TreeView view(forest->dag());
        const TreeNodes nodes = view(root);
        forest->make_room(nodes.nodes());
        CHECK(forest->has_room(root));
        const double alphas[] = {alpha, -3.0 * alpha};
        forest->add(nodes, alphas);
        added.emplace_back(list_features(tree, parameters_), alpha);
    }
    double expected(const PlainTree& tree) const {
        const Listing listing = list_features(tree, parameters_);
        double sum = 0.0;
        for (const auto& [other, alpha] : added) sum += alpha * plain_kernel(listing, other, parameters_.damping, own_);
        return sum;
    }

    std::unique_ptr<WeightedForest> forest;
    std::vector<std::pair<Listing, double>> added;

private:
    FeatureParameters parameters_;
    const OwnWeights* own_;
};

void check_scores(TreeScorer& scorer, const Pair& pair, std::span<const Node> roots,
                  const std::vector<PlainTree>& trees) {
    std::vector<double> scores(2 * roots.size());
    scorer.score(roots, scores.data(), Task(0));
    for (std::size_t i = 0; i < roots.size(); ++i) {
        const double expected = pair.expected(trees[i]);
        CHECK(close(scores[2 * i], expected) && close(scores[2 * i + 1], -3.0 * expected));
    }
}

// As a merge does it: the nodes of the other forest become nodes of this one.
void merge(WeightedForest& into, const WeightedForest& from) {
    ForestState state = from.state();
    state.nodes = into.dag().import(from.dag(), state.nodes, Task(0));
    into.make_room(state, {});
    into.merge(state, {});
}

}  // namespace

TEST(counted_features_are_those_that_are_listed) {
    Random random(81);
    for (FeatureParameters parameters : all_parameters())
        for (const CountDamping damping : {CountDamping::linear, CountDamping::log, CountDamping::binary})
            for (const bool weighted : {false, true}) {
                parameters.damping = damping;
                parameters.learned = nullptr;
                OwnWeights own;
                if (weighted) own = learn_weights(random_trees(random, 12, 3), parameters);
                const auto trees = random_trees(random, 12, 4);  // one label that no weight knows
                Dag dag;
                const auto roots = intern_all(dag, trees);
                parameters.resolve(dag);
                std::vector<Listing> listings;
                for (const PlainTree& tree : trees) listings.push_back(list_features(tree, parameters));
                const Task task(0);
                const Corpus corpus(dag, roots, {}, 1, task);
                const auto rows = feature_rows<double>(corpus, roots.size(), parameters, task);
                const auto row = rows->worker();
                const auto norms = feature_norms<double>(corpus, parameters, task);
                const auto norm = norms();
                const auto tree_norm = make_feature_norm(parameters, dag);
                const auto responder = make_feature_responder(parameters, 1, dag);
                TreeView view(dag);
                for (Node root : roots) responder->insert(view(root));
                responder->finish(task);
                const double alpha = 2.0;
                responder->add(view(roots[0]), &alpha, task);
                for (std::size_t i = 0; i < roots.size(); ++i) {
                    std::vector<double> values(roots.size());
                    row->row(i, roots.size(), values.data(), task);
                    const auto expected = [&](std::size_t j) {
                        return plain_kernel(listings[i], listings[j], damping, weighted ? &own : nullptr);
                    };
                    for (std::size_t j = 0; j < roots.size(); ++j) CHECK(close(values[j], expected(j)));
                    CHECK(close(norm(i, task), expected(i)));
                    CHECK(close((*tree_norm)(view(roots[i]), task), expected(i)));
                    double by_number = 0.0, by_tree = 0.0;
                    responder->score(i, view(roots[i]), {}, &by_number);
                    responder->score(view(roots[i]), {}, &by_tree);
                    CHECK(close(by_number, 2.0 * expected(0)) && by_tree == by_number);
                }
            }
}

TEST(frequencies_of_features_count_trees) {
    Random random(82);
    for (const FeatureParameters& parameters : all_parameters()) {
        const auto trees = random_trees(random, 25, 3);
        std::map<std::string, std::uint64_t> expected, counted;
        for (const PlainTree& tree : trees)
            for (const auto& [text, feature] : list_features(tree, parameters)) ++expected[text];
        std::erase_if(expected, [](const auto& item) { return item.second < 2; });
        Dag dag, keys;
        const auto roots = intern_all(dag, trees);
        const FeatureFrequencies found = feature_frequencies(parameters, dag, roots, {}, keys, Task(0));
        const auto texts = texts_of(keys, found.keys);
        for (std::size_t i = 0; i < texts.size(); ++i) counted[texts[i]] = found.counts[i];
        CHECK(counted == expected && texts.size() == expected.size() && !expected.empty());
    }
}

TEST(forests_of_features_grow_merge_and_are_restored) {
    Random random(83);
    std::size_t round = 0;
    for (FeatureParameters parameters : all_parameters())
        for (const bool weighted : {false, true}) {
            parameters.damping =
                std::vector{CountDamping::linear, CountDamping::log, CountDamping::binary}[round++ % 3];
            parameters.learned = nullptr;
            OwnWeights own;
            if (weighted) own = learn_weights(random_trees(random, 12, 3), parameters);
            Pair one(parameters, weighted ? &own : nullptr), two(parameters, weighted ? &own : nullptr);
            const auto queries = random_trees(random, 8, 5);  // the forest lacks a label
            Dag source;
            const auto roots = intern_all(source, queries);
            const auto scorer = one.forest->scorer(source);
            check_scores(*scorer, one, roots, queries);
            for (const PlainTree& tree : random_trees(random, 12, 4)) {
                one.add(tree, random.unit() - 0.5);
                if (one.added.size() % 4 == 0) check_scores(*scorer, one, roots, queries);
            }
            for (const PlainTree& tree : random_trees(random, 8, 5)) two.add(tree, random.unit() - 0.5);
            merge(*one.forest, *two.forest);
            one.added.insert(one.added.end(), two.added.begin(), two.added.end());
            check_scores(*scorer, one, roots, queries);

            const ForestState state = one.forest->state();
            Pair again(parameters, weighted ? &own : nullptr);
            ForestState moved = state;
            moved.nodes = again.forest->dag().import(one.forest->dag(), state.nodes, Task(0));
            again.forest->restore(moved);
            again.added = one.added;
            const auto same = again.forest->scorer(source);
            check_scores(*same, again, roots, queries);
            const ForestState restored = again.forest->state();
            CHECK(restored.nodes.size() == state.nodes.size() && again.forest->size() == one.forest->size());
            CHECK(restored.weights == state.weights && restored.productions == state.productions);
            again.add(queries[0], 0.5);
            check_scores(*same, again, roots, queries);
        }
}

TEST(what_is_no_forest_of_features_is_not_restored) {
    Random random(84);
    for (const FeatureParameters& parameters : all_parameters()) {
        Pair one(parameters);
        for (const PlainTree& tree : random_trees(random, 6, 3)) one.add(tree, 1.0);
        one.add(random_plain_tree(random, 12), 1.0);
        const ForestState state = one.forest->state();
        const auto check_refused = [&](ForestState bad) {
            const auto empty = make_feature_forest(parameters, 2);
            bad.nodes = empty->dag().import(one.forest->dag(), bad.nodes, Task(0));
            CHECK_THROWS(std::invalid_argument, empty->restore(bad));
        };
        ForestState bad = state;
        bad.productions.pop_back();
        check_refused(bad);
        bad = state;
        bad.weights.push_back(0.0);
        check_refused(bad);
        bad = state;
        bad.labels.assign(2, 0.0);
        check_refused(bad);
        // A parent before what is below it, and one without.
        bad = state;
        std::ranges::reverse(bad.nodes);
        check_refused(bad);
        bad = state;
        bad.nodes.assign(1, bad.nodes.back());
        bad.weights.resize(2);
        check_refused(bad);
    }
}

TEST(a_tree_of_features_is_added_whole_or_not_at_all) {
    Random random(85);
    std::size_t failed = 0;
    for (const FeatureParameters& parameters : all_parameters()) {
        const auto trees = random_trees(random, 4, 3);
        const PlainTree last = random_plain_tree(random, 12, 4);
        for (std::size_t good = 0;; ++good) {
            Pair pair(parameters);
            for (const PlainTree& tree : trees) pair.add(tree, 0.5);
            Dag source;
            const auto roots = intern_all(source, trees);
            const Node root = intern(pair.forest->dag(), last);
            TreeView view(pair.forest->dag());
            const TreeNodes nodes = view(root);
            bool made = false;
            try {
                const FailingAllocation failing(good);
                pair.forest->make_room(nodes.nodes());
                made = true;
            } catch (const std::bad_alloc&) {
                ++failed;
            }
            check_scores(*pair.forest->scorer(source), pair, roots, trees);
            CHECK(pair.forest->has_room(root) == made);
            if (made) {
                const double alphas[] = {0.25, -0.75};
                const FailingAllocation failing(0);
                pair.forest->add(nodes, alphas);
            } else {
                pair.add(last, 0.25);
                check_scores(*pair.forest->scorer(source), pair, roots, trees);
                continue;
            }
            break;
        }
    }
    CHECK(failed > 20);
}

TEST(keys_that_are_no_features_are_refused) {
    const auto refused = [](auto make) {
        Dag keys;
        const auto node = [&](const char* label, std::vector<Node> children = {}) {
            return keys.intern_node(keys.intern_label(label), children);
        };
        const std::vector<Node> roots{make(node)};
        const std::vector<double> weights{1.0};
        CHECK_THROWS(std::invalid_argument, FeatureWeights(1.0, keys, roots, weights));
    };
    refused([](auto node) { return node("path"); });
    refused([](auto node) { return node("fragment", {node("A")}); });
    refused([](auto node) { return node("leaf", {node("A", {node("B")})}); });
    refused([](auto node) { return node("path", {node("A", {node("B"), node("C")})}); });
    refused([](auto node) { return node("production", {node("A")}); });
    refused([](auto node) { return node("production", {node("A", {node("B", {node("C")})})}); });
    refused([](auto node) { return node("gram", {node("A")}); });
    refused([](auto node) { return node("gram", {node("stem", {node("A"), node("base")})}); });
    refused([](auto node) {
        const Node stem = node("A", {node("B"), node("C")});
        return node("gram", {node("stem", {stem, node("base", {node("D")})})});
    });
    const Dag none;
    const std::vector<double> weights{1.0};
    CHECK_THROWS(std::invalid_argument, FeatureWeights(1.0, none, {}, weights));
}

}  // namespace treekernels::tests
