// What the summands of a kernel are made of, kept alive by Python until they are used.
#pragma once

#include "bind/bind.hpp"
#include "learners/summand.hpp"

namespace treekernels {

// One of them, for the examples of a batch.
class SummandSource {
public:
    virtual ~SummandSource() = default;
    virtual std::unique_ptr<Summand> make(std::size_t columns, const Task& task) = 0;
    virtual std::size_t size() const = 0;
    virtual const Dag* dag() const { return nullptr; }
};

// The summands made, and locks on what they read.
struct Summands {
    Summands(const std::vector<SummandSource*>& sources, std::size_t examples, std::size_t columns, const Task& task) {
        lock(sources);
        for (SummandSource* source : sources) {
            if (source->size() != examples) throw std::invalid_argument("the summands differ in their examples");
            summands.push_back(source->make(columns, task));
        }
    }
    void lock(const std::vector<SummandSource*>& sources) {
        std::vector<const Dag*> dags;
        for (const SummandSource* source : sources)
            if (const Dag* dag = source->dag()) dags.push_back(dag);
        std::ranges::sort(dags);
        const auto repeated = std::ranges::unique(dags);
        dags.erase(repeated.begin(), repeated.end());
        for (const Dag* dag : dags) locks.emplace_back(dag->mutex());
    }
    std::vector<ReadLock> locks;
    std::vector<std::unique_ptr<Summand>> summands;
};

}  // namespace treekernels
