// What a kernel provides: rows of values between one tree and all column trees, and values of single pairs.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "core/corpus.hpp"
#include "core/threads/tasks.hpp"
#include "core/wide.hpp"

namespace treekernels {

// Computes rows on one thread; owns the scratch memory for it.
template <class Real>
class RowWorker {
public:
    virtual ~RowWorker() = default;
    // Sets values[c] = K(tree, column c) for c < columns: all columns, or those before the tree. Subtrees that first
    // occur in later ones are not looked at, so a triangle of a symmetric matrix costs half of it.
    virtual void row(std::size_t tree, std::size_t columns, Real* values, const Task& task) = 0;

    // How many trees in a row are best done together.
    virtual std::size_t together() const { return 1; }
    // The same for some trees in a row, `stride` values apart. In a triangle each has one column more than the last.
    virtual void rows(std::size_t first, std::size_t count, std::size_t columns, bool triangle, Real* values,
                      std::size_t stride, const Task& task) {
        for (std::size_t i = 0; i < count; ++i) row(first + i, columns + (triangle ? i : 0), values + i * stride, task);
    }
};

// An index of the columns, shared by the workers.
template <class Real>
class Rows {
public:
    virtual ~Rows() = default;
    virtual std::unique_ptr<RowWorker<Real>> worker() const = 0;
};

// Computes single values on one thread.
template <class Real>
class PairWorker {
public:
    virtual ~PairWorker() = default;
    virtual Real operator()(std::size_t a, std::size_t b, const Task& task) = 0;
};

template <class Real>
class PairValues {
public:
    virtual ~PairValues() = default;
    virtual std::unique_ptr<PairWorker<Real>> worker() const = 0;
    // How many numbers the pair of a tree with itself needs to keep.
    virtual double self_memory(std::size_t tree) const = 0;
};

// Computes K(tree, tree) on one thread.
template <class Real>
using NormWorker = std::function<Real(std::size_t tree, const Task& task)>;

// Makes such workers, one for each thread.
template <class Real>
using Norms = std::function<NormWorker<Real>()>;

// Rows made of single pairs.
template <class Real>
class PairRows final : public Rows<Real> {
public:
    explicit PairRows(std::unique_ptr<PairValues<Real>> pairs) : pairs_(std::move(pairs)) {}

    std::unique_ptr<RowWorker<Real>> worker() const override {
        struct Worker final : RowWorker<Real> {
            explicit Worker(std::unique_ptr<PairWorker<Real>> pair) : pair(std::move(pair)) {}
            void row(std::size_t tree, std::size_t columns, Real* values, const Task& task) override {
                for (std::size_t column = 0; column < columns; ++column) values[column] = (*pair)(tree, column, task);
            }
            std::unique_ptr<PairWorker<Real>> pair;
        };
        return std::make_unique<Worker>(pairs_->worker());
    }

private:
    std::unique_ptr<PairValues<Real>> pairs_;
};

}  // namespace treekernels
