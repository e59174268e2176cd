// Rows of the partial-tree kernel that are kept while there is room for them, the latest used ones.
#pragma once

#include <deque>
#include <vector>

#include "kernels/partial/rows/node_rows.hpp"

namespace treekernels {

class PartialRowCache {
public:
    PartialRowCache(const Corpus& corpus, const PartialShapes& shapes, const PartialIndex& index,
                    const PartialParameters& parameters, std::span<const std::uint32_t> uses, std::size_t bytes)
        : corpus_(corpus),
          rows_(corpus, shapes, index, parameters, uses, bytes),
          bytes_(bytes / 4),
          known_(corpus.node_count(), false),
          used_(corpus.node_count(), 0) {}

    // Whether the row of a subtree is here, or can be done without.
    bool has(Node u) const { return known_[u] || corpus_.is_leaf(u); }

    // Computes the row of a subtree, whose children's rows are here: see there.
    template <class Found>
    void compute(Node u, RowPart wanted, Found found, const Task& task) {
        rows_.compute(u, true, wanted, found, task);
        known_[u] = true;
        if (!rows_.has(u)) return;
        used_[u] = now_;
        uses_.push_back({u, now_});
    }
    template <class Found>
    void visit_at_rest(Production production, Found found) {
        rows_.visit_at_rest(production, found);
    }

    // To be called between two trees. What a tree has used stays until then.
    void tidy() {
        ++now_;
        if (rows_.bytes() <= bytes_) {
            if (uses_.size() > 4 * known_.size() + 1024) forget_old_uses();
            return;
        }
        forget_old_uses();
        while (rows_.bytes() > bytes_ && !uses_.empty()) {
            for (std::size_t some = uses_.size() / 4 + 1; some > 0 && !uses_.empty(); --some) {
                const Node u = uses_.front().node;
                uses_.pop_front();
                rows_.release(u);
                known_[u] = false;
            }
        }
        if (rows_.pool_bytes() > bytes_) rows_.trim();
    }

private:
    struct Use {
        Node node;
        std::uint64_t time;
    };
    void forget_old_uses() {
        std::erase_if(uses_, [&](const Use& use) { return used_[use.node] != use.time; });
    }

    const Corpus& corpus_;
    PartialNodeRows<double> rows_;
    const std::size_t bytes_;
    std::vector<bool> known_;
    std::vector<std::uint64_t> used_;  // when last; 0 for never
    std::deque<Use> uses_;             // in order of time
    std::uint64_t now_ = 1;
};

}  // namespace treekernels
