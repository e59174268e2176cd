// Blocks of CSV, JSON and examples.
#include "core/blocks/examples.hpp"
#include "core/blocks/json.hpp"
#include "core/blocks/json_fields.hpp"
#include "core/blocks/json_trees.hpp"
#include "core/blocks/rows.hpp"
#include "core/brackets.hpp"
#include "tests/support/check.hpp"

namespace treekernels::tests {

namespace {

std::string document(std::string_view line, const JsonStyle& style = {}) {
    Dag dag;
    const JsonLines lines = read_json_lines(dag, line, 0, style, std::nullopt, Task(1));
    return lines.roots.empty() ? "" : to_brackets(dag, lines.roots[0]);
}

}  // namespace

TEST(rows_may_have_quotes) {
    Dag dag;
    const RowShape shape{{false, true}, ',', true};
    const TextRows rows = read_rows(dag, "\"a, \"\"b\"\"\nc\",(A b)\r\n\n,\"(, ,)\"\n\"x", 0, shape, Task(1));
    CHECK((rows.columns[0].texts == std::vector<std::string_view>{"a, \"b\"\nc", ""}));
    CHECK((rows.lines == std::vector<std::uint32_t>{0, 3}));
    CHECK(rows.line_count == 4 && rows.end == 30);
    CHECK(to_brackets(dag, rows.columns[1].values[1]) == "(, ,)");
}

TEST(documents_are_trees) {
    CHECK(document(R"({"a": [1, 2.50, {}], "b": "x\u00e9\ud83d\ude00"})") ==
          "({} (a ([] 1 2.50 {})) (b x\xC3\xA9\xF0\x9F\x98\x80))");
    CHECK(document(R"({"b": " two  words", "a": ""})", {JsonValues::kWords, JsonKeys::kSorted}) ==
          "({} a (b two words))");
    CHECK(document(R"({"b": [true, null, "x"]})", {JsonValues::kTypes, JsonKeys::kNone}) ==
          "({} ([] boolean null string))");
    CHECK(document(R"(["a", {"b": 1}])", {JsonValues::kNone, JsonKeys::kAll}) == "([] ({} b))");
    CHECK(document("\"\"") == "(\"\")");
    for (const std::string_view bad :
         {"{", "[1,]", "{\"a\" 1}", "01", "\"\\x\"", "\"\\ud800\"", "[1] 2", "\"\t\"", "-", "nul"})
        CHECK(document(bad).empty());
}

TEST(values_end_where_json_says) {
    CHECK(json_value_end("[1, {\"a\": \"]\"}] x", 0) == 15);
    CHECK(json_value_end("1.", 0) == 1);
    CHECK(json_value_end("1e+", 0) == 1);
    CHECK(json_value_end("", 0) == kBad);
}

TEST(items_of_an_array) {
    Dag dag;
    const std::vector<std::string> keys{"a", "b"};
    const auto items = read_json_items(dag, R"({"a": {"b": [1, []]}})", {}, keys, Task(1));
    CHECK(items && (items->places == std::vector<std::size_t>{13, 16}));
    CHECK(!read_json_items(dag, R"({"a": {"b": [1, []]})", {}, keys, Task(1)));
    CHECK(!read_json_items(dag, R"({"a": 1})", {}, keys, Task(1)));
}

TEST(fields_are_columns) {
    Dag dag;
    const JsonFields rows = read_json_fields(
        dag, "{\"t\": \"(A b)\", \"x\": 1}\n{\"t\": null, \"y\": 2}\n{\"x\": 1, \"x\": 2}", 0, {"t"}, 100, Task(1));
    CHECK(rows.lines.size() == 2 && rows.fields.size() == 3);
    CHECK((rows.fields[0].rows == std::vector<std::uint32_t>{0}));
    CHECK((rows.fields[1].rows == std::vector<std::uint32_t>{0}));
    CHECK((rows.fields[2].rows == std::vector<std::uint32_t>{1}));
}

TEST(examples_have_parts) {
    Dag dag;
    const ExampleRows rows = read_svmlight(
        dag, "1 |BT| (A b) |BT| |ET| 1:0.5 7:-2 |EV|\n2 qid:3 1:1e3\n1 |BT| (A b |ET|\n", 0, {}, 100, Task(1));
    CHECK(rows.lines.size() == 2 && rows.parts.size() == 4);
    CHECK(rows.parts[2].name == "vector1" && rows.parts[3].name == "qid");
    CHECK((rows.parts[2].numbers[0] == 0.5 && rows.parts[2].numbers[1] == -2));
    CHECK((rows.parts[2].unread == std::vector<std::uint32_t>{2}));
    const ExampleRows others = read_kelp(dag, "x |BV:v| a:1 a:2 |EV|", 0, {}, 100, Task(1));
    CHECK(others.lines.empty() && others.parts[0].numbers.empty());
}

}  // namespace treekernels::tests
