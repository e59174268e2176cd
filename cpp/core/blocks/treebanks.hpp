// Files of treebanks, a whole block of them at a time: trees in brackets over any number of lines, and CoNLL-U.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/blocks/good_lines.hpp"
#include "core/dag.hpp"

namespace treekernels {

// Each tree is a row. What was read ends where a line does, outside of any tree.
struct TreebankRows : GoodLines {
    std::vector<Node> roots;
    bool may_go_on = false;  // whether the block may only end too early for what comes behind `end`
};

// Trees one after the other, as in the Penn Treebank: an outer bracket without a label is taken off, and lines that
// start with # or *x* outside of trees are passed over.
TreebankRows read_penn(Dag& dag, std::string_view block, std::size_t longest_label, const Task& task);

// How sentences become trees: see io/reading/trees/dependencies.py.
struct DependencyStyle {
    enum Field { kForm, kLemma, kUpos, kXpos, kRelation, kPos };
    bool lexical = false;  // words are the inner nodes, and not relations
    bool only_words = false;
    bool composed = false;  // relations name the head and the dependent
    bool tag_is_xpos = false;
    std::vector<std::pair<std::string, std::optional<Field>>> lexeme;  // texts, and the fields behind them
    std::unordered_map<std::string, std::string> letters;              // of tags
    std::size_t longest_label = static_cast<std::size_t>(-1);
};

struct SentenceRows : TreebankRows {
    std::vector<std::string_view> ids, texts;  // what comments say, without data where they do not
};

// The sentences of a block, each of which ends with an empty line or, if the block is the last one, with the block.
SentenceRows read_conllu(Dag& dag, std::string_view block, bool is_last, const DependencyStyle& style,
                         const Task& task);

}  // namespace treekernels
