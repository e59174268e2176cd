// Lines of SVM-LIGHT-TK: label |BT| tree |BT| tree |ET| 1:0.5 2:1 |BV| 1:0.3 |EV|, and those of plain SVM-light.
#include <array>

#include "core/blocks/example_parts.hpp"

namespace treekernels {

namespace {

enum class Sign { kTree, kEndOfTrees, kVector, kEndOfVectors, kOldVector, kNothing };

struct SignAt {
    Sign sign;
    std::size_t begin, end;
};

SignAt next_sign(std::string_view line, std::size_t at) {
    static constexpr std::array<std::string_view, 5> signs = {"|BT|", "|ET|", "|BV|", "|EV|", "|STD|"};
    for (at = line.find('|', at); at != line.npos; at = line.find('|', at + 1))
        for (std::size_t number = 0; number < signs.size(); ++number)
            if (line.substr(at).starts_with(signs[number]))
                return {static_cast<Sign>(number), at, at + signs[number].size()};
    return {Sign::kNothing, line.size(), line.size()};
}

// Whether words stand side by side, which the program takes for one leaf; that is left to others.
bool has_words_in_a_row(std::string_view tree) {
    int words = 0;  // since the last bracket, without the label behind an opening one
    bool is_word = false;
    for (const char c : tree) {
        if (c == '\t') return true;
        if (c == '(' || c == ')') {
            words = c == '(' ? -1 : 0;
            is_word = false;
        } else if (c == ' ') {
            is_word = false;
        } else if (!is_word) {
            is_word = true;
            if (++words == 2) return true;
        }
    }
    return false;
}

std::string numbered(const char* name, std::size_t number) { return name + std::to_string(number + 1); }

class SvmlightLine {
public:
    explicit SvmlightLine(ExampleParts& parts) : parts_(parts) {}

    bool read(std::string_view line) {
        SignAt sign = next_sign(line, 0);
        if (sign.sign == Sign::kNothing) return read_plain(without_spaces(line));
        std::string_view head = line.substr(0, sign.begin);
        if (!take_specials(head) || without_spaces(head).empty()) return false;
        std::size_t trees = 0, vectors = 0, filled = 0;  // filled: up to the last vector that is not empty
        bool is_ended = false;
        while (sign.sign != Sign::kNothing) {
            const SignAt next = next_sign(line, sign.end);
            std::string_view text = line.substr(sign.end, next.begin - sign.end);
            if (sign.sign == Sign::kTree) {
                if (has_words_in_a_row(text) || !parts_.add_tree(numbered("tree", trees++), text)) return false;
            } else {
                const bool has_comment = text.find('#') != text.npos;
                text = text.substr(0, text.find('#'));
                const bool blank = without_spaces(text).empty();
                if (sign.sign == Sign::kEndOfVectors) {
                    if (!blank) return false;
                    is_ended = true;
                } else if (!blank || sign.sign != Sign::kOldVector) {
                    texts_.resize(std::max(texts_.size(), vectors + 1));
                    texts_[vectors++] = text;
                    if (!blank) filled = vectors;
                }
                if (has_comment) break;
            }
            sign = next;
        }
        if (!is_ended) vectors = filled;
        for (std::size_t number = 0; number < vectors; ++number)
            if (!parts_.add_sparse(numbered("vector", number), texts_[number], true)) return false;
        parts_.end_row(without_spaces(head));
        return true;
    }

private:
    // A label, perhaps qid:7 or the like, and a vector.
    bool read_plain(std::string_view line) {
        const std::size_t space = line.find(' ');
        const std::string_view label = line.substr(0, space);
        std::string_view vector = space == line.npos ? "" : line.substr(space + 1);
        if (label.find('\t') != label.npos) return false;
        while (true) {
            const std::string_view rest = without_spaces(vector);
            const std::string_view item = rest.substr(0, std::min(rest.find_first_of(kSpaces), rest.size()));
            if (!is_special(item)) break;
            if (!add_special(item)) return false;
            vector = rest.substr(item.size());
        }
        vector = vector.substr(0, vector.find('#'));
        if (!parts_.add_sparse("vector1", vector, true)) return false;
        parts_.end_row(label);
        return true;
    }

    // Takes qid:7 and the like off the end of what stands before the trees. False for other colons.
    bool take_specials(std::string_view& head) {
        while (head.find(':') != head.npos) {
            head = without_spaces(head);
            const std::size_t begin = head.find_last_of(kSpaces) + 1;
            if (!add_special(head.substr(begin))) return false;
            head = head.substr(0, begin);
        }
        return true;
    }

    static bool is_special(std::string_view item) {
        return item.starts_with("qid:") || item.starts_with("sid:") || item.starts_with("cost:");
    }

    bool add_special(std::string_view item) {
        const std::size_t colon = item.find(':');
        const std::string_view number = is_special(item) ? item.substr(colon + 1) : "";
        const bool is_good =
            !number.empty() && number.size() <= 15 && number.find_first_not_of("0123456789") == number.npos;
        return is_good && parts_.add_text(item.substr(0, colon), PartKind::kNumber, number);
    }

    static constexpr const char* kSpaces = " \t\v\f\r";

    ExampleParts& parts_;
    std::vector<std::string_view> texts_;
};

}  // namespace

ExampleRows read_svmlight(Dag& dag, std::string_view block, std::size_t begin, const std::vector<KnownPart>& known,
                          std::size_t longest_label, const Task& task) {
    ExampleParts parts(dag, known, longest_label);
    SvmlightLine line_reader(parts);
    return read_example_lines(block, begin, task, parts, [&](std::string_view line) { return line_reader.read(line); });
}

}  // namespace treekernels
