// The lines of a block, as far as they are good.
//
// Only good lines are read here, and quickly. The caller says what is wrong with the first line that is not good, for
// which there is time, and goes on behind it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/threads/tasks.hpp"

namespace treekernels {

struct GoodLines {
    std::vector<std::uint32_t> lines;  // of each row, counted from 0
    std::size_t end = 0;               // in the block, behind what was read
    std::uint32_t line_count = 0;      // of what was read
};

inline bool is_blank(std::string_view line, const char* spaces = " \t\v\f\r") {
    return line.find_first_not_of(spaces) == line.npos;
}

// Calls read_row(line) for each line but those that are passed over, until it returns false. Lines come without their
// ends.
template <class IsPassedOver, class ReadRow>
GoodLines read_good_lines(std::string_view block, std::size_t begin, const Task& task, IsPassedOver is_passed_over,
                          ReadRow read_row) {
    GoodLines good;
    good.end = std::min(begin, block.size());
    while (good.end < block.size()) {
        task.check();
        const std::size_t end = std::min(block.find('\n', good.end), block.size());
        std::string_view line = block.substr(good.end, end - good.end);
        while (line.ends_with('\r')) line.remove_suffix(1);
        if (!is_passed_over(line)) {
            if (!read_row(line)) break;
            good.lines.push_back(good.line_count);
        }
        ++good.line_count;
        good.end = std::min(end + 1, block.size());
    }
    return good;
}

}  // namespace treekernels
