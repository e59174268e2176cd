// Finds C of the subtrees of one tree with all subtrees of a subset-tree model.
#pragma once

#include <memory>
#include <vector>

#include "core/assert.hpp"
#include "core/tasks.hpp"
#include "core/tree_nodes.hpp"
#include "gram/production_factors.hpp"
#include "kernels/subset/groups.hpp"
#include "kernels/subset/row.hpp"

namespace treekernels {

// `ProductionOf` gives the model's number of the production of a node; kNone for a leaf or what the model lacks. Decays
// are by these numbers. Rows
// that are kept for later trees are `Stored` as double, or as float where the last digits do not matter.
template <class Stored, class ProductionOf>
class SubsetMatcher {
public:
    SubsetMatcher(const SubsetGroups& groups, const ProductionFactors& decays, std::size_t bytes,
                  ProductionOf production_of)
        : groups_(groups), decays_(decays), bytes_(bytes), production_of_(production_of) {}

    // Forgets what it kept: the groups have changed.
    void forget() {
        for (Node node : kept_) packed_[node].reset();
        kept_.clear();
        kept_bytes_ = 0;
    }

    // Calls use(i, production, ranks, count, value) for each node i of the tree that is wanted(i), in ascending order,
    // if anything is raised there: the first `count` of `ranks` have C = value(rank place).
    template <class Wanted, class Use>
    void visit(const TreeNodes& tree, Wanted wanted, Use use, const Task& task) {
        const Dag& dag = tree.dag();
        const auto nodes = tree.nodes();
        if (row_of_.empty()) {
            row_of_.resize(dag.size());
            packed_.resize(dag.size());
            uses_.resize(dag.size(), 0);
        }
        TREEKERNELS_ASSERT(row_of_.size() == dag.size());  // always the same, which does not grow
        wanted_.assign(nodes.size(), false);
        for (std::size_t i = nodes.size(); i-- > 0;) {
            const Node u = nodes[i];
            if (production_of_(u) == kNone) continue;
            wanted_[i] = wanted(i);
            if ((wanted_[i] || uses_[u] > 0) && !packed_[u])
                for (Node child : dag.children(u)) ++uses_[child];
        }
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const Node u = nodes[i];
            const Production p = production_of_(u);
            if (p == kNone || !(wanted_[i] || uses_[u] > 0)) {
                continue;
            }
            task.check();
            const bool was_packed = packed_[u] != nullptr;
            if (!was_packed) {
                raise(dag, u, p);
                keep(u);
            }
            if (wanted_[i]) {
                if (packed_[u])
                    use(i, p, packed_[u]->ranks.data(), packed_[u]->ranks.size(),
                        [&values = packed_[u]->values](std::size_t at, std::uint32_t) { return double(values[at]); });
                else if (row_of_[u])
                    use(i, p, row_of_[u]->raised.data(), row_of_[u]->raised_count,
                        [&values = row_of_[u]->values](std::size_t, std::uint32_t rank) { return values[rank]; });
            }
            if (uses_[u] == 0 && row_of_[u]) release(u, p);
            if (!was_packed)
                for (Node child : dag.children(u)) let_go(child);
        }
        // What no production of the model needed.
        for (Node node : nodes) {
            uses_[node] = 0;
            if (row_of_[node]) release(node, production_of_(node));
        }
        for (Node node : short_of_memory_) packed_[node].reset();
        short_of_memory_.clear();
    }

private:
    using Row = SubsetRow<double>;
    using Packed = PackedRow<Stored>;
    static constexpr auto kIgnore = [](std::uint32_t, double) {};
    // Rows of this many bytes are held before they are packed.
    static constexpr std::size_t kRowBudget = std::size_t{128} << 20;

    void raise(const Dag& dag, Node u, Production p) {
        const auto children = dag.children(u);
        const double decay = decays_[p];
        for (std::uint32_t c = 0; c < children.size(); ++c) {
            const Node x = children[c];
            const Production q = production_of_(x);
            if (q == kNone) continue;
            const auto bucket = groups_.bucket(p, c, q);
            if (bucket.empty()) continue;
            if (!row_of_[u]) row_of_[u] = pool_.acquire(p, groups_.group_size(p), decay);
            const double child_decay = decays_[q];
            const bool unpacked = !row_of_[x] && packed_[x];
            if (unpacked) row_of_[x] = pool_.unpack(q, groups_.group_size(q), child_decay, *packed_[x]);
            if (const Row* child = row_of_[x].get())
                row_of_[u]->multiply(
                    bucket, decay, child_decay, [child](std::uint32_t rank) { return child->values[rank]; }, kIgnore);
            else
                row_of_[u]->multiply(
                    bucket, decay, child_decay, [child_decay](std::uint32_t) { return child_decay; }, kIgnore);
            if (unpacked) release(x, q);
        }
    }

    // Keeps a row for later trees, or for later nodes of this tree when memory is short.
    void keep(Node u) {
        const bool for_later = kept_bytes_ < bytes_;
        if (!for_later && !(row_of_[u] && uses_[u] > 0 && pool_.bytes() > kRowBudget)) return;
        if (!row_of_[u]) {
            if (!for_later) return;
            packed_[u] = std::make_unique<Packed>(Row{});
        } else {
            packed_[u] = std::make_unique<Packed>(*row_of_[u]);
            release(u, production_of_(u));
        }
        if (for_later) {
            kept_.push_back(u);
            kept_bytes_ += packed_[u]->bytes() + sizeof(Packed);
        } else {
            short_of_memory_.push_back(u);
        }
    }

    void let_go(Node child) {
        if (--uses_[child] == 0 && row_of_[child]) release(child, production_of_(child));
    }
    void release(Node u, Production p) { pool_.release(p, decays_[p], std::move(row_of_[u])); }

    const SubsetGroups& groups_;
    const ProductionFactors& decays_;
    const std::size_t bytes_;
    ProductionOf production_of_;
    SubsetRowPool<double> pool_;
    std::vector<std::unique_ptr<Row>> row_of_;
    std::vector<std::unique_ptr<Packed>> packed_;
    std::vector<Node> kept_;  // those that are packed for later trees
    std::size_t kept_bytes_ = 0;
    std::vector<Node> short_of_memory_;
    std::vector<std::uint32_t> uses_;  // parents that still need the row
    std::vector<char> wanted_;
};

}  // namespace treekernels
