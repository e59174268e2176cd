#include "core/rows.hpp"

#include "core/brackets.hpp"

namespace treekernels {

namespace {

// Numbers the distinct texts of a column.
class TextNumbers {
public:
    std::uint32_t number(std::string_view text, std::vector<std::string_view>& texts) {
        // Labels often stand in groups.
        if (last_ != kNone && texts[last_] == text) return last_;
        const std::uint64_t hash = std::hash<std::string_view>{}(text);
        last_ = index_.find(hash, [&](std::uint32_t number) { return texts[number] == text; });
        if (last_ == kNone) {
            last_ = static_cast<std::uint32_t>(texts.size());
            texts.push_back(text);
            index_.insert(hash, last_);
        }
        return last_;
    }

private:
    NumberIndex index_;
    std::uint32_t last_ = kNone;
};

class RowsOfBlock {
public:
    RowsOfBlock(Dag& dag, const RowShape& shape)
        : shape_(shape), reader_(dag, shape.longest_label), numbers_(shape.holds_trees.size()) {
        for (bool holds_trees : shape.holds_trees) rows_.columns.push_back({holds_trees, {}, {}});
    }

    TextRows read(std::string_view block, const Task& task) {
        while (rows_.bytes < block.size()) {
            task.check();
            const std::size_t end = std::min(block.find('\n', rows_.bytes), block.size());
            std::string_view line = block.substr(rows_.bytes, end - rows_.bytes);
            while (line.ends_with('\r')) line.remove_suffix(1);
            if (!is_passed_over(line)) {
                if (!read_row(line)) break;
                rows_.lines.push_back(rows_.line_count);
            }
            ++rows_.line_count;
            rows_.bytes = std::min(end + 1, block.size());
        }
        return std::move(rows_);
    }

private:
    bool is_passed_over(std::string_view line) const {
        const std::size_t begin = line.find_first_not_of(shape_.tabs ? " " : " \t\v\f\r");
        return begin == line.npos || (!shape_.tabs && line[begin] == '#');
    }

    // Whether the line was good; otherwise it leaves nothing behind.
    bool read_row(std::string_view line) {
        std::size_t done = 0;
        for (bool more = true; more; ++done) {
            const std::size_t tab = shape_.tabs ? line.find('\t') : line.npos;
            more = tab != line.npos;
            if (more == (done + 1 == rows_.columns.size()) || !read_cell(done, line.substr(0, tab))) {
                while (done > 0) rows_.columns[--done].values.pop_back();
                return false;
            }
            if (more) line.remove_prefix(tab + 1);
        }
        return true;
    }

    bool read_cell(std::size_t place, std::string_view cell) {
        TextRows::Column& column = rows_.columns[place];
        if (!column.holds_trees) {
            column.values.push_back(numbers_[place].number(cell, column.texts));
            return true;
        }
        try {
            column.values.push_back(reader_.read(cell));
            return true;
        } catch (const ParseFailure&) {
            return false;
        }
    }

    const RowShape& shape_;
    BracketReader reader_;
    std::vector<TextNumbers> numbers_;
    TextRows rows_;
};

}  // namespace

TextRows read_rows(Dag& dag, std::string_view block, const RowShape& shape, const Task& task) {
    return RowsOfBlock(dag, shape).read(block, task);
}

}  // namespace treekernels
