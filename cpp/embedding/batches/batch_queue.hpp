// Plans and blocks of plans, handed out to workers. Planning goes on while there are blocks for the others.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "core/threads/tasks.hpp"
#include "embedding/batches/batch.hpp"

namespace treekernels {

class BatchQueue {
public:
    using MakePlan = std::function<std::optional<Plan>()>;
    BatchQueue(MakePlan make_plan, std::size_t blocks, unsigned threads)
        : make_plan_(std::move(make_plan)), blocks_(blocks), threads_(threads) {}

    struct Piece {
        std::shared_ptr<Batch> batch;
        std::size_t block;
    };

    // False when there is no more.
    bool take(Piece& piece, const Task& task) {
        std::unique_lock lock(mutex_);
        for (;;) {
            task.check();
            if (!exhausted_ && !planning_ && waiting_blocks() < threads_) {
                plan(lock);
            } else if (!open_.empty()) {
                piece = {open_.front(), open_.front()->next_block++};
                if (open_.front()->next_block == blocks_) open_.pop_front();
                return true;
            } else if (exhausted_) {
                return false;
            } else {
                changed_.wait_for(lock, std::chrono::milliseconds(50));
            }
        }
    }

private:
    std::size_t waiting_blocks() const {
        std::size_t count = 0;
        for (const auto& batch : open_) count += blocks_ - batch->next_block;
        return count;
    }
    void plan(std::unique_lock<std::mutex>& lock) {
        planning_ = true;
        lock.unlock();
        std::optional<Plan> made = make_plan_();  // a failure ends all workers
        std::shared_ptr<Batch> batch;
        if (made) batch = std::make_shared<Batch>(std::move(*made), blocks_);
        lock.lock();
        planning_ = false;
        exhausted_ = !batch;
        if (batch) open_.push_back(std::move(batch));
        changed_.notify_all();
    }

    MakePlan make_plan_;
    std::size_t blocks_;
    std::size_t threads_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Batch>> open_;
    bool planning_ = false;
    bool exhausted_ = false;
};

}  // namespace treekernels
