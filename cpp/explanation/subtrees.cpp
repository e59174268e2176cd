#include "explanation/subtrees.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/trees/dag_translation.hpp"

namespace treekernels {

namespace {

constexpr std::size_t kCheckEvery = 4096;

Index index_of(std::uint32_t number) { return number == kNone ? -1 : static_cast<Index>(number); }

}  // namespace

Subtrees::Subtrees(const Dag& dag, const Task& task) {
    labels_.reserve(dag.size());
    productions_.reserve(dag.size());
    numbers_.reserve(dag.size());
    child_offsets_.reserve(dag.size() + 1);
    children_.reserve(dag.edge_count());
    for (Node node = 0; node < dag.size(); ++node) {
        if (node % kCheckEvery == 0) task.check();
        labels_.push_back(dag.label(node));
        productions_.push_back(index_of(dag.production(node)));
        numbers_.push_back(node);
        for (Node child : dag.children(node)) children_.push_back(child);
        child_offsets_.push_back(static_cast<Index>(children_.size()));
    }
}

Subtrees::Subtrees(const Dag& dag, std::span<const Node> roots, const Dag& known, const Task& task) {
    Reach reach(dag, &task);
    for (Node root : roots) reach.add(root);
    const bool same = &dag == &known;
    Translation translation(dag, known);
    for (Node node : reach.nodes()) {
        if (size() % kCheckEvery == 0) task.check();
        labels_.push_back(index_of(same ? dag.label(node) : translation.label(dag.label(node))));
        productions_.push_back(index_of(same ? dag.production(node) : translation.production(dag.production(node))));
        numbers_.push_back(index_of(same ? node : translation.node(node)));
        for (Node child : dag.children(node)) children_.push_back(reach.place(child));
        child_offsets_.push_back(static_cast<Index>(children_.size()));
    }
    for (Node root : roots) roots_.push_back(reach.place(root));
}

void spread_down(const Subtrees& subtrees, std::span<double> values, std::size_t width, const Task& task) {
    if (values.size() != subtrees.size() * width) throw std::invalid_argument("a row of values for each subtree");
    for (std::size_t subtree = subtrees.size(); subtree-- > 0;) {
        if (subtree % kCheckEvery == 0) task.check();
        const auto own = values.subspan(subtree * width, width);
        if (std::ranges::all_of(own, [](double value) { return value == 0.0; })) continue;
        for (Index child : subtrees.children(subtree))
            for (std::size_t column = 0; column < width; ++column) values[child * width + column] += own[column];
    }
}

std::vector<double> production_counts(const Subtrees& subtrees, const Task& task) {
    std::vector<double> counts(subtrees.size());
    for (std::size_t subtree = 0; subtree < counts.size(); ++subtree) {
        if (subtree % kCheckEvery == 0) task.check();
        const auto children = subtrees.children(subtree);
        if (!children.empty()) counts[subtree] = 1.0;
        for (Index child : children) counts[subtree] += counts[child];
    }
    return counts;
}

ProductionPlaces places_by_production(const Subtrees& subtrees) {
    Index count = 0;
    for (Index production : subtrees.productions()) count = std::max(count, production + 1);
    ProductionPlaces result{std::vector<Index>(count + 1), {}};
    for (Index production : subtrees.productions())
        if (production >= 0) ++result.offsets[production + 1];
    for (Index production = 0; production < count; ++production)
        result.offsets[production + 1] += result.offsets[production];
    std::vector<Index> next(result.offsets.begin(), result.offsets.end() - 1);
    result.places.resize(result.offsets.back());
    for (std::size_t subtree = 0; subtree < subtrees.size(); ++subtree)
        if (const Index production = subtrees.productions()[subtree]; production >= 0)
            result.places[next[production]++] = static_cast<Index>(subtree);
    return result;
}

std::vector<Index> count_roots_with(const Subtrees& subtrees, std::span<const Index> offsets,
                                    std::span<const Index> members, const Task& task) {
    constexpr std::size_t together = 64;  // a bit for each of so many sets
    if (offsets.empty() || offsets.front() != 0 || !std::ranges::is_sorted(offsets) ||
        offsets.back() != static_cast<Index>(members.size()))
        throw std::invalid_argument("the offsets do not fit");
    Index largest = -1;
    for (Index member : members) {
        if (member < 0) throw std::invalid_argument("no such subtree");
        largest = std::max(largest, member);
    }
    std::vector<Index> counts(offsets.size() - 1);
    std::vector<std::uint64_t> sets_with(largest + 1), sets_below(subtrees.size());
    for (std::size_t begin = 0; begin < counts.size(); begin += together) {
        const std::size_t end = std::min(begin + together, counts.size());
        std::ranges::fill(sets_with, 0);
        for (std::size_t set = begin; set < end; ++set)
            for (Index member : members.subspan(offsets[set], offsets[set + 1] - offsets[set]))
                sets_with[member] |= std::uint64_t{1} << (set - begin);
        for (std::size_t subtree = 0; subtree < subtrees.size(); ++subtree) {
            if (subtree % kCheckEvery == 0) task.check();
            const Index number = subtrees.numbers()[subtree];
            sets_below[subtree] = number >= 0 && number <= largest ? sets_with[number] : 0;
            for (Index child : subtrees.children(subtree)) sets_below[subtree] |= sets_below[child];
        }
        for (Index root : subtrees.roots())
            for (std::size_t set = begin; set < end; ++set) counts[set] += sets_below[root] >> (set - begin) & 1;
    }
    return counts;
}

}  // namespace treekernels
