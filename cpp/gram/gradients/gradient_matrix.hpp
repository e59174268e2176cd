// The derivatives of all values of a symmetric Gram matrix, of trees that are compared with each other.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/corpus.hpp"
#include "core/errors.hpp"
#include "core/threads/tasks.hpp"
#include "core/wide.hpp"
#include "gram/gradients/gradients.hpp"
#include "gram/normalize.hpp"

namespace treekernels {

// Where the derivatives of a pair of trees go: those of one value stand side by side.
struct GradientView {
    double* data;
    std::size_t row_stride, column_stride;

    double* at(std::size_t row, std::size_t column) const { return data + row * row_stride + column * column_stride; }
};

// `Make` has a function of a number type: make<Real>(corpus, task) returns the Gradients of a corpus.
template <class Real, class Make>
class GradientEngine {
public:
    GradientEngine(const Corpus& corpus, const Make& make, std::size_t width, bool normalize)
        : corpus_(corpus), make_(make), width_(width), normalize_(normalize) {}

    // K(tree, tree) and its derivatives. False, at once, when one of them is too large for the number type.
    bool measure(const Execution& execution) {
        norm_.assign(corpus_.tree_count() * width_, Real(0.0));
        std::atomic<bool> all_fit{true};
        Counter trees(corpus_.tree_count());
        Task task(corpus_.tree_count());
        const auto work = [&](Task& shared) {
            std::vector<Real> sums;
            for (std::size_t tree; all_fit && trees.take(tree); shared.advance(1)) {
                const Corpus alone(corpus_, tree, shared);
                sums.assign(alone.node_count() * width_, Real(0.0));
                make_.template operator()<Real>(alone, shared)->worker()->add(0, alone.limit(1), sums.data(), shared);
                Real* norm = norm_.data() + tree * width_;
                sum_subtrees(alone, 0, sums.data(), width_, norm);
                if constexpr (std::is_same_v<Real, double>)
                    for (std::size_t k = 0; k < width_; ++k)
                        if (!fits_double(norm[k])) all_fit = false;
            }
        };
        run_watched(task, execution.threads, work, execution.watch);
        return all_fit;
    }

    void fill(GradientView out, const Execution& execution) {
        const std::size_t count = corpus_.tree_count();
        prepare();
        std::unique_ptr<Gradients<Real>> gradients;
        std::optional<SubtreeSums> subtrees;
        Task preparation(1);
        const auto index = [&](Task& shared) {
            gradients = make_.template operator()<Real>(corpus_, shared);
            subtrees.emplace(corpus_, count, shared);
        };
        run_watched(preparation, 1, index, execution.watch);
        Counter rows(count);
        Task task(count * (count + 1) / 2);
        const auto work = [&](Task& shared) {
            const auto worker = gradients->worker();
            std::vector<Real> sums, totals(count * width_);
            for (std::size_t number; rows.take(number);) {
                const std::size_t tree = count - 1 - number;  // the longest rows first
                const Node end = corpus_.limit(tree + 1);
                sums.assign(end * width_, Real(0.0));
                worker->add(tree, end, sums.data(), shared);
                subtrees->total(sums.data(), end, width_, tree + 1, totals.data(), shared);
                for (std::size_t other = 0; other <= tree; ++other) {
                    if (other % 256 == 0) shared.check();
                    double* to = out.at(tree, other);
                    write(tree, other, totals.data() + other, tree + 1, to);
                    if (other < tree) std::copy_n(to, width_ - 1, out.at(other, tree));
                }
                shared.advance(tree + 1);
            }
        };
        run_watched(task, execution.threads, work, execution.watch);
    }

private:
    // Inverse roots, and how fast each norm grows with a parameter, relative to itself.
    void prepare() {
        for (std::size_t tree = 0; tree < corpus_.tree_count(); ++tree) {
            const Real* norm = norm_.data() + tree * width_;
            const Real root = inverse_root(norm[0]);
            root_.push_back(root);
            for (std::size_t k = 1; k < width_; ++k) growth_.push_back(to_double(norm[k] * root * root));
        }
    }

    // `value` is followed by its derivatives, `stride` apart.
    void write(std::size_t tree, std::size_t other, const Real* value, std::size_t stride, double* to) const {
        if (!normalize_) {
            for (std::size_t k = 1; k < width_; ++k) to[k - 1] = narrowed<double>(to_double(value[k * stride]));
            return;
        }
        const bool equal = corpus_.root(tree) == corpus_.root(other);  // their value is 1, whatever the parameters
        const double scaled = to_double(value[0] * root_[tree] * root_[other]);
        const double* growth = growth_.data() + tree * (width_ - 1);
        const double* other_growth = growth_.data() + other * (width_ - 1);
        for (std::size_t k = 1; k < width_; ++k) {
            const double own = to_double(value[k * stride] * root_[tree] * root_[other]);
            to[k - 1] = equal ? 0.0 : own - 0.5 * scaled * (growth[k - 1] + other_growth[k - 1]);
        }
    }

    const Corpus& corpus_;
    const Make& make_;
    const std::size_t width_;
    const bool normalize_;
    std::vector<Real> norm_;  // by tree: the value and its derivatives
    std::vector<Real> root_;
    std::vector<double> growth_;
};

template <class Make>
void fill_gradient(const Corpus& corpus, const Make& make, std::size_t width, bool normalize, GradientView out,
                   const Execution& execution) {
    GradientEngine<double, Make> engine(corpus, make, width, normalize);
    if (engine.measure(execution)) return engine.fill(out, execution);
    GradientEngine<Wide, Make> wide(corpus, make, width, normalize);
    wide.measure(execution);
    wide.fill(out, execution);
}

}  // namespace treekernels
