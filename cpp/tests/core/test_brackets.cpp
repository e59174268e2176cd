// Trees as text: there and back, and what is wrong with those that are none.
#include <algorithm>

#include "core/brackets.hpp"
#include "tests/support/check.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

namespace {

// Labels that need escapes, look like escapes, or are not ASCII.
const std::vector<std::string> kLabels{"A",        "NP",      "1\\/2", "(",     ")",  " ",     "a b",          "\\x28",
                                       "\\",       "\\x",     "\\x2",  "\\xzz", "\t", "\n(\r", "\xE7\x8A\xAC", "-LRB-",
                                       "\\x5cx41", "\\\\x28", "\x7F",  "x)"};

Node random_tree(Dag& dag, Random& random, std::size_t size) {
    PlainTree tree = random_plain_tree(random, size);
    for (std::string& label : tree.labels) label = kLabels[random.below(kLabels.size())];
    return intern(dag, tree);
}

std::pair<std::string, std::size_t> failure_of(std::string_view text) {
    Dag dag;
    try {
        BracketReader(dag).read(text);
    } catch (const ParseFailure& failure) {
        return {failure.what(), failure.offset};
    }
    return {"no failure", 0};
}

}  // namespace

TEST(random_trees_come_back_from_text) {
    Random random(51);
    for (int round = 0; round < 2000; ++round) {
        Dag dag;
        const Node root = random_tree(dag, random, 1 + random.below(20));
        const std::string text = to_brackets(dag, root);
        CHECK(text.find_first_of("\t\n\r") == text.npos);
        // In the same DAG it is the same tree; in another it has the same text.
        CHECK(BracketReader(dag).read(text) == root);
        Dag other;
        CHECK(to_brackets(other, BracketReader(other).read(text)) == text);
    }
}

TEST(white_space_does_not_matter) {
    Dag dag;
    BracketReader reader(dag);
    const Node root = reader.read("(A (B x) y)");
    for (const char* text : {" (A (B x) y) ", "(A(B x)y)", "( A\n( B\tx )\r\v\fy )", "(A (B x)\n\n   y)"})
        CHECK(reader.read(text) == root);
    CHECK(reader.read("(A(B x) y)") == root);
    CHECK(reader.read("(A ( B x) y\n)\n") == root);
    CHECK(reader.read("(A (B x) (y))") == root);  // a leaf with brackets
}

TEST(escapes_stand_for_characters) {
    Dag dag;
    const Node root = BracketReader(dag).read("(\\x28a\\x29 \\x20 1\\/2 \\x00 \\x80 \\x4 \\x5cx41 \\xC3)");
    std::vector<std::string> labels{std::string(dag.label_text(dag.label(root)))};
    for (Node child : dag.children(root)) labels.emplace_back(dag.label_text(dag.label(child)));
    // NUL cannot be in a label, and beyond ASCII a byte alone is no character: those stand for themselves.
    CHECK(labels == std::vector<std::string>{"(a)", " ", "1\\/2", "\\x00", "\\x80", "\\x4", "\\x41", "\\xC3"});
}

TEST(failures_say_where) {
    using Failure = std::pair<std::string, std::size_t>;
    const auto is = [](const Failure& failure, const char* word, std::size_t offset) {
        return failure.first.find(word) != failure.first.npos && failure.second == offset;
    };
    CHECK(is(failure_of(""), "empty", 0));
    CHECK(is(failure_of("  \n"), "empty", 0));
    CHECK(is(failure_of("  A"), "starts with '('", 2));
    CHECK(is(failure_of(" )"), "without an opening one", 1));
    CHECK(is(failure_of("(A (B x)"), "never closed", 0));
    CHECK(is(failure_of("(A (B x"), "never closed", 3));
    CHECK(is(failure_of("(A ("), "never closed", 3));
    CHECK(is(failure_of("(A (B x)))"), "too many", 9));
    CHECK(is(failure_of("(A x) (B y)"), "more text", 6));
    CHECK(is(failure_of("(A x) y"), "more text", 6));
    CHECK(is(failure_of("(A (  (B x)))"), "not followed by a label", 3));
    CHECK(is(failure_of("(A ())"), "not followed by a label", 3));
    CHECK(is(failure_of(std::string_view("(A x\0y)", 7)), "NUL", 4));
    CHECK(is(failure_of(std::string_view("(A\0 y)", 6)), "NUL", 2));
}

TEST(a_text_cut_anywhere_fails_and_the_reader_goes_on) {
    Random random(52);
    for (int round = 0; round < 200; ++round) {
        Dag dag;
        const std::string text = to_brackets(dag, random_tree(dag, random, 1 + random.below(12)));
        BracketReader reader(dag);
        for (std::size_t cut = 0; cut < text.size(); ++cut)
            CHECK_THROWS(ParseFailure, reader.read(std::string_view(text).substr(0, cut)));
        CHECK(to_brackets(dag, reader.read(text)) == text);
    }
}

TEST(depth_does_not_matter) {
    constexpr std::size_t kDepth = 200000;
    std::string text;
    for (std::size_t level = 0; level < kDepth; ++level) text += "(A ";
    text += "x" + std::string(kDepth, ')');
    Dag dag;
    std::string back = to_brackets(dag, BracketReader(dag).read(text));
    CHECK(back == text);
    CHECK(dag.size() == kDepth + 1);
}

}  // namespace treekernels::tests
