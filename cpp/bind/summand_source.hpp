// What the summands of a kernel are made of, kept alive by Python until they are used.
#pragma once

#include "bind/bind.hpp"
#include "learners/summand.hpp"

namespace treekernels {

// One of them, for the examples of a batch.
class SummandSource {
public:
    virtual ~SummandSource() = default;
    virtual std::unique_ptr<Summand> make(std::size_t outputs, unsigned threads, const Task& task) = 0;
    virtual std::size_t size() const = 0;
    // Whether to go once through the examples is brief. Asked with the locks held.
    virtual bool brief() const = 0;
    // What the summand reads and changes; the source itself is used by one at a time.
    virtual void list(Locks& locks) const { locks.write(mutex_); }

private:
    mutable SharedMutex mutex_;
};

using Sources = nb::typed<nb::list, SummandSource>;
inline std::vector<SummandSource*> sources_of(const Sources& given) {
    std::vector<SummandSource*> sources;
    for (nb::handle source : given) sources.push_back(nb::cast<SummandSource*>(source));
    return sources;
}

inline Locks locks_of(const std::vector<SummandSource*>& sources) {
    Locks locks;
    for (const SummandSource* source : sources) source->list(locks);
    return locks;
}

inline bool all_brief(const std::vector<SummandSource*>& sources) {
    return std::ranges::all_of(sources, [](const SummandSource* source) { return source->brief(); });
}

// The summands of a kernel for learning from `examples`. Their locks are held.
inline std::vector<std::unique_ptr<Summand>> make_summands(const std::vector<SummandSource*>& sources,
                                                           std::size_t examples, std::size_t outputs, unsigned threads,
                                                           const Task& task) {
    std::vector<std::unique_ptr<Summand>> summands;
    for (SummandSource* source : sources) {
        if (source->size() != examples) throw std::invalid_argument("the summands differ in their examples");
        summands.push_back(source->make(outputs, threads, task));
    }
    return summands;
}

}  // namespace treekernels
