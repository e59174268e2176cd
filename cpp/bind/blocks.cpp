// Blocks of files for Python: what is good in them, up to the first line that is not.
#include "bind/bind.hpp"
#include "core/blocks/examples.hpp"
#include "core/blocks/json_fields.hpp"
#include "core/blocks/json_trees.hpp"
#include "core/blocks/rows.hpp"
#include "core/blocks/treebanks.hpp"

namespace treekernels {

namespace {

// Blocks come one after the other, so that Ctrl-C is heard between them.
constexpr std::size_t kBriefBlock = 4 << 20;

using Numbers = Vector<std::uint32_t>;

// The lines of the good rows, where the block is read up to, and how many lines that is.
using Lines = std::tuple<Numbers, std::size_t, std::uint32_t>;

Lines lines_of(GoodLines& good) { return {to_numpy(std::move(good.lines)), good.end, good.line_count}; }

// A block is kept alive by the caller.
std::string_view view_of(const nb::bytes& block) { return {block.c_str(), block.size()}; }

// Reads a block, and what it reads goes to a DAG.
template <class Read>
auto read_block(Dag& dag, const nb::bytes& block, Read read) {
    std::optional<decltype(read(std::declval<Task&>()))> result;
    const Locks locks = Locks().write(dag.mutex());
    const auto brief = [&] { return block.size() < kBriefBlock; };
    run_locked(locks, brief, 1, nb::none(), [&](Task& task) { result.emplace(read(task)); });
    return std::move(*result);
}

Texts texts_of(const std::vector<std::string_view>& texts) {
    nb::list list;
    for (const std::string_view text : texts) list.append(nb::str(text.data(), text.size()));
    return Texts(list);
}

// The trees or texts of a column, as an array of nodes or a list of texts. Equal texts are one object.
nb::object column_of(TextRows::Column& column) {
    if (column.holds_trees) return nb::cast(to_numpy(std::move(column.values)));
    const Texts distinct = texts_of(column.texts);
    nb::list texts;
    for (const std::uint32_t number : column.values) texts.append(distinct[number]);
    return texts;
}

std::tuple<nb::typed<nb::list, nb::object>, Lines> rows_of(Dag& dag, const nb::bytes& block, std::size_t begin,
                                                           const std::vector<bool>& holds_trees,
                                                           const std::string& separator, bool quotes,
                                                           std::size_t longest_label) {
    if (holds_trees.empty() || separator.size() > 1) throw nb::value_error("columns and a separator are needed");
    const RowShape shape{holds_trees, separator.empty() ? '\0' : separator.front(), quotes, longest_label};
    TextRows rows =
        read_block(dag, block, [&](Task& task) { return read_rows(dag, view_of(block), begin, shape, task); });
    nb::list columns;
    for (TextRows::Column& column : rows.columns) columns.append(column_of(column));
    return {columns, lines_of(rows)};
}

JsonStyle style_of(unsigned values, unsigned keys, std::size_t longest_label) {
    if (values > 3 || keys > 2) throw nb::value_error("no such style");
    return {static_cast<JsonValues>(values), static_cast<JsonKeys>(keys), longest_label};
}

std::tuple<Vector<Node>, Numbers, Texts, Lines> json_lines(Dag& dag, const nb::bytes& block, std::size_t begin,
                                                           unsigned values, unsigned keys,
                                                           const std::optional<std::string>& label,
                                                           std::size_t longest_label) {
    const JsonStyle style = style_of(values, keys, longest_label);
    JsonLines rows = read_block(
        dag, block, [&](Task& task) { return read_json_lines(dag, view_of(block), begin, style, label, task); });
    return {to_numpy(std::move(rows.roots)), to_numpy(std::move(rows.label_numbers)), texts_of(rows.labels),
            lines_of(rows)};
}

std::optional<std::pair<Vector<Node>, Vector<std::uint64_t>>> json_items(
    Dag& dag, const nb::bytes& text, unsigned values, unsigned keys,
    const std::optional<std::vector<std::string>>& each, std::size_t longest_label) {
    const JsonStyle style = style_of(values, keys, longest_label);
    std::optional<JsonItems> items =
        read_block(dag, text, [&](Task& task) { return read_json_items(dag, view_of(text), style, each, task); });
    if (!items) return std::nullopt;
    std::vector<std::uint64_t> places(items->places.begin(), items->places.end());
    return std::pair{to_numpy(std::move(items->roots)), to_numpy(std::move(places))};
}

// For each field its name, whether it holds trees, the rows that have it, and trees or numbers of texts.
using Field = std::tuple<std::string, bool, Numbers, Numbers, Texts>;

std::tuple<std::vector<Field>, Lines> json_fields(Dag& dag, const nb::bytes& block, std::size_t begin,
                                                  const std::vector<std::string>& trees, std::size_t longest_label) {
    JsonFields rows = read_block(dag, block, [&](Task& task) {
        return read_json_fields(dag, view_of(block), begin, trees, longest_label, task);
    });
    std::vector<Field> fields;
    for (JsonFields::Field& field : rows.fields)
        fields.emplace_back(field.name, field.holds_trees, to_numpy(std::move(field.rows)),
                            to_numpy(std::move(field.values)), texts_of(field.texts));
    return {std::move(fields), lines_of(rows)};
}

// The members of an ExamplePart, in their order.
using Part = std::tuple<std::string, unsigned, std::optional<std::size_t>, Numbers, Numbers, Numbers, Vector<double>,
                        Numbers, Texts, Texts>;
using Known = std::tuple<std::string, unsigned, std::optional<std::size_t>>;

std::tuple<Texts, Numbers, std::vector<Part>, Lines> examples(Dag& dag, const nb::bytes& block, std::size_t begin,
                                                              bool kelp, const std::vector<Known>& known,
                                                              std::size_t longest_label) {
    std::vector<KnownPart> parts;
    for (const auto& [name, kind, width] : known)
        parts.push_back({name, static_cast<PartKind>(kind), width.value_or(kNone)});
    ExampleRows rows = read_block(dag, block, [&](Task& task) {
        return (kelp ? read_kelp : read_svmlight)(dag, view_of(block), begin, parts, longest_label, task);
    });
    std::vector<Part> made;
    for (ExamplePart& part : rows.parts)
        made.emplace_back(part.name, static_cast<unsigned>(part.kind),
                          part.width == kNone ? std::nullopt : std::optional(part.width),
                          to_numpy(std::move(part.rows)), to_numpy(std::move(part.values)),
                          to_numpy(std::move(part.features)), to_numpy(std::move(part.numbers)),
                          to_numpy(std::move(part.unread)), texts_of(part.unread_texts), texts_of(part.texts));
    return {texts_of(rows.heads), to_numpy(std::move(rows.head_numbers)), std::move(made), lines_of(rows)};
}

// The roots, the lines, and whether the block may only end too early for what is left of it.
using Treebank = std::tuple<Vector<Node>, Lines, bool>;

Treebank penn(Dag& dag, const nb::bytes& block, std::size_t longest_label) {
    TreebankRows rows =
        read_block(dag, block, [&](Task& task) { return read_penn(dag, view_of(block), longest_label, task); });
    return {to_numpy(std::move(rows.roots)), lines_of(rows), rows.may_go_on};
}

using Lexeme = std::vector<std::pair<std::string, std::optional<unsigned>>>;

// What comments say as well, None where they do not.
std::tuple<Treebank, nb::typed<nb::list, nb::object>, nb::typed<nb::list, nb::object>> conllu(
    Dag& dag, const nb::bytes& block, bool is_last, const std::string& shape, bool tag_is_xpos, const Lexeme& lexeme,
    const std::vector<std::pair<std::string, std::string>>& letters, std::size_t longest_label) {
    DependencyStyle style{
        shape.ends_with("LCT") || shape == "LOCT", shape == "LOCT", shape.starts_with("C"), tag_is_xpos, {},
        {letters.begin(), letters.end()},          longest_label};
    for (const auto& [text, field] : lexeme) {
        if (field.value_or(0) > DependencyStyle::kPos) throw nb::value_error("no such field");
        style.lexeme.emplace_back(
            text, field.has_value() ? std::optional(static_cast<DependencyStyle::Field>(*field)) : std::nullopt);
    }
    SentenceRows rows =
        read_block(dag, block, [&](Task& task) { return read_conllu(dag, view_of(block), is_last, style, task); });
    const auto listed = [](const std::vector<std::string_view>& texts) {
        nb::list list;
        for (const std::string_view text : texts)
            list.append(text.data() == nullptr ? nb::object(nb::none()) : nb::str(text.data(), text.size()));
        return nb::typed<nb::list, nb::object>(list);
    };
    return {Treebank{to_numpy(std::move(rows.roots)), lines_of(rows), rows.may_go_on}, listed(rows.ids),
            listed(rows.texts)};
}

}  // namespace

void bind_blocks(nb::module_& m) {
    m.def("read_rows", &rows_of, "dag"_a, "block"_a, "begin"_a, "holds_trees"_a, "separator"_a, "quotes"_a,
          "longest_label"_a);
    m.def("read_json_lines", &json_lines, "dag"_a, "block"_a, "begin"_a, "values"_a, "keys"_a, "label"_a.none(),
          "longest_label"_a);
    m.def("read_json_items", &json_items, "dag"_a, "text"_a, "values"_a, "keys"_a, "each"_a.none(), "longest_label"_a);
    m.def("read_json_fields", &json_fields, "dag"_a, "block"_a, "begin"_a, "trees"_a, "longest_label"_a);
    m.def("read_penn", &penn, "dag"_a, "block"_a, "longest_label"_a);
    m.def("read_conllu", &conllu, "dag"_a, "block"_a, "is_last"_a, "shape"_a, "tag_is_xpos"_a, "lexeme"_a, "letters"_a,
          "longest_label"_a);
    m.def("read_examples", &examples, "dag"_a, "block"_a, "begin"_a, "kelp"_a, "known"_a, "longest_label"_a);
}

}  // namespace treekernels
