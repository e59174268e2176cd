#include "structures/rewrite.hpp"

#include "core/errors.hpp"

namespace treekernels {

namespace {

class Rewriter {
public:
    Rewriter(const Dag& from, const Rewriting& rewriting, Dag& to, const Task& task)
        : from_(from), rewriting_(rewriting), to_(to), task_(task), reach_(from, &task) {}

    Node root(Node node) {
        reach_.add(node);
        while (states_.size() < reach_.nodes().size()) {
            if (states_.size() % 4096 == 0) task_.check();
            states_.push_back(state_of(reach_.nodes()[states_.size()]));
        }
        const State& state = states_[reach_.place(node)];
        if (state.length == 1) return state.node;
        if (state.length == 0) return to_.intern_node(rewriting_.empty, {});
        return built(node, to_.intern_label(from_.label_text(from_.label(node))));
    }

private:
    // What stands in the place of a node: nothing, one node of the new DAG, or what stands for the children of
    // `spliced`. Long runs of spliced nodes are never copied from one to the next: that would take quadratic time.
    struct State {
        std::uint64_t length;
        Node node = kNone;
        Node spliced = kNone;
    };

    const State& state(Node node) const { return states_[reach_.place(node)]; }

    State state_of(Node node) {
        const bool leaf = from_.is_leaf(node);
        const Label label = (leaf ? rewriting_.leaf : rewriting_.inner)[from_.label(node)];
        if (label == kDrop || (leaf && label == kSplice)) return {0};
        if (leaf) return {1, to_.intern_node(label, {})};
        std::uint64_t length = 0;
        std::size_t filled = 0;
        Node last = kNone;
        for (Node child : from_.children(node)) {
            const std::uint64_t more = state(child).length;
            if (more == 0) continue;
            length = length + more < length ? ~0ULL : length + more;
            last = child;
            ++filled;
        }
        if (length == 0 && (label == kSplice || rewriting_.drop_emptied)) return {0};
        if (label != kSplice) return {1, built(node, label)};
        if (filled == 1) return state(last);
        return {length, kNone, node};
    }

    Node built(Node node, Label label) {
        children_.clear();
        open_.assign(1, {node, 0});
        while (!open_.empty()) {
            auto& [parent, next] = open_.back();
            const auto old = from_.children(parent);
            if (next == old.size()) {
                open_.pop_back();
                continue;
            }
            const State& child = state(old[next++]);
            if (child.length == 1) {
                if (children_.size() >= kMostChildren) throw TooLarge("a node would have more children than fit");
                if (children_.size() % 4096 == 0) task_.check();
                children_.push_back(child.node);
            } else if (child.length > 1) {
                if (child.length > kMostChildren) throw TooLarge("a node would have more children than fit");
                open_.emplace_back(child.spliced, 0);
            }
        }
        return to_.intern_node(label, children_);
    }

    static constexpr std::uint64_t kMostChildren = kNone - 1;

    const Dag& from_;
    const Rewriting& rewriting_;
    Dag& to_;
    const Task& task_;
    Reach reach_;
    std::vector<State> states_;
    std::vector<Node> children_;
    std::vector<std::pair<Node, std::size_t>> open_;
};

}  // namespace

std::vector<Node> rewrite(const Dag& from, std::span<const Node> roots, const Rewriting& rewriting, Dag& to,
                          Task& task) {
    Rewriter rewriter(from, rewriting, to, task);
    std::vector<Node> result;
    result.reserve(roots.size());
    for (Node root : roots) result.push_back(rewriter.root(root));
    return result;
}

}  // namespace treekernels
