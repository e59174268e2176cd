// Learning with kernels whose values come a tree at a time: a weight for each distinct tree of the model.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "core/distinct_trees.hpp"
#include "gram/interfaces.hpp"
#include "kernels/corpus_norm.hpp"
#include "models/node_weights.hpp"

namespace treekernels {

template <class Kernel>
class SupportBatch final : public ScoredBatch {
public:
    SupportBatch(Kernel kernel, const Dag& model, const NodeWeights& weights, std::size_t outputs, const Dag& source,
                 std::span<const Node> roots, const Task& task)
        : kernel_(std::move(kernel)), outputs_(outputs), trees_(roots), weights_(weights.values()) {
        Dag both;
        const auto columns = both.import(model, weights.order(), task);
        const auto rows = both.import(source, trees_.roots(), task);
        columns_ = columns.size();
        kernel_.resolve(both);
        corpus_ = std::make_unique<Corpus>(both, columns, rows, 1U, task);
        rows_ = kernel_.template rows<double>(*corpus_, columns_, 1);
    }

    std::unique_ptr<TreeScorer> scorer() const override { return std::make_unique<Scorer>(*this); }

private:
    // Computes as many rows together as is best for the kernel, and those of neighbours before they are asked for.
    class Scorer final : public TreeScorer {
    public:
        explicit Scorer(const SupportBatch& batch)
            : batch_(batch), worker_(batch.rows_->worker()), values_(worker_->together() * batch.columns_) {}

        void score(const TreeNodes& tree, double* scores, const Task& task) override {
            const std::size_t number = batch_.trees_.number(tree.root());
            if (number < first_ || number >= first_ + count_) {
                count_ = 0;  // until they are there
                const std::size_t count = std::min(worker_->together(), batch_.trees_.size() - number);
                worker_->rows(batch_.columns_ + number, count, batch_.columns_, false, values_.data(), batch_.columns_,
                              task);
                first_ = number;
                count_ = count;
            }
            const double* values = values_.data() + (number - first_) * batch_.columns_;
            const std::size_t outputs = batch_.outputs_;
            for (std::size_t column = 0; column < batch_.columns_; ++column)
                for (std::size_t k = 0; k < outputs; ++k)
                    scores[k] += values[column] * batch_.weights_[column * outputs + k];
        }

    private:
        const SupportBatch& batch_;
        std::unique_ptr<RowWorker<double>> worker_;
        std::vector<double> values_;
        std::size_t first_ = 0, count_ = 0;
    };

    Kernel kernel_;
    std::size_t outputs_;
    DistinctTrees trees_;
    std::vector<double> weights_;  // by column, then by output
    std::size_t columns_ = 0;
    std::unique_ptr<Corpus> corpus_;
    std::unique_ptr<Rows<double>> rows_;
};

template <class Kernel>
class SupportForest final : public WeightedForest {
public:
    SupportForest(Kernel kernel, std::size_t outputs)
        : WeightedForest(outputs), kernel_(std::move(kernel)), weights_(outputs) {}

    void add(const TreeNodes& tree, const double* alpha) override {
        ++revision_;
        weights_.add(tree.root(), 1.0, alpha);
    }
    bool in_batches() const override { return true; }
    std::unique_ptr<ScoredBatch> batch(const Dag& source, std::span<const Node> roots,
                                       const Task& task) const override {
        return std::make_unique<SupportBatch<Kernel>>(kernel_, dag_, weights_, outputs_, source, roots, task);
    }
    std::size_t size() const override { return weights_.size(); }
    ForestState state() const override { return {weights_.order(), weights_.values(), {}, {}}; }
    void restore(const ForestState& state) override {
        ++revision_;
        weights_.restore(state);
    }

private:
    Kernel kernel_;
    NodeWeights weights_;
};

// The scores of all inserted trees. Rows of values are kept as long as there is room, the latest used ones.
template <class Kernel>
class SupportResponder final : public Responder {
public:
    SupportResponder(Kernel kernel, std::size_t outputs, const Dag& dag, std::size_t bytes)
        : kernel_(std::move(kernel)), outputs_(outputs), dag_(dag), bytes_(bytes) {}

    void insert(const TreeNodes& tree) override { trees_.insert(tree.root()); }

    void finish(const Task& task) override {
        kernel_.resolve(dag_);
        corpus_ = std::make_unique<Corpus>(dag_, trees_.roots(), std::span<const Node>(), 1U, task);
        rows_ = kernel_.template rows<double>(*corpus_, trees_.size(), 1);
        worker_ = rows_->worker();
        scores_.assign(trees_.size() * outputs_, 0.0);
        kept_.resize(trees_.size());
    }

    void add(const TreeNodes& tree, const double* alpha, const Task& task) override {
        const auto& values = row(trees_.number(tree.root()), task);
        for (std::size_t k = 0; k < outputs_; ++k) {
            if (alpha[k] == 0.0) continue;
            double* to = scores_.data() + k * trees_.size();
            for (std::size_t i = 0; i < values.size(); ++i) to[i] += alpha[k] * values[i];
        }
    }

    void score(const TreeNodes& tree, std::span<const std::uint32_t> outputs, double* scores) const override {
        const std::size_t number = trees_.number(tree.root());
        for (std::uint32_t k : outputs) scores[k] += scores_[k * trees_.size() + number];
    }

private:
    const std::vector<double>& row(std::uint32_t tree, const Task& task) {
        auto& values = kept_[tree];
        if (!values.empty()) {
            order_.erase(std::ranges::find(order_, tree));
        } else {
            const std::size_t most = std::max<std::size_t>(1, bytes_ / (trees_.size() * sizeof(double)));
            if (order_.size() >= most) {
                values = std::move(kept_[order_.front()]);
                kept_[order_.front()].clear();
                order_.pop_front();
            }
            values.resize(trees_.size());
            worker_->row(tree, values.size(), values.data(), task);
        }
        order_.push_back(tree);
        return values;
    }

    Kernel kernel_;
    std::size_t outputs_;
    const Dag& dag_;
    std::size_t bytes_;
    DistinctTrees trees_;
    std::unique_ptr<Corpus> corpus_;
    std::unique_ptr<Rows<double>> rows_;
    std::unique_ptr<RowWorker<double>> worker_;
    std::vector<double> scores_;             // by output, then by tree
    std::vector<std::vector<double>> kept_;  // by tree; empty where the row is not kept
    std::deque<std::uint32_t> order_;        // of the kept ones, the oldest first
};

}  // namespace treekernels
