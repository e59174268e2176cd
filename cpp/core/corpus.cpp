#include "core/corpus.hpp"

#include <algorithm>

namespace treekernels {

Corpus::Corpus(const Dag& dag, std::span<const Node> columns, std::span<const Node> rows, unsigned threads,
               const Task& task, CountDamping damping)
    : label_count_(dag.label_count()), production_count_(dag.production_count()), damping_(damping) {
    std::vector<Node> roots(columns.begin(), columns.end());
    roots.insert(roots.end(), rows.begin(), rows.end());
    // What is not used of this is never touched. Nothing of it may move, since it is read while it grows.
    label_.reserve(dag.size());
    production_.reserve(dag.size());
    child_offset_.reserve(dag.size() + 1);
    children_.reserve(dag.edge_count());
    root_.reserve(roots.size());
    limit_.reserve(roots.size() + 1);

    const std::size_t block_count = threads < 2 ? 1 : std::min<std::size_t>(roots.size(), 16);
    const auto first_of = [&](std::size_t block) { return roots.size() * block / block_count; };
    std::vector<Counts> counts(block_count);
    Counter blocks(block_count);
    Milestones numbered;
    const auto count = [&] {
        std::vector<Seen> seen;
        for (std::size_t block; blocks.take(block) && numbered.await(block);)
            counts[block] = count_trees(first_of(block), first_of(block + 1), seen, task);
    };
    const auto number_and_count = [&] {
        try {
            Reach reach(dag, &task);
            for (std::size_t block = 0; block < block_count; ++block) {
                for (std::size_t tree = first_of(block); tree < first_of(block + 1); ++tree)
                    number(dag, roots[tree], reach);
                numbered.pass(block);
            }
        } catch (...) {
            numbered.give_up();
            throw;
        }
        count();
    };
    run_both(threads, number_and_count, count);
    keep(std::move(counts));
}

void Corpus::number(const Dag& dag, Node root, Reach& reach) {
    reach.add(root);
    append(dag, reach);
    root_.push_back(reach.place(root));
    limit_.push_back(static_cast<Node>(label_.size()));
}

// What is reached and has no number yet.
void Corpus::append(const Dag& dag, const Reach& reach) {
    for (std::size_t node = label_.size(); node < reach.nodes().size(); ++node) {
        const Node original = reach.nodes()[node];
        label_.push_back(dag.label(original));
        production_.push_back(dag.production(original));
        for (Node child : dag.children(original)) {
            TREEKERNELS_ASSERT(reach.place(child) < node);  // children come before parents
            children_.push_back(reach.place(child));
        }
        child_offset_.push_back(children_.size());
    }
}

Corpus::Corpus(const Dag& dag, std::span<const Node> subtrees, std::span<const double> weights,
               std::span<const Node> rows, const Task& task, CountDamping damping)
    : label_count_(dag.label_count()), production_count_(dag.production_count()), damping_(damping) {
    TREEKERNELS_ASSERT(!subtrees.empty() && weights.size() % subtrees.size() == 0);
    const std::size_t columns = weights.size() / subtrees.size();
    Reach reach(dag, &task);
    for (Node subtree : subtrees) reach.add(subtree);
    append(dag, reach);
    std::vector<Counts> counts(1);
    const std::size_t size = label_.size();
    for (std::size_t column = 0; column < columns; ++column) {
        root_.push_back(reach.place(subtrees.back()));
        limit_.push_back(static_cast<Node>(size));
        for (Node node = 0; node < size; ++node) counts[0].nodes.push_back(node);
        counts[0].counts.resize((column + 1) * size, 0.0);
        for (std::size_t i = 0; i < subtrees.size(); ++i)
            counts[0].counts[column * size + reach.place(subtrees[i])] = weights[i * columns + column];
        counts[0].ends.push_back(counts[0].nodes.size());
    }
    for (Node root : rows) number(dag, root, reach);
    std::vector<Seen> seen;
    counts.push_back(count_trees(columns, columns + rows.size(), seen, task));
    keep(std::move(counts));
}

Corpus::Corpus(const Corpus& whole, std::size_t tree, const Task& task)
    : label_count_(whole.label_count_), production_count_(whole.production_count_), damping_(whole.damping_) {
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
    std::vector<Seen> seen;
    std::vector<Counts> counts;
    counts.push_back(count_trees(0, 1, seen, task));
    keep(std::move(counts));
}

void Corpus::cut(const std::vector<bool>& marked) {
    TREEKERNELS_ASSERT(marked.size() == node_count());
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

Corpus::Counts Corpus::count_trees(std::size_t first, std::size_t last, std::vector<Seen>& seen,
                                   const Task& task) const {
    Counts part;
    if (first < last) seen.resize(std::max<std::size_t>(seen.size(), limit_[last - 1]));
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
        damp(std::span(part.counts).subspan(begin), damping_);
        part.ends.push_back(met.size());
    }
    return part;
}

void Corpus::keep(std::vector<Counts> counts) {
    counts_ = std::move(counts);
    for (const Counts& part : counts_) {
        std::uint64_t begin = 0;
        for (std::uint64_t end : part.ends) {
            tree_.push_back({part.nodes.data() + begin, part.counts.data() + begin, end - begin});
            begin = end;
        }
        total_nodes_ += part.nodes.size();
    }
}

}  // namespace treekernels
