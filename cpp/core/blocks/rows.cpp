#include "core/blocks/rows.hpp"

#include "core/blocks/text_numbers.hpp"
#include "core/brackets.hpp"

namespace treekernels {

namespace {

class RowsOfBlock {
public:
    RowsOfBlock(Dag& dag, const RowShape& shape)
        : shape_(shape), reader_(dag, shape.longest_label), numbers_(shape.holds_trees.size()) {
        for (bool holds_trees : shape.holds_trees) rows_.columns.push_back({holds_trees, {}, {}});
    }

    TextRows read(std::string_view block, std::size_t begin, const Task& task) {
        if (shape_.quotes) {
            read_quoted(block, begin, task);
        } else {
            const auto is_passed_over = [&](std::string_view line) { return this->is_passed_over(line); };
            static_cast<GoodLines&>(rows_) =
                read_good_lines(block, begin, task, is_passed_over, [&](std::string_view line) {
                    split(line);
                    return add_row();
                });
        }
        for (std::size_t place = 0; place < numbers_.size(); ++place)
            rows_.columns[place].texts = numbers_[place].texts();
        return std::move(rows_);
    }

private:
    bool is_passed_over(std::string_view line) const {
        if (shape_.separator != '\0') return is_blank(line, " ");
        const std::size_t begin = line.find_first_not_of(" \t\v\f\r");
        return begin == line.npos || line[begin] == '#';
    }

    void split(std::string_view line) {
        cells_.clear();
        while (true) {
            const std::size_t end = shape_.separator != '\0' ? line.find(shape_.separator) : line.npos;
            cells_.push_back(line.substr(0, end));
            if (end == line.npos || cells_.size() > rows_.columns.size()) return;
            line.remove_prefix(end + 1);
        }
    }

    void read_quoted(std::string_view block, std::size_t begin, const Task& task) {
        rows_.end = std::min(begin, block.size());
        while (rows_.end < block.size()) {
            task.check();
            lines_in_quotes_ = 0;
            const std::size_t end = split_quoted(block, rows_.end);
            if (end == block.npos) return;
            if (!std::ranges::all_of(cells_, [](std::string_view cell) { return is_blank(cell, " "); })) {
                if (!add_row()) return;
                rows_.lines.push_back(rows_.line_count);
            }
            rows_.line_count += 1 + lines_in_quotes_;
            rows_.end = end;
        }
    }

    // Splits the row that begins here, and returns where the next one does; npos if this one is not good.
    std::size_t split_quoted(std::string_view block, std::size_t at) {
        cells_.clear();
        while (true) {
            if (at < block.size() && block[at] == '"') {
                at = take_quoted(block, at + 1);
                if (at == block.npos) return at;
            } else {
                const std::size_t begin = at;
                while (at < block.size() && block[at] != shape_.separator && block[at] != '\n') ++at;
                std::string_view cell = block.substr(begin, at - begin);
                if (at == block.size() || block[at] == '\n')
                    while (cell.ends_with('\r')) cell.remove_suffix(1);
                if (cell.find_first_of(kRare) != cell.npos) return block.npos;
                cells_.push_back(cell);
            }
            if (at < block.size() && block[at] == shape_.separator) {
                ++at;
                continue;
            }
            while (at < block.size() && block[at] == '\r') ++at;
            if (at == block.size()) return at;
            return block[at] == '\n' ? at + 1 : block.npos;
        }
    }

    // Takes the cell that begins here, behind its quote, and returns what is behind the quote that ends it.
    std::size_t take_quoted(std::string_view block, std::size_t at) {
        const std::size_t begin = at;
        bool plain = true;
        while (true) {
            while (at < block.size() && block[at] != '"') {
                lines_in_quotes_ += block[at] == '\n';
                plain = plain && block[at] != '\r' && block[at] != '\0';
                ++at;
            }
            if (at == block.size()) return block.npos;
            if (at + 1 == block.size() || block[at + 1] != '"') break;
            plain = false;
            at += 2;
        }
        if (plain) {
            cells_.push_back(block.substr(begin, at - begin));
        } else if (!take_unquoted(block.substr(begin, at - begin))) {
            return block.npos;
        }
        return at + 1;
    }

    // Two quotes are one, and lines end as they do elsewhere.
    bool take_unquoted(std::string_view cell) {
        std::string text;
        for (std::size_t at = 0; at < cell.size(); ++at) {
            if (cell[at] == '\0') return false;
            if (cell[at] == '\r') {
                const std::size_t end = std::min(cell.find_first_not_of('\r', at), cell.size());
                if (end == cell.size() || cell[end] != '\n') return false;
                at = end;
            }
            text.push_back(cell[at]);
            if (cell[at] == '"') ++at;
        }
        rows_.unquoted.push_back(std::move(text));
        cells_.push_back(rows_.unquoted.back());
        return true;
    }

    // Whether the row was good; otherwise it leaves nothing behind.
    bool add_row() {
        if (cells_.size() != rows_.columns.size()) return false;
        for (std::size_t done = 0; done < cells_.size(); ++done) {
            if (add_cell(done, cells_[done])) continue;
            while (done > 0) rows_.columns[--done].values.pop_back();
            return false;
        }
        return true;
    }

    bool add_cell(std::size_t place, std::string_view cell) {
        TextRows::Column& column = rows_.columns[place];
        if (!column.holds_trees) {
            column.values.push_back(numbers_[place].number(cell));
            return true;
        }
        try {
            column.values.push_back(reader_.read(cell));
            return true;
        } catch (const ParseFailure&) {
            return false;
        }
    }

    static constexpr std::string_view kRare{"\r\0", 2};

    const RowShape& shape_;
    BracketReader reader_;
    std::vector<TextNumbers> numbers_;
    std::vector<std::string_view> cells_;
    std::uint32_t lines_in_quotes_ = 0;
    TextRows rows_;
};

}  // namespace

TextRows read_rows(Dag& dag, std::string_view block, std::size_t begin, const RowShape& shape, const Task& task) {
    return RowsOfBlock(dag, shape).read(block, begin, task);
}

}  // namespace treekernels
