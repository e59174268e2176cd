#include "distance/distances.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>

#include "distance/bounds.hpp"
#include "distance/tree_distance.hpp"
#include "distance/trimming.hpp"

namespace treekernels {

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

// Compares pairs of trees for one thread.
class Comparer {
public:
    explicit Comparer(const DistanceRequest& request)
        : request_(request), distance_(request.costs, request.most_bytes) {}

    double operator()(PreparedTree& a, PreparedTree& b, const Task& task) {
        if (a.root() == b.root()) return 0.0;
        const double value = request_.costs.is_unit() ? unit(a, b, task) : distance_(a, b, task);
        return value <= request_.most ? value : kFar;
    }

private:
    double unit(PreparedTree& a, PreparedTree& b, const Task& task) {
        const auto rest = trim(request_.dag, a.root(), b.root());
        if (!rest.trimmed) return distance_(a, b, task);
        // What is left is worth writing out anew if it is much less: the steps grow with the product of both.
        const double whole = static_cast<double>(a.tree().count()) * static_cast<double>(b.tree().count());
        const std::size_t one = nodes_below(rest.a_children), two = nodes_below(rest.b_children);
        if (one == 0 || two == 0) return static_cast<double>(one + two);
        if (static_cast<double>(one) * static_cast<double>(two) > 0.7 * whole) return distance_(a, b, task);
        const Label label = request_.dag.label(rest.a);
        a_rest_.assign(request_.dag, label, rest.a_children, task);
        b_rest_.assign(request_.dag, request_.dag.label(rest.b), rest.b_children, task);
        return distance_(a_rest_, b_rest_, task);
    }

    std::size_t nodes_below(std::span<const Node> children) {
        std::size_t count = 0;
        open_.assign(children.begin(), children.end());
        while (!open_.empty()) {
            const Node node = open_.back();
            open_.pop_back();
            ++count;
            const auto below = request_.dag.children(node);
            open_.insert(open_.end(), below.begin(), below.end());
        }
        return count;
    }

    const DistanceRequest& request_;
    TreeDistance distance_;
    PreparedTree a_rest_, b_rest_;
    std::vector<Node> open_;
};

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

// So many trees a side are compared by a thread with each other at a time: enough that preparing them costs nothing.
std::size_t tile_size(std::size_t rows, std::size_t columns, unsigned threads) {
    const double each = static_cast<double>(rows) * static_cast<double>(columns) / (16.0 * threads);
    return std::clamp<std::size_t>(static_cast<std::size_t>(std::sqrt(each)), 1, 32);
}

}  // namespace

template <class T>
void fill_distances(const DistanceRequest& request, std::span<const Node> rows, std::span<const Node> columns,
                    bool symmetric, MatrixView<T> out, unsigned threads, Task& task) {
    if (rows.empty() || columns.empty()) return;
    const bool half = symmetric && request.costs.is_symmetric();
    const std::size_t side = tile_size(rows.size(), columns.size(), threads);
    const std::size_t tile_columns = (columns.size() + side - 1) / side;
    Counter tiles((rows.size() + side - 1) / side * tile_columns);
    const auto work = [&](Task& shared) {
        Comparer compare(request);
        std::vector<PreparedTree> row_trees(side), column_trees(side);
        std::size_t prepared_rows = static_cast<std::size_t>(-1);
        for (std::size_t tile; tiles.take(tile);) {
            const std::size_t first_row = tile / tile_columns * side, first_column = tile % tile_columns * side;
            const std::size_t row_count = std::min(side, rows.size() - first_row);
            const std::size_t column_count = std::min(side, columns.size() - first_column);
            shared.advance(row_count * column_count);
            if (half && first_column > first_row) continue;
            if (prepared_rows != first_row)
                for (std::size_t i = 0; i < row_count; ++i)
                    row_trees[i].assign(request.dag, rows[first_row + i], shared);
            prepared_rows = first_row;
            for (std::size_t j = 0; j < column_count; ++j)
                column_trees[j].assign(request.dag, columns[first_column + j], shared);
            for (std::size_t i = 0; i < row_count; ++i)
                for (std::size_t j = 0; j < column_count; ++j) {
                    const std::size_t row = first_row + i, column = first_column + j;
                    if (half && column > row) break;
                    const auto value = static_cast<T>(compare(row_trees[i], column_trees[j], shared));
                    out.row(row)[column] = value;
                    if (half) out.row(column)[row] = value;
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
        PreparedTree one, two;
        for (std::size_t number; blocks.take(number);)
            for (std::size_t i = number * block; i < std::min(a.size(), (number + 1) * block); ++i) {
                if (a[i] != b[i]) {
                    one.assign(request.dag, a[i], shared);
                    two.assign(request.dag, b[i], shared);
                    result[i] = compare(one, two, shared);
                }
                shared.advance(1);
            }
    };
    run_all(threads, task, work);
    return result;
}

Neighbors find_neighbors(const DistanceRequest& request, std::span<const Node> queries, std::span<const Node> trees,
                         std::size_t count, unsigned threads, Task& task) {
    struct Candidate {
        double bound;
        std::uint32_t tree;
        auto operator<=>(const Candidate&) const = default;
    };
    const bool bounded = request.costs.is_unit();
    LabelLists lists;
    std::vector<std::vector<Candidate>> found(queries.size());
    std::once_flag listed;
    Counter numbers(queries.size());
    const auto work = [&](Task& shared) {
        if (bounded)
            std::call_once(listed, [&] {
                for (Node tree : trees) lists.add(request.dag, tree, shared);
            });
        DistanceRequest wanted = request;
        Comparer compare(wanted);
        PreparedTree query, tree;
        std::vector<Candidate> candidates;
        for (std::size_t number; numbers.take(number);) {
            LabelLists own;
            if (bounded) own.add(request.dag, queries[number], shared);
            query.assign(request.dag, queries[number], shared);
            candidates.clear();
            for (std::uint32_t i = 0; i < trees.size(); ++i) {
                if (i % 256 == 0) shared.check();
                double bound = 0.0;
                if (bounded && trees[i] != queries[number]) bound = label_bound(own[0], lists[i], request.most);
                if (bound <= request.most) candidates.push_back({bound, i});
            }
            std::ranges::sort(candidates);
            // The best so far, the worst of them first.
            std::vector<Candidate>& best = found[number];
            for (const Candidate& candidate : candidates) {
                if (count == 0 || (best.size() == count && candidate.bound > best.front().bound)) break;
                wanted.most = best.size() == count ? best.front().bound : request.most;
                double value = 0.0;
                if (trees[candidate.tree] != queries[number]) {
                    tree.assign(request.dag, trees[candidate.tree], shared);
                    value = compare(query, tree, shared);
                }
                if (value > wanted.most) continue;
                best.push_back({value, candidate.tree});
                std::ranges::push_heap(best);
                if (best.size() <= count) continue;
                std::ranges::pop_heap(best);
                best.pop_back();
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
