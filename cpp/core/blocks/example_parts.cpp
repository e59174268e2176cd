#include "core/blocks/example_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace treekernels {

namespace {

// Reads a number that is exact after one operation of its digits and a power of ten; false if it is not so simple.
bool read_simple_number(std::string_view text, double& number) {
    static constexpr std::array<double, 16> powers = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const bool is_negative = text.starts_with('-');
    text.remove_prefix(is_negative);
    std::uint64_t digits = 0;
    std::size_t count = 0, behind_point = 0;
    bool has_point = false;
    for (const char c : text) {
        if (c == '.' && !has_point && count > 0) {
            has_point = true;
        } else if (c >= '0' && c <= '9' && count < 15) {
            digits = 10 * digits + static_cast<std::uint64_t>(c - '0');
            ++count;
            behind_point += has_point;
        } else {
            return false;
        }
    }
    if (count == 0) return false;
    number = static_cast<double>(digits) / powers[behind_point];
    if (is_negative) number = -number;
    return true;
}

bool could_be_number(std::string_view text) {
    return text.find_first_not_of("0123456789.eE+-") == text.npos && text.find_first_of("0123456789") != text.npos;
}

// A number from 1 as it is usually written.
bool is_feature_number(std::string_view name) {
    return !name.empty() && name.size() <= 9 && name.front() != '0' &&
           name.find_first_not_of("0123456789") == name.npos;
}

constexpr std::string_view kEmptyTree = "(-EMPTY-)";

}  // namespace

std::string_view without_spaces(std::string_view text) {
    while (!text.empty() && is_ascii_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_ascii_space(text.back())) text.remove_suffix(1);
    return text;
}

ExampleParts::ExampleParts(Dag& dag, const std::vector<KnownPart>& known, std::size_t longest_label)
    : known_(known), reader_(dag, longest_label) {
    for (const KnownPart& part : known) {
        const auto place = static_cast<std::uint32_t>(rows_.parts.size());
        index_.insert(text_hash(part.name), place);
        rows_.parts.push_back({part.name, part.kind, part.width, {}, {}, {}, {}, {}, {}, {}});
        texts_.emplace_back();
        seen_.emplace_back();
    }
}

ExamplePart* ExampleParts::begin(std::string_view name, PartKind kind) {
    if (next_ < rows_.parts.size() && rows_.parts[next_].name == name) {
        last_ = next_;
    } else {
        const std::uint64_t hash = text_hash(name);
        std::uint32_t place = index_.find(hash, [&](std::uint32_t number) { return rows_.parts[number].name == name; });
        if (place == kNone) {
            place = static_cast<std::uint32_t>(rows_.parts.size());
            rows_.parts.push_back({std::string(name), kind, kNone, {}, {}, {}, {}, {}, {}, {}});
            texts_.emplace_back();
            seen_.emplace_back();
            index_.insert(hash, place);
        }
        last_ = place;
    }
    next_ = last_ + 1;
    ExamplePart& part = rows_.parts[last_];
    if (part.kind != kind || (!part.rows.empty() && part.rows.back() == row_)) return nullptr;
    part.rows.push_back(row_);
    part.values.push_back(0);
    begun_.push_back(last_);
    return &part;
}

bool ExampleParts::add_tree(std::string_view name, std::string_view text) {
    ExamplePart* part = begin(name, PartKind::kTree);
    if (part == nullptr) return false;
    try {
        part->values.back() = reader_.read(is_blank(text) ? kEmptyTree : text);
        return true;
    } catch (const ParseFailure&) {
        return false;
    }
}

bool ExampleParts::add_text(std::string_view name, PartKind kind, std::string_view text) {
    ExamplePart* part = begin(name, kind);
    if (part == nullptr) return false;
    part->values.back() = texts_[last_].number(text);
    return true;
}

bool ExampleParts::add_sparse(std::string_view name, std::string_view text, bool names_are_numbers) {
    ExamplePart* part = begin(name, PartKind::kSparse);
    if (part == nullptr) return false;
    ++vectors_;
    std::vector<std::uint64_t>& seen = seen_[last_];
    for (std::size_t at = 0; at < text.size();) {
        if (is_ascii_space(text[at])) {
            ++at;
            continue;
        }
        const std::size_t begin = at;
        while (at < text.size() && !is_ascii_space(text[at])) ++at;
        const std::string_view item = text.substr(begin, at - begin);
        const std::size_t colon = item.rfind(':');
        if (colon == item.npos || colon == 0) return false;
        const std::string_view feature = item.substr(0, colon);
        if (names_are_numbers && !is_feature_number(feature)) return false;
        if (has_wide_space(feature)) return false;  // it would divide entries
        const std::uint32_t number = texts_[last_].number(feature);
        if (number >= seen.size()) seen.resize(number + 1);
        if (seen[number] == vectors_) return false;
        seen[number] = vectors_;
        if (!add_number(*part, item.substr(colon + 1))) return false;
        part->features.push_back(number);
        ++part->values.back();
    }
    return true;
}

bool ExampleParts::add_dense(std::string_view name, std::string_view text) {
    ExamplePart* part = begin(name, PartKind::kDense);
    if (part == nullptr) return false;
    text = without_spaces(text);
    if (text.starts_with(',') || text.ends_with(',')) return false;
    const auto is_between = [](char c) { return is_ascii_space(c) || c == ','; };
    for (std::size_t at = 0; at < text.size();) {
        if (is_between(text[at])) {
            ++at;
            continue;
        }
        const std::size_t begin = at;
        while (at < text.size() && !is_between(text[at])) ++at;
        if (!add_number(*part, text.substr(begin, at - begin))) return false;
        ++part->values.back();
    }
    if (part->width == kNone) part->width = part->values.back();
    return part->width == part->values.back();
}

bool ExampleParts::add_number(ExamplePart& part, std::string_view text) {
    double number = std::numeric_limits<double>::quiet_NaN();
    if (!read_simple_number(text, number)) {
        if (!could_be_number(text)) return false;
        part.unread.push_back(static_cast<std::uint32_t>(part.numbers.size()));
        part.unread_texts.push_back(text);
    }
    part.numbers.push_back(number);
    return true;
}

void ExampleParts::end_row(std::string_view head) {
    rows_.head_numbers.push_back(heads_.number(head));
    begun_.clear();
    next_ = 0;
    ++row_;
}

void ExampleParts::forget_row() {
    for (const std::size_t place : begun_) {
        ExamplePart& part = rows_.parts[place];
        if (part.kind == PartKind::kSparse || part.kind == PartKind::kDense) {
            const std::size_t kept = part.numbers.size() - part.values.back();
            part.numbers.resize(kept);
            if (part.kind == PartKind::kSparse) part.features.resize(kept);
            while (!part.unread.empty() && part.unread.back() >= kept) {
                part.unread.pop_back();
                part.unread_texts.pop_back();
            }
        }
        part.rows.pop_back();
        part.values.pop_back();
        if (part.rows.empty()) part.width = place < known_.size() ? known_[place].width : kNone;
    }
    begun_.clear();
    next_ = 0;
}

ExampleRows ExampleParts::take_rows() {
    rows_.heads = heads_.texts();
    for (std::size_t place = 0; place < texts_.size(); ++place) rows_.parts[place].texts = texts_[place].texts();
    return std::move(rows_);
}

}  // namespace treekernels
