// What a kernel provides to have derivatives: for one tree, what it has in common with each subtree of the columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/corpus.hpp"
#include "core/dag.hpp"
#include "core/threads/tasks.hpp"
#include "gram/features.hpp"
#include "gram/interfaces.hpp"

namespace treekernels {

// Which parameters are differentiated by, and where their derivatives stand; kNone for those that stay as they are.
struct GradientPlaces {
    std::size_t count = 0;
    std::uint32_t decay = kNone;           // of subtrees and subset trees, but for labels that have their own
    std::uint32_t vertical_decay = kNone;  // of partial trees, but for labels that have their own
    std::uint32_t cut_weight = kNone;
    std::vector<std::pair<std::string, std::uint32_t>> labels{};  // decays, or vertical ones, of these labels

    // The value, and a derivative for each.
    std::size_t width() const { return 1 + count; }
    // The place of the decay of each label of a DAG, where `others` is that of labels which are not listed.
    std::vector<std::uint32_t> by_label(const Dag& dag, std::uint32_t others) const {
        std::vector<std::uint32_t> result(dag.label_count(), others);
        for (const auto& [text, place] : labels)
            if (const Label label = dag.find_label(text); label != kNone) result[label] = place;
        return result;
    }
};

// The same for the labels of the trees at hand.
struct LabelPlaces {
    GradientPlaces places{};
    std::vector<std::uint32_t> of_label{};

    std::size_t width() const { return places.width(); }
};

// On one thread; owns the scratch memory for it.
template <class Real>
class GradientWorker {
public:
    virtual ~GradientWorker() = default;
    // Adds to sums[width * v], and to the derivatives after it, the sum of C(u, v) over the nodes u of a tree, for each
    // subtree v of the columns whose number is below `end`.
    virtual void add(std::size_t tree, Node end, Real* sums, const Task& task) = 0;
};

template <class Real>
class Gradients {
public:
    virtual ~Gradients() = default;
    virtual std::unique_ptr<GradientWorker<Real>> worker() const = 0;
};

// Adds up what a tree of the columns has, of all that is in `sums`.
template <class Real>
void sum_subtrees(const Corpus& corpus, std::size_t tree, const Real* sums, std::size_t width, Real* result) {
    std::fill_n(result, width, Real(0.0));
    const auto nodes = corpus.nodes(tree);
    const auto counts = corpus.counts(tree);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Real* sum = sums + width * nodes[i];
        const Real count(counts[i]);
        for (std::size_t k = 0; k < width; ++k) result[k] += sum[k] * count;
    }
}

// The same for many trees at once: what a subtree has goes to the trees that contain it, and most have nothing.
class SubtreeSums {
public:
    SubtreeSums(const Corpus& corpus, std::size_t columns, const Task& task)
        : postings_(corpus.limit(columns), columns, kVectorOfReals, task, [&](std::size_t tree, auto emit) {
              const auto nodes = corpus.nodes(tree);
              const auto counts = corpus.counts(tree);
              for (std::size_t i = 0; i < nodes.size(); ++i) emit(nodes[i], counts[i]);
          }) {}

    // Writes to totals[k * columns + tree] what the trees below `columns` have, whose subtrees are those below `end`.
    template <class Real>
    void total(const Real* sums, Node end, std::size_t width, std::size_t columns, Real* totals,
               const Task& task) const {
        std::fill_n(totals, width * columns, Real(0.0));
        for (Node node = 0; node < end; ++node) {
            if (node % 4096 == 0) task.check();
            const Real* sum = sums + width * node;
            for (std::size_t k = 0; k < width; ++k)
                if (!(sum[k] == Real(0.0))) postings_.add(node, columns, sum[k], totals + k * columns);
        }
    }

private:
    Postings postings_;
};

// Rows of values alone, for a kernel that has no faster way.
template <class Real>
class SummedRows final : public Rows<Real> {
public:
    SummedRows(const Corpus& corpus, std::size_t columns, std::unique_ptr<Gradients<Real>> gradients, const Task& task)
        : corpus_(corpus), subtrees_(corpus, columns, task), gradients_(std::move(gradients)) {}

    std::unique_ptr<RowWorker<Real>> worker() const override {
        struct Worker final : RowWorker<Real> {
            Worker(const Corpus& corpus, const SubtreeSums& subtrees, std::unique_ptr<GradientWorker<Real>> worker)
                : corpus(corpus), subtrees(subtrees), worker(std::move(worker)) {}
            void row(std::size_t tree, std::size_t columns, Real* values, const Task& task) override {
                const Node end = corpus.limit(columns);
                sums.assign(end, Real(0.0));
                worker->add(tree, end, sums.data(), task);
                subtrees.total(sums.data(), end, 1, columns, values, task);
            }
            const Corpus& corpus;
            const SubtreeSums& subtrees;
            std::unique_ptr<GradientWorker<Real>> worker;
            std::vector<Real> sums;
        };
        return std::make_unique<Worker>(corpus_, subtrees_, gradients_->worker());
    }

private:
    const Corpus& corpus_;
    SubtreeSums subtrees_;
    std::unique_ptr<Gradients<Real>> gradients_;
};

}  // namespace treekernels
