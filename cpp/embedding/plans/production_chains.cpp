#include "embedding/plans/production_chains.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "embedding/vectors/label_vectors.hpp"

namespace treekernels {

namespace {

constexpr std::uint64_t kLabelSeed = 0x6C61626C;
constexpr std::uint64_t kProductionSeed = 0x70726F64;

struct Frequency {
    std::uint32_t last_tree = kNone;
    std::uint32_t trees = 0;
};

using Frequencies = std::unordered_map<std::uint64_t, Frequency, NumberHash>;

// All chains that start at a node. Their length is bounded, and with it the depth of these calls.
class ChainCounter {
public:
    ChainCounter(const Dag& dag, ProductionKeys& keys, Frequencies& frequencies)
        : dag_(dag), keys_(keys), frequencies_(frequencies) {}

    void count(Node node, std::uint64_t chain, unsigned length, std::uint32_t tree) {
        chain = with_production(chain, keys_(node));
        Frequency& frequency = frequencies_[chain];
        if (frequency.last_tree != tree) ++frequency.trees;
        frequency.last_tree = tree;
        if (length == 1) return;
        const auto children = dag_.children(node);
        for (std::size_t position = 0; position < children.size(); ++position)
            if (!dag_.is_leaf(children[position]))
                count(children[position], with_position(chain, position), length - 1, tree);
    }

private:
    const Dag& dag_;
    ProductionKeys& keys_;
    Frequencies& frequencies_;
};

}  // namespace

std::uint64_t ProductionKeys::operator()(Node node) {
    const auto label_key = [&](Node of) {
        std::uint64_t& key = of_label_[dag_.label(of)];
        if (key == 0) key = hash_text(kLabelSeed, dag_.label_text(dag_.label(of)));
        return key;
    };
    std::uint64_t& key = of_production_[dag_.production(node)];
    if (key == 0) {
        std::uint64_t hash = hash_pair(kProductionSeed, label_key(node));
        for (Node child : dag_.children(node)) hash = hash_pair(hash, label_key(child));
        key = hash;
    }
    return key;
}

std::uint64_t with_production(std::uint64_t chain, std::uint64_t production_key) {
    return hash_pair(chain, production_key);
}

std::uint64_t with_position(std::uint64_t chain, std::size_t position) { return hash_pair(chain, position); }

std::vector<std::uint64_t> frequent_chains(const Dag& dag, std::span<const Node> roots, std::uint32_t min_trees,
                                           unsigned length, Task& task) {
    ProductionKeys keys(dag);
    Frequencies frequencies;
    ChainCounter counter(dag, keys, frequencies);
    TreeWalk tree(dag);
    for (std::uint32_t number = 0; number < roots.size(); ++number) {
        tree.walk(roots[number], task);
        for (Node node : tree.nodes())
            if (!dag.is_leaf(node)) counter.count(node, kNoChain, length, number);
        task.advance(1);
    }
    std::vector<std::uint64_t> result;
    for (const auto& [chain, frequency] : frequencies)
        if (frequency.trees >= min_trees) result.push_back(chain);
    std::ranges::sort(result);
    return result;
}

KeySet::KeySet(std::span<const std::uint64_t> keys)
    : mask_(std::bit_ceil(2 * keys.size() + 2) - 1), slots_(mask_ + 1, kEmpty) {
    for (std::uint64_t key : keys) {
        std::size_t at = NumberHash()(key) & mask_;
        while (slots_[at] != kEmpty) at = (at + 1) & mask_;
        slots_[at] = key;
    }
}

void TreeWalk::walk(Node root, const Task& task) {
    task.check();
    const std::uint32_t walk = walks_++;
    nodes_.clear();
    stack_.emplace_back(root, 0);
    met_[root] = walk;
    while (!stack_.empty()) {
        auto& [node, next] = stack_.back();
        const auto children = dag_.children(node);
        while (next < children.size() && met_[children[next]] == walk) ++next;
        if (next < children.size()) {
            const Node child = children[next++];
            met_[child] = walk;
            stack_.emplace_back(child, 0);
        } else {
            place_[node] = static_cast<std::uint32_t>(nodes_.size());
            nodes_.push_back(node);
            if (nodes_.size() % 4096 == 0) task.check();
            stack_.pop_back();
        }
    }
    // Parents come later: going back, a node's count is complete before it is handed on.
    counts_.assign(nodes_.size(), 0.0);
    counts_.back() = 1.0;
    for (std::size_t place = nodes_.size(); place-- > 0;)
        for (Node child : dag_.children(nodes_[place])) counts_[place_[child]] += counts_[place];
}

}  // namespace treekernels
