#include "comparison.hpp"

#include <algorithm>

#include "failures.hpp"

namespace treekernels {

namespace {

constexpr std::uint64_t kLargestGrid = 1 << 16;
constexpr std::uint64_t kMostMatches = 1 << 26;  // about 4 GB

}  // namespace

void PlaceholderPairs::reset(std::uint32_t left_count, std::uint32_t right_count) {
    left_count_ = left_count;
    right_count_ = right_count;
    pairs_.clear();
    sparse_.clear();
    const std::uint64_t all = std::uint64_t{left_count} * right_count;
    grid_.assign(all <= kLargestGrid ? all : 0, kNone);
}

std::uint32_t PlaceholderPairs::number(std::uint32_t left, std::uint32_t right) {
    std::uint32_t& number = grid_.empty() ? sparse_.try_emplace(std::uint64_t{left} << 32 | right, kNone).first->second
                                          : grid_[std::size_t{left} * right_count_ + right];
    if (number == kNone) {
        number = static_cast<std::uint32_t>(pairs_.size());
        pairs_.push_back({left, right});
    }
    return number;
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

// Appends the pairs of a production. False, and nothing, when they contradict each other.
bool SideMatches::add_pairs(std::span<const std::uint32_t> left, std::span<const std::uint32_t> right,
                            PlaceholderPairs& numbers) {
    bool agree = true;
    std::size_t known = 0;
    for (; known < left.size() && agree; ++known) {
        std::uint32_t& to = partner_of_left_[left[known]];
        std::uint32_t& from = partner_of_right_[right[known]];
        agree = to == kNone ? from == kNone : to == right[known];
        if (!agree) break;
        to = right[known];
        from = left[known];
    }
    for (std::size_t slot = 0; slot < known; ++slot) {
        if (partner_of_left_[left[slot]] == kNone) continue;
        partner_of_left_[left[slot]] = partner_of_right_[right[slot]] = kNone;
        if (agree) pairs_.push_back(numbers.number(left[slot], right[slot]));
    }
    return agree;
}

void SideMatches::clear(const PlaceholderPairs& numbers) {
    matches_.clear();
    number_.clear();
    pairs_.clear();
    children_.clear();
    if (partner_of_left_.size() < numbers.left_count()) partner_of_left_.resize(numbers.left_count(), kNone);
    if (partner_of_right_.size() < numbers.right_count()) partner_of_right_.resize(numbers.right_count(), kNone);
}

void SideMatches::find(const AnchoredTrees& trees, std::size_t a, std::size_t b, PlaceholderPairs& numbers,
                       const Task& task) {
    const KeyedTrees& keyed = trees.keyed();
    const auto& below = keyed.bottom_up();
    const auto& above = keyed.sorted();
    equal_keys_.merge(keyed, a, b);
    clear(numbers);
    for (const std::uint32_t u : equal_keys_.matched()) {
        task.check();
        KeyMatches::Matches& equal = equal_keys_[u];
        equal.place = number_.size();
        if (number_.size() + equal.count > kMostMatches)
            throw TooLarge(
                "two trees have more than 67,108,864 pairs of nodes with equal productions: cut them smaller");
        for (std::uint32_t v = equal.begin; v < equal.begin + equal.count; ++v) {
            const std::uint64_t first_pair = pairs_.size();
            const auto slots = trees.bottom_up_slots(a, u);
            if (!slots.empty() && !add_pairs(slots, trees.sorted_slots(b, v), numbers)) {
                number_.push_back(kNone);
                continue;
            }
            const std::uint64_t first_child = children_.size();
            const auto u_children = keyed.children(below, a, u), v_children = keyed.children(above, b, v);
            for (std::size_t child = 0; child < u_children.size(); ++child) {
                const std::uint64_t place = equal_keys_.find(u_children[child], v_children[child]);
                if (place != KeyMatches::kNowhere && number_[place] != kNone) children_.push_back(number_[place]);
            }
            number_.push_back(static_cast<std::uint32_t>(matches_.size()));
            matches_.push_back({first_pair, pairs_.size(), first_child, children_.size(),
                                below.count[keyed.begin(a) + u] * above.count[keyed.begin(b) + v]});
        }
    }
}

// What lies above: there, fragments can reach down to a placeholder. A parent with one of its own is a seed.
void SideMatches::add_above(const AnchoredTrees& trees, std::size_t a, std::size_t b, const Task& task) {
    const auto *x = trees.view(a).around, *y = trees.view(b).around;
    for (std::size_t next = 0; next < nodes_.pairs().size(); ++next) {
        if (next % 256 == 255) task.check();
        const auto [u, v] = nodes_.pairs()[next];
        const std::uint64_t u_way = x[u].way_up, v_way = y[v].way_up;
        if (u_way == AnchoredTrees::kNoWayUp || v_way == AnchoredTrees::kNoWayUp) continue;
        const bool many = u_way == AnchoredTrees::kManyWaysUp || v_way == AnchoredTrees::kManyWaysUp;
        if (u_way != v_way && !many) continue;
        for (const auto& up : trees.parents(a, u))
            for (const auto& vp : trees.parents(b, v))
                if (up.position == vp.position && trees.key(a, up.local) == trees.key(b, vp.local) &&
                    trees.bottom_up_slots(a, up.local).empty())
                    nodes_.insert({up.local, vp.local});
    }
}

void SideMatches::find_anchored(const AnchoredTrees& trees, std::size_t a, std::size_t b,
                                std::span<const NodePair> seeds, PlaceholderPairs& numbers, const Task& task) {
    clear(numbers);
    if (seeds.empty()) return;
    nodes_.assign(seeds);
    add_above(trees, a, b, task);
    // What lies below: a fragment may go on there.
    const AnchoredTrees::View x = trees.view(a), y = trees.view(b);
    const auto each_common_child = [&](NodePair pair, auto visit) {
        if ((x.around[pair.u].below & y.around[pair.v].below) == 0) return;
        const std::uint64_t end = x.edge_offset[pair.u + 1];
        std::uint64_t other = y.edge_offset[pair.v];
        for (std::uint64_t edge = x.edge_offset[pair.u]; edge < end; ++edge, ++other)
            if (x.child_key[edge] == y.child_key[other] && x.child_key[edge] != kNone)
                visit(NodePair{x.child[edge], y.child[other]});
    };
    auto& pairs = nodes_.pairs();
    bool apart = true;  // no two of them hang together
    for (std::size_t next = 0; next < pairs.size(); ++next) {
        if (next % 256 == 255) task.check();
        each_common_child(pairs[next], [&](NodePair below) {
            nodes_.insert(below);
            apart = false;
        });
    }
    if (pairs.size() > seeds.size()) std::ranges::sort(pairs);
    for (std::size_t next = 0; next < pairs.size(); ++next) {
        if (next % 256 == 255) task.check();
        const NodePair pair = pairs[next];
        const std::uint64_t first_pair = pairs_.size();
        const auto slots = x.slots(pair.u);
        if (!slots.empty() && !add_pairs(slots, y.slots(pair.v), numbers)) {
            number_.push_back(kNone);
            continue;
        }
        const std::uint64_t first_child = children_.size();
        if (!apart)
            each_common_child(pair, [&](NodePair below) {
                const auto found =
                    std::lower_bound(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(next), below);
                const std::uint32_t number = number_[static_cast<std::size_t>(found - pairs.begin())];
                if (number != kNone) children_.push_back(number);
            });
        number_.push_back(static_cast<std::uint32_t>(matches_.size()));
        matches_.push_back(
            {first_pair, pairs_.size(), first_child, children_.size(), x.count[pair.u] * y.count[pair.v]});
    }
}

}  // namespace treekernels
