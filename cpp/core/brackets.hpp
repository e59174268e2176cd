// Trees as text in Penn bracket notation: (S (NP (N Mary)) (VP (V sleeps))).
//
// Labels end at white space or a bracket. A character that a label could not hold otherwise is written \xHH
// (two hexadecimal digits); any other backslash stands for itself, as in the Penn Treebank's 1\/2.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/dag.hpp"

namespace treekernels {

// Where and why a text is not a tree. `offset` counts bytes.
class ParseFailure : public std::runtime_error {
public:
    ParseFailure(const std::string& reason, std::size_t offset) : std::runtime_error(reason), offset(offset) {}
    std::size_t offset;
};

// Reads one tree per call and keeps its buffers from call to call.
class BracketReader {
public:
    // A label may have so many bytes.
    explicit BracketReader(Dag& dag, std::size_t longest_label = static_cast<std::size_t>(-1))
        : dag_(dag), longest_label_(longest_label) {}
    Node read(std::string_view text);

private:
    struct Open {
        Label label;
        std::size_t first_child;
        std::size_t offset;
    };
    std::string_view token(std::string_view text, std::size_t& at);
    Label label(std::string_view text, std::size_t& at);

    Dag& dag_;
    std::size_t longest_label_;
    std::vector<Open> open_;
    std::vector<Node> children_;
    std::string unescaped_;
};

// A shared subtree is written as often as it occurs. Throws TooLarge where the tree has more than `most_nodes` nodes.
std::string to_brackets(const Dag& dag, Node root, std::size_t most_nodes = static_cast<std::size_t>(-1));
// The beginning of the same, up to the first label that ends behind so many bytes.
std::string brackets_prefix(const Dag& dag, Node root, std::size_t bytes);

}  // namespace treekernels
