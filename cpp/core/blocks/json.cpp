#include "core/blocks/json.hpp"

#include <algorithm>

namespace treekernels {

namespace {

bool is_digit(std::string_view text, std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; }

std::size_t skip_digits(std::string_view text, std::size_t at) {
    while (is_digit(text, at)) ++at;
    return at;
}

// The number that four hexadecimal digits are, or a larger one.
std::uint32_t hex_number(std::string_view text, std::size_t at) {
    std::uint32_t number = 0;
    if (at + 4 > text.size()) return kBad & 0xFFFFFFFF;
    for (const char c : text.substr(at, 4)) {
        const bool lower = c >= 'a' && c <= 'f', upper = c >= 'A' && c <= 'F';
        if (!lower && !upper && !(c >= '0' && c <= '9')) return kBad & 0xFFFFFFFF;
        number = 16 * number + static_cast<std::uint32_t>(lower ? c - 'a' + 10 : upper ? c - 'A' + 10 : c - '0');
    }
    return number;
}

void append_utf8(std::string& out, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
        put(code);
        return;
    }
    if (code < 0x800) {
        put(0xC0 | (code >> 6));
    } else {
        if (code < 0x10000) {
            put(0xE0 | (code >> 12));
        } else {
            put(0xF0 | (code >> 18));
            put(0x80 | ((code >> 12) & 63));
        }
        put(0x80 | ((code >> 6) & 63));
    }
    put(0x80 | (code & 63));
}

struct Nobody {
    void open(bool) {}
    void close() {}
    void key(std::string_view) {}
    void string(std::string_view) {}
    void scalar(std::string_view) {}
};

}  // namespace

std::size_t json_string_end(std::string_view text, std::size_t at) {
    for (++at; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"') return at + 1;
        if (static_cast<unsigned char>(c) < 0x20) return kBad;
        if (c != '\\') continue;
        if (++at == text.size()) return kBad;
        if (text[at] == 'u') {
            if (hex_number(text, at + 1) > 0xFFFF) return kBad;
            at += 4;
        } else if (std::string_view("\"\\/bfnrt").find(text[at]) == kBad) {
            return kBad;
        }
    }
    return kBad;
}

std::size_t json_scalar_end(std::string_view text, std::size_t at) {
    for (const std::string_view word : {"true", "false", "null"})
        if (text.substr(std::min(at, text.size()), word.size()) == word) return at + word.size();
    if (is_at(text, at, '-')) ++at;
    if (!is_digit(text, at)) return kBad;
    at = text[at] == '0' ? at + 1 : skip_digits(text, at);
    if (is_at(text, at, '.') && is_digit(text, at + 1)) at = skip_digits(text, at + 1);
    if (is_at(text, at, 'e') || is_at(text, at, 'E')) {
        const std::size_t sign = is_at(text, at + 1, '+') || is_at(text, at + 1, '-') ? 1 : 0;
        if (is_digit(text, at + 1 + sign)) at = skip_digits(text, at + 1 + sign);
    }
    return at;
}

bool unescape_json(std::string_view raw, std::string& out) {
    out.clear();
    for (std::size_t at = 0; at < raw.size(); ++at) {
        if (raw[at] != '\\') {
            out.push_back(raw[at]);
            continue;
        }
        const char sign = raw[++at];
        if (sign != 'u') {
            constexpr std::string_view signs = "bfnrt", meant = "\b\f\n\r\t";
            const std::size_t place = signs.find(sign);
            out.push_back(place == signs.npos ? sign : meant[place]);
            continue;
        }
        std::uint32_t code = hex_number(raw, at + 1);
        at += 4;
        if (code >= 0xD800 && code < 0xDC00 && raw.substr(at + 1, 2) == "\\u") {
            const std::uint32_t low = hex_number(raw, at + 3);
            if (low < 0xDC00 || low >= 0xE000) return false;
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            at += 6;
        }
        if (code >= 0xD800 && code < 0xE000) return false;
        append_utf8(out, code);
    }
    return true;
}

std::size_t json_value_end(std::string_view text, std::size_t at) {
    Nobody nobody;
    return walk_json(text, at, nobody);
}

}  // namespace treekernels
