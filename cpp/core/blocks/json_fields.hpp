// Objects in JSON as rows, one on each line, with trees in some of their fields.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/blocks/good_lines.hpp"
#include "core/dag.hpp"

namespace treekernels {

struct JsonFields : GoodLines {
    // A field: the rows that have it, and their trees, or the numbers of their values, of which each is kept once, as
    // it is written.
    struct Field {
        std::string name;
        bool holds_trees;
        std::vector<std::uint32_t> rows;
        std::vector<std::uint32_t> values;
        std::vector<std::string_view> texts;
    };
    std::deque<Field> fields;  // in the order in which they appear
};

// Reads the rows up to the first line that is not good: no object, a tree that is none, a field twice. A tree may be
// null, as if the field was not there.
JsonFields read_json_fields(Dag& dag, std::string_view block, std::size_t begin, const std::vector<std::string>& trees,
                            std::size_t longest_label, const Task& task);

}  // namespace treekernels
