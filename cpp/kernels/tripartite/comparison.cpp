#include "kernels/tripartite/comparison.hpp"

#include <algorithm>

#include "core/errors.hpp"

namespace treekernels {

namespace {

constexpr std::uint64_t kLargestGrid = 1 << 16;
constexpr std::uint64_t kMostMatches = 1 << 26;  // about 4 GB

}  // namespace

void PlaceholderPairs::reset(std::uint32_t left_count, std::uint32_t right_count) {
    left_count_ = left_count;
    right_count_ = right_count;
    pairs_.clear();
    if (!sparse_.empty()) sparse_.clear();
    const std::uint64_t all = std::uint64_t{left_count} * right_count;
    grid_.assign(all <= kLargestGrid ? all : 0, kNone);
}

void NodePairs::insert(NodePair pair) {
    constexpr std::size_t kFew = 16;
    const auto code = [](NodePair p) { return std::uint64_t{p.u} << 32 | p.v; };
    if (pairs_.size() < kFew) {
        if (std::ranges::find(pairs_, pair) != pairs_.end()) return;
    } else {
        if (known_.empty())
            for (NodePair known : pairs_) known_.insert(code(known));
        if (!known_.insert(code(pair)).second) return;
    }
    pairs_.push_back(pair);
}

void SideMatches::clear() {
    matches_.clear();
    pairs_.clear();
    children_.clear();
}

void SideMatches::find(const AnchoredTrees& trees, std::size_t a, std::size_t b, PlaceholderPairs& numbers,
                       const Task& task) {
    const KeyedTrees& keyed = trees.keyed();
    const auto& below = keyed.bottom_up();
    const auto& above = keyed.sorted();
    equal_keys_.merge(keyed, a, b);
    clear();
    for (const std::uint32_t u : equal_keys_.matched()) {
        task.check();
        KeyMatches::Matches& equal = equal_keys_[u];
        equal.place = matches_.size();
        if (matches_.size() + equal.count > kMostMatches)
            throw TooLarge(
                "two trees have more than 67,108,864 pairs of nodes with equal productions: cut them smaller");
        for (std::uint32_t v = equal.begin; v < equal.begin + equal.count; ++v) {
            const std::uint64_t first_pair = pairs_.size();
            add_pairs(trees.slots(a, u), trees.slots(b, keyed.from_sorted(b)[v]), numbers);
            const std::uint64_t first_child = children_.size();
            const auto u_children = keyed.children(below, a, u), v_children = keyed.children(above, b, v);
            for (std::size_t child = 0; child < u_children.size(); ++child) {
                const std::uint64_t place = equal_keys_.find(u_children[child], v_children[child]);
                if (place != KeyMatches::kNowhere) children_.push_back(static_cast<std::uint32_t>(place));
            }
            matches_.push_back({first_pair, pairs_.size(), first_child, children_.size(),
                                below.count[keyed.begin(a) + u] * above.count[keyed.begin(b) + v]});
        }
    }
}

void SideMatches::take_simple(std::span<const Seed> seeds, double decay, PlaceholderPairs& numbers) {
    clear();
    for (const Seed& seed : seeds) {
        const std::uint64_t first_pair = pairs_.size();
        for (std::size_t i = 0; i < seed.pair_count; ++i) pairs_.push_back(numbers.number(seed.left[i], seed.right[i]));
        matches_.push_back({first_pair, pairs_.size(), 0, 0, seed.value / decay * seed.count});
    }
}

// What lies above: there, fragments can reach down to a placeholder. A parent with one of its own is a seed.
void SideMatches::add_above(const AnchoredTrees& trees, std::size_t a, std::size_t b, const Task& task) {
    const auto *x = trees.view(a).places, *y = trees.view(b).places;
    for (std::size_t next = 0; next < nodes_.pairs().size(); ++next) {
        if (next % 256 == 255) task.check();
        const auto [u, v] = nodes_.pairs()[next];
        if (!may_go_up(x[u], y[v])) continue;
        for (const auto& up : trees.parents(a, u))
            for (const auto& vp : trees.parents(b, v))
                if (up.position == vp.position && trees.key(a, up.local) == trees.key(b, vp.local) &&
                    trees.slots(a, up.local).empty())
                    nodes_.insert({up.local, vp.local});
    }
}

void SideMatches::find_anchored(const AnchoredTrees& trees, std::size_t a, std::size_t b, std::span<const Seed> seeds,
                                PlaceholderPairs& numbers, const Task& task) {
    clear();
    if (seeds.empty()) return;
    const AnchoredTrees::View x = trees.view(a), y = trees.view(b);
    nodes_.assign(seeds);
    add_above(trees, a, b, task);
    // What lies below: a fragment may go on there.
    auto& pairs = nodes_.pairs();
    for (std::size_t next = 0; next < pairs.size(); ++next) {
        if (next % 256 == 255) task.check();
        each_common_child(x, x.places[pairs[next].u], y.places[pairs[next].v], [&](NodePair below) {
            nodes_.insert(below);
            return true;
        });
    }
    if (pairs.size() > seeds.size()) std::ranges::sort(pairs);
    for (std::size_t next = 0; next < pairs.size(); ++next) {
        if (next % 256 == 255) task.check();
        const NodePair pair = pairs[next];
        const std::uint64_t first_pair = pairs_.size();
        const AnchoredTrees::Place &u = x.places[pair.u], &v = y.places[pair.v];
        add_pairs(x.slots(u), y.slots(v), numbers);
        const std::uint64_t first_child = children_.size();
        each_common_child(x, u, v, [&](NodePair below) {
            const auto found =
                std::lower_bound(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(next), below);
            children_.push_back(static_cast<std::uint32_t>(found - pairs.begin()));
            return true;
        });
        matches_.push_back({first_pair, pairs_.size(), first_child, children_.size(), u.count * v.count});
    }
}

}  // namespace treekernels
