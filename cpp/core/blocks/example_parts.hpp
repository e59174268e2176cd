// Collects the parts of examples by their names, and forgets those of a line that turns out not to be good.
#pragma once

#include <string_view>

#include "core/blocks/examples.hpp"
#include "core/blocks/spaces.hpp"
#include "core/blocks/text_numbers.hpp"
#include "core/brackets.hpp"

namespace treekernels {

std::string_view without_spaces(std::string_view text);

class ExampleParts {
public:
    ExampleParts(Dag& dag, const std::vector<KnownPart>& known, std::size_t longest_label);

    // Each of these returns whether the part is good.
    bool add_tree(std::string_view name, std::string_view text);
    bool add_text(std::string_view name, PartKind kind, std::string_view text);
    // Entries `name:value`, or numbers with spaces or commas between them.
    bool add_sparse(std::string_view name, std::string_view text, bool names_are_numbers);
    bool add_dense(std::string_view name, std::string_view text);

    void end_row(std::string_view head);
    void forget_row();
    ExampleRows take_rows();

private:
    // The part of this name in this row, or nothing if it cannot be of this kind, or is there already.
    ExamplePart* begin(std::string_view name, PartKind kind);
    bool add_number(ExamplePart& part, std::string_view text);

    const std::vector<KnownPart>& known_;
    ExampleRows rows_;
    BracketReader reader_;
    NumberIndex index_;
    std::deque<TextNumbers> texts_;                // of each part
    std::deque<std::vector<std::uint64_t>> seen_;  // of each feature of a part, in which vector it was last
    TextNumbers heads_;
    std::vector<std::size_t> begun_;  // the parts of this row
    std::size_t next_ = 0, last_ = 0;
    std::uint64_t vectors_ = 0;
    std::uint32_t row_ = 0;
};

// Reads examples by `read_line`, which adds parts and ends their row, up to a line of which it returns false.
template <class ReadLine>
ExampleRows read_example_lines(std::string_view block, std::size_t begin, const Task& task, ExampleParts& parts,
                               ReadLine read_line) {
    const auto is_passed_over = [](std::string_view line) {
        line = without_spaces(line);
        return line.empty() || line.front() == '#';
    };
    const GoodLines good = read_good_lines(block, begin, task, is_passed_over, [&](std::string_view line) {
        const bool is_good = read_line(line);
        if (!is_good) parts.forget_row();
        return is_good;
    });
    ExampleRows rows = parts.take_rows();
    static_cast<GoodLines&>(rows) = good;
    return rows;
}

}  // namespace treekernels
