#include "distance/distances.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <numeric>

#include "distance/bounds.hpp"
#include "distance/comparer.hpp"
#include "distance/groups.hpp"

namespace treekernels {

namespace {

// Runs `work(task)` on each thread. When one fails, the others are stopped.
template <class Work>
void run_all(unsigned threads, Task& task, Work work) {
    std::mutex mutex;
    std::exception_ptr failure;
    run_parts(threads, [&](std::size_t) {
        try {
            work(task);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            task.stop();
        }
    });
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

template <class T>
void fill_distances(const DistanceRequest& request, std::span<const Node> rows, std::span<const Node> columns,
                    bool symmetric, MatrixView<T> out, unsigned threads, Task& task) {
    if (rows.empty() || columns.empty()) return;
    const bool half = symmetric && request.costs.is_symmetric();
    const TreesBySize groups = group_by_size(request.dag, columns, task);
    std::vector<std::uint32_t> row_order = groups.order;
    if (!symmetric) {
        row_order.resize(rows.size());
        std::iota(row_order.begin(), row_order.end(), 0U);
    }
    // So many rows are compared with a group at a time: enough that preparing it costs nothing.
    const std::size_t tiles_wanted = 16 * threads;
    const std::size_t side = std::clamp<std::size_t>(rows.size() * groups.ends.size() / tiles_wanted, 1, 32);
    Counter tiles((rows.size() + side - 1) / side * groups.ends.size());
    const auto work = [&](Task& shared) {
        Comparer compare(request);
        std::vector<PreparedTree> row_trees(side);
        Group group;
        std::vector<Node> roots;
        std::size_t prepared_rows = static_cast<std::size_t>(-1);
        for (std::size_t tile; tiles.take(tile);) {
            const std::size_t first_row = tile / groups.ends.size() * side, number = tile % groups.ends.size();
            const std::size_t row_count = std::min(side, rows.size() - first_row);
            const std::size_t first = number == 0 ? 0 : groups.ends[number - 1], last = groups.ends[number];
            shared.advance(row_count * (last - first));
            if (half && first >= first_row + row_count) continue;
            if (prepared_rows != first_row)
                for (std::size_t i = 0; i < row_count; ++i)
                    row_trees[i].assign(request.dag, rows[row_order[first_row + i]], shared);
            prepared_rows = first_row;
            roots.clear();
            for (std::size_t j = first; j < last; ++j) roots.push_back(columns[groups.order[j]]);
            group.assign(request.dag, roots, shared);
            for (std::size_t i = 0; i < row_count; ++i) {
                // Trees that are not smaller have this as one of their columns.
                const std::size_t end = half ? std::min(last, first_row + i + 1) : last;
                if (end <= first) continue;
                const std::vector<double>& values = compare(row_trees[i], group, end - first, shared);
                const std::size_t row = row_order[first_row + i];
                for (std::size_t j = first; j < end; ++j) {
                    const std::size_t column = groups.order[j];
                    out.row(row)[column] = static_cast<T>(values[j - first]);
                    if (half) out.row(column)[row] = out.row(row)[column];
                }
            }
        }
    };
    run_all(threads, task, work);
}

template void fill_distances(const DistanceRequest&, std::span<const Node>, std::span<const Node>, bool,
                             MatrixView<double>, unsigned, Task&);
template void fill_distances(const DistanceRequest&, std::span<const Node>, std::span<const Node>, bool,
                             MatrixView<float>, unsigned, Task&);

std::vector<double> pair_distances(const DistanceRequest& request, std::span<const Node> a, std::span<const Node> b,
                                   unsigned threads, Task& task) {
    std::vector<double> result(a.size());
    constexpr std::size_t kBlock = 16;
    const std::size_t block = std::clamp<std::size_t>(a.size() / (16 * threads), 1, kBlock);
    Counter blocks((a.size() + block - 1) / block);
    const auto work = [&](Task& shared) {
        Comparer compare(request);
        PreparedTree one;
        Group other;
        for (std::size_t number; blocks.take(number);)
            for (std::size_t i = number * block; i < std::min(a.size(), (number + 1) * block); ++i) {
                if (a[i] != b[i]) {
                    one.assign(request.dag, a[i], shared);
                    other.assign(request.dag, b.subspan(i, 1), shared);
                    result[i] = compare(one, other, 1, shared).front();
                }
                shared.advance(1);
            }
    };
    run_all(threads, task, work);
    return result;
}

Neighbors find_neighbors(const DistanceRequest& request, std::span<const Node> queries, std::span<const Node> trees,
                         const LabelLists& lists, bool among, std::size_t count, unsigned threads, Task& task) {
    struct Candidate {
        double bound;
        std::uint32_t tree;
        auto operator<=>(const Candidate&) const = default;
    };
    const bool bounded = request.costs.is_unit();
    std::vector<std::vector<Candidate>> found(queries.size());
    Counter numbers(queries.size());
    const auto work = [&](Task& shared) {
        DistanceRequest wanted = request;
        Comparer compare(wanted);
        PreparedTree query;
        Group group;
        std::vector<Node> roots;
        std::vector<Candidate> candidates;
        for (std::size_t number; numbers.take(number);) {
            LabelLists own;
            if (bounded) own.add(request.dag, queries[number], shared);
            query.assign(request.dag, queries[number], shared);
            candidates.clear();
            const std::size_t end = among ? number : trees.size();
            for (std::uint32_t i = 0; i < end; ++i) {
                if (i % 256 == 0) shared.check();
                double bound = 0.0;
                if (bounded && trees[i] != queries[number]) bound = label_bound(own[0], lists[i], request.most);
                if (bound <= request.most) candidates.push_back({bound, i});
            }
            std::ranges::sort(candidates);
            // The best so far, the worst of them first.
            std::vector<Candidate>& best = found[number];
            const auto is_full = [&] { return best.size() == count; };
            std::size_t next = 0, taken = 0;
            while (next < candidates.size() && count > 0) {
                if (is_full() && candidates[next].bound > best.front().bound) break;
                wanted.most = is_full() ? best.front().bound : request.most;
                // The first comparisons show how near others have to be.
                const std::size_t most_trees = std::clamp<std::size_t>(taken, 4, Group::kTrees);
                roots.clear();
                for (std::size_t nodes = 0, i = next; i < candidates.size() && roots.size() < most_trees; ++i) {
                    const Node root = trees[candidates[i].tree];
                    nodes += bounded ? lists[candidates[i].tree].size() : Group::kNodes / Group::kTrees;
                    if (!roots.empty() && nodes > Group::kNodes) break;
                    roots.push_back(root);
                }
                group.assign(request.dag, roots, shared);
                taken += roots.size();
                for (double value : compare(query, group, roots.size(), shared)) {
                    const Candidate here{value, candidates[next++].tree};
                    if (value > request.most || (is_full() && best.front() < here)) continue;
                    best.push_back(here);
                    std::ranges::push_heap(best);
                    if (best.size() <= count) continue;
                    std::ranges::pop_heap(best);
                    best.pop_back();
                }
            }
            std::ranges::sort(best);
            shared.advance(1);
        }
    };
    run_all(threads, task, work);
    Neighbors result;
    for (const auto& best : found) {
        for (const Candidate& candidate : best) {
            result.tree.push_back(candidate.tree);
            result.distance.push_back(candidate.bound);
        }
        result.offset.push_back(result.tree.size());
    }
    return result;
}

}  // namespace treekernels
