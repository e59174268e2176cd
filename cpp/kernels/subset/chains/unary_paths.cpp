#include "kernels/subset/chains/unary_paths.hpp"

#include <algorithm>
#include <ranges>

#include "core/wide.hpp"

namespace treekernels {

std::unique_ptr<UnaryPaths> UnaryPaths::find(const Corpus& corpus, double decay, const Task& task) {
    const auto nodes = std::views::iota(Node{0}, static_cast<Node>(corpus.node_count()));
    auto lengths = ways_down(corpus, nodes, [](Node node) { return node; }, task);
    if (lengths.empty() || *std::ranges::max_element(lengths) <= kLong) return nullptr;
    return std::unique_ptr<UnaryPaths>(new UnaryPaths(corpus, std::move(lengths), decay, task));
}

UnaryPaths::UnaryPaths(const Corpus& corpus, std::vector<std::uint32_t> lengths, double decay, const Task& task)
    : length_(std::move(lengths)) {
    const std::uint32_t longest = *std::ranges::max_element(length_);
    beyond_first_.assign(longest + 1, 0.0);
    double power = decay;
    for (std::uint32_t m = 2; m <= longest; ++m) beyond_first_[m] = beyond_first_[m - 1] + (power *= decay);
    rank(corpus, task);
    task.check();
    build_tree(corpus, decay);
}

// Prefix doubling: the first 2^(k+1) productions are the first 2^k, and the first 2^k of the node 2^k further down.
void UnaryPaths::rank(const Corpus& corpus, const Task& task) {
    const std::size_t count = corpus.node_count();
    const std::uint32_t longest = *std::ranges::max_element(length_);
    // Ranks start at 1; 0 is the rank of nothing. Leaves keep it.
    auto& first = ranks_.emplace_back(count, 0);
    auto& below = jumps_.emplace_back(count, kNone);
    for (Node u = 0; u < count; ++u) {
        if (length_[u] == 0) continue;
        first[u] = 1 + corpus.production(u);
        if (length_[u] > 1) below[u] = corpus.children(u)[0];
    }
    std::size_t most = corpus.production_count() + 1;
    for (std::uint32_t covered = 1; covered < longest; covered *= 2) {
        task.check();
        const auto& ranks = ranks_.back();
        const auto& jumps = jumps_.back();
        const auto second = [&](Node u) { return jumps[u] == kNone ? 0 : ranks[jumps[u]]; };
        // Sorted by the second half, then, keeping that order, by the first.
        const Grouping by_second = group(count, most, [&](std::size_t u) { return second(static_cast<Node>(u)); });
        const Grouping sorted = group(count, most, [&](std::size_t i) { return ranks[by_second.items[i]]; });
        std::vector<std::uint32_t> next_ranks(count, 0);
        std::vector<Node> next_jumps(count, kNone);
        std::uint32_t number = 0;
        Node last = kNone;
        for (std::uint32_t i : sorted.items) {
            const Node u = by_second.items[i];
            if (ranks[u] == 0) continue;
            if (last == kNone || ranks[u] != ranks[last] || second(u) != second(last)) ++number;
            next_ranks[u] = number;
            next_jumps[u] = jumps[u] == kNone ? kNone : jumps[jumps[u]];
            last = u;
        }
        most = number + 1;
        ranks_.push_back(std::move(next_ranks));
        jumps_.push_back(std::move(next_jumps));
    }
}

std::uint32_t UnaryPaths::agreement(Node a, Node b) const {
    std::uint32_t total = 0;
    for (std::size_t level = ranks_.size(); level-- > 0;) {
        const std::uint32_t step = std::uint32_t{1} << level;
        if (length_[a] < step || length_[b] < step || ranks_[level][a] != ranks_[level][b]) continue;
        total += step;
        a = jumps_[level][a];
        b = jumps_[level][b];
        if (a == kNone || b == kNone) break;
    }
    return total;
}

void UnaryPaths::build_tree(const Corpus& corpus, double decay) {
    const auto& order = ranks_.back();
    const std::size_t most = 1 + *std::ranges::max_element(order);
    const Grouping equal =
        group(corpus.node_count(), most, [&](std::size_t u) { return order[u] == 0 ? kNone : order[u]; });
    edge_of_.assign(corpus.node_count(), kNone);
    struct Open {
        std::uint32_t depth;
        std::vector<std::uint32_t> edges;  // closed edges that hang below
        std::vector<Node> nodes;           // whose way down ends here
    };
    std::vector<Open> open{{0, {}, {}}};
    const auto close = [&](std::uint32_t above) {
        const auto edge = static_cast<std::uint32_t>(edge_weight_.size());
        Open done = std::move(open.back());
        open.pop_back();
        // decay^(above + 1) + ... + decay^depth
        const double sum = decay + beyond_first_[done.depth - above];
        edge_weight_.push_back(integer_power(decay, above) * sum);
        edge_above_.push_back(kNone);
        for (std::uint32_t below : done.edges) edge_above_[below] = edge;
        for (Node node : done.nodes) edge_of_[node] = edge;
        if (open.back().depth < above) open.push_back({above, {}, {}});
        open.back().edges.push_back(edge);
    };
    Node last = kNone;
    for (std::size_t rank = 1; rank < most; ++rank) {
        const auto nodes = equal[rank];
        const std::uint32_t common = last == kNone ? 0 : agreement(last, nodes[0]);
        while (open.back().depth > common) close(std::max(common, open[open.size() - 2].depth));
        last = nodes[0];
        if (open.back().depth < length_[last]) open.push_back({length_[last], {}, {}});
        open.back().nodes.insert(open.back().nodes.end(), nodes.begin(), nodes.end());
    }
    while (open.size() > 1) close(open[open.size() - 2].depth);
}

}  // namespace treekernels
