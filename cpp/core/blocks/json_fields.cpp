#include "core/blocks/json_fields.hpp"

#include <algorithm>

#include "core/blocks/json.hpp"
#include "core/blocks/text_numbers.hpp"
#include "core/brackets.hpp"

namespace treekernels {

namespace {

class FieldsOfBlock {
public:
    FieldsOfBlock(Dag& dag, const std::vector<std::string>& trees, std::size_t longest_label)
        : trees_(trees), reader_(dag, longest_label) {}

    JsonFields read(std::string_view block, std::size_t begin, const Task& task) {
        const auto is_passed_over = [](std::string_view line) { return is_blank(line); };
        static_cast<GoodLines&>(rows_) =
            read_good_lines(block, begin, task, is_passed_over, [&](std::string_view line) { return read_row(line); });
        for (std::size_t place = 0; place < numbers_.size(); ++place)
            rows_.fields[place].texts = numbers_[place].texts();
        return std::move(rows_);
    }

private:
    bool read_row(std::string_view line) {
        next_ = 0;
        const std::size_t end =
            for_json_members(line, skip_json_space(line, 0),
                             [&](std::string_view key, std::size_t at) { return read_field(line, key, at); });
        const bool is_good = end != kBad && skip_json_space(line, end) == line.size();
        if (!is_good) forget_row();
        row_ += is_good;
        return is_good;
    }

    std::size_t read_field(std::string_view line, std::string_view key, std::size_t at) {
        const std::size_t place = field_of(key);
        if (place == kBad) return kBad;
        JsonFields::Field& field = rows_.fields[place];
        if (!field.rows.empty() && field.rows.back() == row_) return kBad;
        const std::size_t end = json_value_end(line, at);
        if (end == kBad) return kBad;
        const std::string_view value = line.substr(at, end - at);
        if (!field.holds_trees) {
            add(field, numbers_[place].number(value));
        } else if (value != "null") {
            if (value.front() != '"' || !unescape_json(value.substr(1, value.size() - 2), text_)) return kBad;
            try {
                add(field, reader_.read(text_));
            } catch (const ParseFailure&) {
                return kBad;
            }
        }
        return end;
    }

    void add(JsonFields::Field& field, std::uint32_t value) const {
        field.rows.push_back(row_);
        field.values.push_back(value);
    }

    // The place of a field; mostly they come in the order of the row before.
    std::size_t field_of(std::string_view key) {
        if (key.find('\\') != key.npos) return kBad;
        if (next_ < rows_.fields.size() && rows_.fields[next_].name == key) return next_++;
        const std::uint64_t hash = text_hash(key);
        std::uint32_t place = index_.find(hash, [&](std::uint32_t number) { return rows_.fields[number].name == key; });
        if (place == kNone) {
            place = static_cast<std::uint32_t>(rows_.fields.size());
            const bool holds_trees = std::ranges::find(trees_, key) != trees_.end();
            rows_.fields.push_back({std::string(key), holds_trees, {}, {}, {}});
            numbers_.emplace_back();
            index_.insert(hash, place);
        }
        next_ = place + 1;
        return place;
    }

    // What a bad row has left; a field that it was the first to have is there without rows.
    void forget_row() {
        for (JsonFields::Field& field : rows_.fields) {
            if (field.rows.empty() || field.rows.back() != row_) continue;
            field.rows.pop_back();
            field.values.pop_back();
        }
    }

    const std::vector<std::string>& trees_;
    BracketReader reader_;
    NumberIndex index_;
    std::deque<TextNumbers> numbers_;
    JsonFields rows_;
    std::string text_;
    std::size_t next_ = 0;
    std::uint32_t row_ = 0;
};

}  // namespace

JsonFields read_json_fields(Dag& dag, std::string_view block, std::size_t begin, const std::vector<std::string>& trees,
                            std::size_t longest_label, const Task& task) {
    return FieldsOfBlock(dag, trees, longest_label).read(block, begin, task);
}

}  // namespace treekernels
