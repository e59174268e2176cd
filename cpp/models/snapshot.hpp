// What is made of a forest to score trees against it, kept until the forest changes: a score of few trees should not
// cost what the model does.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace treekernels {

template <class Made>
class Snapshot {
public:
    // Several threads may ask at once. Each that finds nothing makes it, without a lock, so that none waits.
    template <class Make>
    std::shared_ptr<const Made> get(std::uint64_t revision, Make make) const {
        {
            const std::lock_guard lock(mutex_);
            if (made_ && revision_ == revision) return made_;
        }
        std::shared_ptr<const Made> made = make();
        const std::lock_guard lock(mutex_);
        revision_ = revision;
        return made_ = std::move(made);
    }
    bool has(std::uint64_t revision) const {
        const std::lock_guard lock(mutex_);
        return made_ && revision_ == revision;
    }
    // When the forest changes, since what was made of it is of no use any more.
    void drop() {
        const std::lock_guard lock(mutex_);
        made_.reset();
    }

private:
    mutable std::mutex mutex_;
    mutable std::uint64_t revision_ = 0;
    mutable std::shared_ptr<const Made> made_;
};

}  // namespace treekernels
