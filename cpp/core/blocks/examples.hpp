// Lines of examples with labels, trees and vectors, as in files of SVM-LIGHT-TK and KeLP.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/blocks/good_lines.hpp"
#include "core/dag.hpp"

namespace treekernels {

enum class PartKind : std::uint8_t { kTree, kSparse, kDense, kText, kNumber };

// The parts of one name, in the rows that have it. What is not a tree or a number is kept as the number of its text.
struct ExamplePart {
    std::string name;
    PartKind kind;
    std::size_t width = kNone;  // of dense vectors, once there is one
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> values;    // trees or texts, or how many entries a vector has
    std::vector<std::uint32_t> features;  // of all entries, the numbers of their names
    std::vector<double> numbers;          // of all entries
    std::vector<std::uint32_t> unread;    // which of these are NaN here, since they are not so simple
    std::vector<std::string_view> unread_texts;
    std::vector<std::string_view> texts;  // of values or features
};

struct ExampleRows : GoodLines {
    std::vector<std::uint32_t> head_numbers;  // of the text before the parts
    std::vector<std::string_view> heads;
    std::deque<ExamplePart> parts;  // in the order in which they appear
};

// What parts have been seen before.
struct KnownPart {
    std::string name;
    PartKind kind;
    std::size_t width;
};

// Reads examples up to the first line that is not good, or that is so unusual that it is left to others. Empty lines,
// and those that begin with #, are passed over.
ExampleRows read_svmlight(Dag& dag, std::string_view block, std::size_t begin, const std::vector<KnownPart>& known,
                          std::size_t longest_label, const Task& task);
ExampleRows read_kelp(Dag& dag, std::string_view block, std::size_t begin, const std::vector<KnownPart>& known,
                      std::size_t longest_label, const Task& task);

}  // namespace treekernels
