// Lines of text with trees among their columns, a whole block of them at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/blocks/good_lines.hpp"
#include "core/dag.hpp"

namespace treekernels {

struct TextRows : GoodLines {
    // The trees of a column, or the numbers of its texts, of which each distinct one is kept once.
    struct Column {
        bool holds_trees;
        std::vector<std::uint32_t> values;
        std::vector<std::string_view> texts;  // in the block, or among those that were in quotes
    };
    std::vector<Column> columns;
    std::deque<std::string> unquoted;
};

// What a line of a block looks like.
struct RowShape {
    std::vector<bool> holds_trees;  // the columns
    char separator;                 // of columns; with NUL, a line is a tree, or a comment that begins with #
    bool quotes;                    // whether entries may be in quotes, and go on on the next line there
    std::size_t longest_label = static_cast<std::size_t>(-1);
};

// Reads the rows of a block up to the first one that is not good. Empty lines are passed over. A row in quotes that
// goes on behind the block is not good.
TextRows read_rows(Dag& dag, std::string_view block, std::size_t begin, const RowShape& shape, const Task& task);

}  // namespace treekernels
