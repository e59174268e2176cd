// Lines of text with trees among their columns, a whole block of them at a time.
//
// Good lines are read here, and quickly. What is wrong with the first bad one is for the caller to say, who has time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/dag.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

struct TextRows {
    // The trees of a column, or the numbers of its texts, of which each distinct one is kept once.
    struct Column {
        bool holds_trees;
        std::vector<std::uint32_t> values;
        std::vector<std::string_view> texts;  // in the block
    };
    std::vector<Column> columns;
    std::vector<std::uint32_t> lines;  // of each row, counted from 0
    std::size_t bytes = 0;             // of the block, as far as it was read
    std::uint32_t line_count = 0;      // in these bytes
};

// What a line of a block looks like.
struct RowShape {
    std::vector<bool> holds_trees;  // the columns
    bool tabs;                      // which separate them; otherwise a line is a tree, or a comment that begins with #
    std::size_t longest_label = static_cast<std::size_t>(-1);
};

// Reads the rows of a block up to the first line that is not good. Empty lines are passed over.
TextRows read_rows(Dag& dag, std::string_view block, const RowShape& shape, const Task& task);

}  // namespace treekernels
