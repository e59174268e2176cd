// Blocks of lines: rows as far as they are good.
#include "core/blocks/rows.hpp"
#include "core/brackets.hpp"
#include "tests/support/check.hpp"

namespace treekernels::tests {

namespace {

const RowShape kLabelAndTree{{false, true}, '\t', false};

std::size_t good_bytes(std::string_view block, const RowShape& shape) {
    Dag dag;
    const TextRows rows = read_rows(dag, block, 0, shape, Task(1));
    for (const TextRows::Column& column : rows.columns) CHECK(column.values.size() == rows.lines.size());
    return rows.end;
}

}  // namespace

TEST(rows_have_trees_and_texts) {
    Dag dag;
    const TextRows rows = read_rows(dag, "x\t(A b)\r\n  \n\t(A c)\nx\t (A b)", 0, kLabelAndTree, Task(1));
    CHECK(rows.end == 27 && rows.line_count == 4);
    CHECK((rows.lines == std::vector<std::uint32_t>{0, 2, 3}));
    CHECK((rows.columns[0].texts == std::vector<std::string_view>{"x", ""}));
    CHECK((rows.columns[0].values == std::vector<std::uint32_t>{0, 1, 0}));
    CHECK(to_brackets(dag, rows.columns[1].values[1]) == "(A c)");
    CHECK(rows.columns[1].values[0] == rows.columns[1].values[2]);
}

TEST(rows_end_before_the_first_bad_line) {
    CHECK(good_bytes("x\t(A b)\nx\n", kLabelAndTree) == 8);
    CHECK(good_bytes("x\t(A b)\nx\t(A b)\t\n", kLabelAndTree) == 8);
    CHECK(good_bytes("x\t(A b)\nx\t(A", kLabelAndTree) == 8);
    CHECK(good_bytes("", kLabelAndTree) == 0);
}

TEST(lines_of_trees_may_be_comments) {
    const RowShape lines{{true}, '\0', false};
    CHECK(good_bytes(" # no\n\n(A\tb)\n", lines) == 13);
    CHECK(good_bytes("# no", {{true}, '\t', false}) == 0);
}

}  // namespace treekernels::tests
