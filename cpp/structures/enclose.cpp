#include "structures/enclose.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/trees/dag_copier.hpp"
#include "structures/outline.hpp"

namespace treekernels {

namespace {

// The tree of the choice at hand, spread out, and what of it has been built in the new DAG.
class Bench {
public:
    Bench(const Dag& from, std::span<const Node> roots, Dag& to, const Task& task)
        : from_(from), roots_(roots), to_(to), task_(task), copier_(from, to, task) {}

    const Outline& outline() const { return outline_; }

    // The chosen nodes by their numbers in the outline.
    std::span<const std::uint32_t> chosen(const Choices& choices, std::size_t choice) {
        lay_out(choices.tree[choice]);
        chosen_.assign(choices.of(choice).begin(), choices.of(choice).end());
        const std::size_t count = choices.words ? leaves_.size() : outline_.size();
        for (std::uint32_t& number : chosen_) {
            if (number >= count)
                throw std::invalid_argument(std::string("there is no ") + (choices.words ? "word " : "node ") +
                                            std::to_string(number) + " in a tree of " + std::to_string(count));
            if (choices.words) number = leaves_[number];
        }
        return chosen_;
    }

    // The lowest node above all chosen ones, or one of them.
    std::uint32_t ancestor(std::span<const std::uint32_t> chosen) const {
        const auto [first, last] = std::ranges::minmax(chosen);
        std::uint32_t number = first;
        while (last >= outline_.stop[number]) number = outline_.parent[number];
        return number;
    }

    // A node that is to be built is first touched; kWhole and kPart tell how.
    static constexpr Node kWhole = kNone - 1;
    static constexpr Node kPart = kNone - 2;
    bool touch(std::uint32_t number, Node how) {
        const bool first = built_[number] == kNone;
        if (first) touched_.push_back(number);
        if (first || how == kWhole) built_[number] = how;
        return first;
    }

    // Builds the touched nodes, and gives the one with the smallest number. A part has those of its children that
    // were touched or, with `all_children`, the others unchanged besides. `label_of` gives labels of the new DAG.
    template <class LabelOf>
    Node build(bool all_children, LabelOf label_of) {
        std::ranges::sort(touched_, std::greater{});
        for (std::uint32_t number : touched_) {
            if (built_[number] == kWhole) {
                built_[number] = copier_.copy(outline_.node[number]);
                continue;
            }
            children_.clear();
            for (std::uint32_t child = number + 1; child < outline_.stop[number]; child = outline_.stop[child]) {
                if (built_[child] != kNone)
                    children_.push_back(built_[child]);
                else if (all_children)
                    children_.push_back(copier_.copy(outline_.node[child]));
            }
            built_[number] = to_.intern_node(label_of(number), children_);
        }
        const Node result = built_[touched_.back()];
        for (std::uint32_t number : touched_) built_[number] = kNone;
        touched_.clear();
        return result;
    }

    Label label(std::uint32_t number) { return copier_.label(from_.label(outline_.node[number])); }
    Node whole(std::uint32_t number) { return copier_.copy(outline_.node[number]); }

private:
    void lay_out(std::uint32_t tree) {
        if (tree == tree_) return;
        if (tree >= roots_.size()) throw std::invalid_argument("there is no such tree in the forest");
        outline_.fill(from_, roots_[tree], task_);
        tree_ = tree;
        built_.assign(outline_.size(), kNone);
        leaves_.clear();
        for (std::uint32_t number = 0; number < outline_.size(); ++number)
            if (from_.is_leaf(outline_.node[number])) leaves_.push_back(number);
    }

    const Dag& from_;
    std::span<const Node> roots_;
    Dag& to_;
    const Task& task_;
    Copier copier_;
    Outline outline_;
    std::uint32_t tree_ = kNone;
    std::vector<std::uint32_t> leaves_;
    std::vector<std::uint32_t> chosen_;
    std::vector<Node> built_;
    std::vector<std::uint32_t> touched_;
    std::vector<Node> children_;
};

void touch_paths(Bench& bench, std::span<const std::uint32_t> chosen, std::uint32_t top) {
    const Outline& outline = bench.outline();
    for (std::uint32_t number : chosen) {
        bench.touch(number, Bench::kWhole);
        while (number != top) {
            number = outline.parent[number];
            if (!bench.touch(number, Bench::kPart)) break;
        }
    }
}

void touch_between(Bench& bench, std::span<const std::uint32_t> chosen, std::uint32_t top) {
    const Outline& outline = bench.outline();
    std::uint32_t begin = kNone, end = 0;
    for (std::uint32_t number : chosen) {
        begin = std::min(begin, outline.begin[number]);
        end = std::max(end, outline.end[number]);
    }
    for (std::uint32_t number = top; number < outline.stop[top];) {
        const bool inside = outline.begin[number] >= begin && outline.end[number] <= end;
        const bool outside = outline.end[number] <= begin || outline.begin[number] >= end;
        if (!outside) bench.touch(number, inside ? Bench::kWhole : Bench::kPart);
        number = inside || outside ? outline.stop[number] : number + 1;
    }
}

}  // namespace

std::vector<Node> enclose(const Dag& from, std::span<const Node> roots, const Choices& choices, Keep keep, Dag& to,
                          Task& task) {
    check_outlines(from, roots);
    Bench bench(from, roots, to, task);
    std::vector<Node> result;
    result.reserve(choices.size());
    for (std::size_t choice = 0; choice < choices.size(); ++choice) {
        task.check();
        const auto chosen = bench.chosen(choices, choice);
        if (chosen.empty()) throw std::invalid_argument("no node was chosen");
        const std::uint32_t top = bench.ancestor(chosen);
        if (keep == Keep::all) {
            result.push_back(bench.whole(top));
        } else {
            keep == Keep::paths ? touch_paths(bench, chosen, top) : touch_between(bench, chosen, top);
            result.push_back(bench.build(false, [&](std::uint32_t number) { return bench.label(number); }));
        }
    }
    return result;
}

std::vector<Node> mark(const Dag& from, std::span<const Node> roots, const Choices& choices, std::string_view suffix,
                       Dag& to, Task& task) {
    check_outlines(from, roots);
    Bench bench(from, roots, to, task);
    std::vector<Node> result;
    result.reserve(choices.size());
    std::vector<std::uint32_t> marked;
    for (std::size_t choice = 0; choice < choices.size(); ++choice) {
        task.check();
        const auto chosen = bench.chosen(choices, choice);
        if (chosen.empty()) {
            result.push_back(bench.whole(0));
            continue;
        }
        marked.assign(chosen.begin(), chosen.end());
        std::ranges::sort(marked);
        for (std::uint32_t number : marked)
            for (std::uint32_t above = number; above != kNone && bench.touch(above, Bench::kPart);)
                above = bench.outline().parent[above];
        const auto label_of = [&](std::uint32_t number) {
            if (!std::ranges::binary_search(marked, number)) return bench.label(number);
            const Node node = bench.outline().node[number];
            return to.intern_label(std::string(from.label_text(from.label(node))).append(suffix));
        };
        result.push_back(bench.build(true, label_of));
    }
    return result;
}

}  // namespace treekernels
