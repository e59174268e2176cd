#include "corpus.hpp"

#include <algorithm>

namespace treekernels {

Corpus::Corpus(const Dag& dag, std::span<const Node> columns, std::span<const Node> rows, unsigned threads,
               const Task& task)
    : label_count_(dag.label_count()), production_count_(dag.production_count()) {
    Reach reach(dag, &task);
    // What is not used of this is never touched.
    label_.reserve(dag.size());
    production_.reserve(dag.size());
    child_offset_.reserve(dag.size() + 1);
    children_.reserve(dag.edge_count());
    for (const auto roots : {columns, rows}) {
        for (Node root : roots) {
            reach.add(root);
            for (std::size_t node = label_.size(); node < reach.nodes().size(); ++node) {
                const Node original = reach.nodes()[node];
                label_.push_back(dag.label(original));
                production_.push_back(dag.production(original));
                for (Node child : dag.children(original)) children_.push_back(reach.place(child));
                child_offset_.push_back(children_.size());
            }
            root_.push_back(reach.place(root));
            limit_.push_back(static_cast<Node>(label_.size()));
        }
    }
    const std::size_t half = threads < 2 ? tree_count() : tree_count() / 2;
    Counts first, second;
    both(threads, [&] { first = count_trees(0, half, task); }, [&] { second = count_trees(half, tree_count(), task); });
    append(std::move(first));
    append(std::move(second));
}

Corpus::Corpus(const Corpus& whole, std::size_t tree, const Task& task)
    : label_count_(whole.label_count_), production_count_(whole.production_count_) {
    const auto nodes = whole.nodes(tree);
    for (Node node : nodes) {
        label_.push_back(whole.label(node));
        production_.push_back(whole.production(node));
        for (Node child : whole.children(node))
            children_.push_back(static_cast<Node>(std::ranges::lower_bound(nodes, child) - nodes.begin()));
        child_offset_.push_back(children_.size());
    }
    root_.push_back(static_cast<Node>(nodes.size() - 1));
    limit_.push_back(static_cast<Node>(nodes.size()));
    append(count_trees(0, 1, task));
}

void Corpus::cut(const std::vector<bool>& marked) {
    std::vector<Node> kept;
    std::vector<std::uint64_t> offset{0};
    for (Node node = 0; node < node_count(); ++node) {
        if (marked[node])
            production_[node] = kNone;
        else
            kept.insert(kept.end(), children(node).begin(), children(node).end());
        offset.push_back(kept.size());
    }
    children_ = std::move(kept);
    child_offset_ = std::move(offset);
}

Corpus::Counts Corpus::count_trees(std::size_t first, std::size_t last, const Task& task) const {
    Counts part;
    if (first == last) return part;
    struct Seen {
        std::uint32_t tree = kNone;  // the last one that met the node
        std::uint32_t place = 0;     // in that tree
    };
    std::vector<Seen> seen(limit_[last - 1]);
    auto& met = part.nodes;
    for (std::size_t tree = first; tree < last; ++tree) {
        task.check();
        const std::size_t begin = met.size();
        const Node first_new = limit_[tree], end_new = limit_[tree + 1];
        // What is new in this tree is all of it, in order. The rest is found below that, or below the root.
        const auto meet = [&](Node node) {
            if (node >= first_new || seen[node].tree == tree) return;
            seen[node].tree = static_cast<std::uint32_t>(tree);
            met.push_back(node);
        };
        meet(root_[tree]);
        for (Node node = first_new; node < end_new; ++node)
            for (Node child : children(node)) meet(child);
        for (std::size_t next = begin; next < met.size(); ++next)
            for (Node child : children(met[next])) meet(child);
        std::sort(met.begin() + static_cast<std::ptrdiff_t>(begin), met.end());
        const auto old = static_cast<std::uint32_t>(met.size() - begin);
        for (std::uint32_t place = 0; place < old; ++place) seen[met[begin + place]].place = place;
        for (Node node = first_new; node < end_new; ++node) met.push_back(node);
        const auto place_of = [&](Node node) {
            return node >= first_new ? old + (node - first_new) : seen[node].place;
        };
        // Parents have larger numbers: going down, a node's count is complete before it is handed on.
        part.counts.resize(met.size(), 0.0);
        double* counts = part.counts.data() + begin;
        counts[place_of(root_[tree])] = 1.0;
        for (std::size_t place = met.size() - begin; place-- > 0;)
            for (Node child : children(met[begin + place])) counts[place_of(child)] += counts[place];
        part.ends.push_back(met.size());
    }
    return part;
}

void Corpus::append(Counts part) {
    const std::size_t before = tree_nodes_.size();
    for (std::uint64_t end : part.ends) tree_offset_.push_back(before + end);
    if (before == 0) {
        tree_nodes_ = std::move(part.nodes);
        tree_counts_ = std::move(part.counts);
        return;
    }
    tree_nodes_.insert(tree_nodes_.end(), part.nodes.begin(), part.nodes.end());
    tree_counts_.insert(tree_counts_.end(), part.counts.begin(), part.counts.end());
}

}  // namespace treekernels
