// Some trees on their way through the blocks of their vectors.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "embedding/plans/plan.hpp"

namespace treekernels {

struct Batch {
    Plan plan;
    std::size_t blocks;
    std::size_t next_block = 0;  // guarded by the queue
    std::atomic<std::size_t> left;
    std::vector<double> squares;  // of each tree's blocks
    std::vector<std::int32_t> exponents;

    Batch(Plan p, std::size_t block_count) : plan(std::move(p)), blocks(block_count), left(block_count) {
        squares.resize(plan.tree_end.size() * blocks);
        exponents.resize(plan.tree_end.size() * blocks);
    }
};

}  // namespace treekernels
