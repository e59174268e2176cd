// Documents in JSON as trees, in the shape of `treekernels.io.reading.trees.documents`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/blocks/good_lines.hpp"
#include "core/dag.hpp"

namespace treekernels {

enum class JsonValues { kAll, kWords, kTypes, kNone };
enum class JsonKeys { kAll, kSorted, kNone };

// What of a document becomes nodes.
struct JsonStyle {
    JsonValues values = JsonValues::kAll;
    JsonKeys keys = JsonKeys::kAll;
    std::size_t longest_label = static_cast<std::size_t>(-1);
};

struct JsonLines : GoodLines {
    std::vector<Node> roots;
    std::vector<std::uint32_t> label_numbers;  // of the texts of labels, if there are any
    std::vector<std::string_view> labels;      // in the block, as they are written
};

// Reads one document on each line up to the first that is not good: not JSON, or without the field of the label if
// that is given, which stays out of the tree. Lines without anything are passed over.
JsonLines read_json_lines(Dag& dag, std::string_view block, std::size_t begin, const JsonStyle& style,
                          const std::optional<std::string>& label, const Task& task);

struct JsonItems {
    std::vector<Node> roots;
    std::vector<std::size_t> places;  // where each begins
};

// Reads a document, or the items of the array that some keys lead to. Nothing where that cannot be done.
std::optional<JsonItems> read_json_items(Dag& dag, std::string_view text, const JsonStyle& style,
                                         const std::optional<std::vector<std::string>>& keys, const Task& task);

}  // namespace treekernels
