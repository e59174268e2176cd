// JSON, read strictly, from left to right and without recursion.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace treekernels {

inline constexpr std::size_t kBad = std::string_view::npos;

inline std::size_t skip_json_space(std::string_view text, std::size_t at) {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r')) ++at;
    return at;
}

inline bool is_at(std::string_view text, std::size_t at, char sign) { return at < text.size() && text[at] == sign; }

// What ends behind here, or kBad: a string, of which the quote is here; a number, true, false or null.
std::size_t json_string_end(std::string_view text, std::size_t at);
std::size_t json_scalar_end(std::string_view text, std::size_t at);
// What a string says, from what is between its quotes. False for half of a surrogate pair, which UTF-8 has not.
bool unescape_json(std::string_view raw, std::string& out);

// Where the value of a key begins, whose quote is here; kBad if there is none. The key is what its quotes hold.
inline std::size_t read_json_key(std::string_view text, std::size_t at, std::string_view& key) {
    if (!is_at(text, at, '"')) return kBad;
    const std::size_t end = json_string_end(text, at);
    if (end == kBad) return kBad;
    key = text.substr(at + 1, end - at - 2);
    at = skip_json_space(text, end);
    return is_at(text, at, ':') ? skip_json_space(text, at + 1) : kBad;
}

// Reads the value that begins here and returns what is behind it, or kBad. Calls open(is_object), close(),
// key(raw), string(raw), with what is between the quotes, and scalar(text).
template <class Visitor>
std::size_t walk_json(std::string_view text, std::size_t at, Visitor& visitor) {
    std::vector<bool> objects;  // of what is open, whether it is an object
    const auto read_key = [&] {
        std::string_view key;
        at = read_json_key(text, at, key);
        if (at == kBad) return false;
        visitor.key(key);
        return true;
    };
    while (true) {
        const char sign = at < text.size() ? text[at] : '\0';
        bool is_empty = false;
        if (sign == '{' || sign == '[') {
            objects.push_back(sign == '{');
            visitor.open(sign == '{');
            at = skip_json_space(text, at + 1);
            is_empty = is_at(text, at, sign == '{' ? '}' : ']');
            if (!is_empty) {
                if (sign == '{' && !read_key()) return kBad;
                continue;
            }
        } else {
            const std::size_t end = sign == '"' ? json_string_end(text, at) : json_scalar_end(text, at);
            if (end == kBad) return kBad;
            if (sign == '"')
                visitor.string(text.substr(at + 1, end - at - 2));
            else
                visitor.scalar(text.substr(at, end - at));
            at = end;
        }
        while (!objects.empty()) {
            at = skip_json_space(text, at);
            if (!is_at(text, at, objects.back() ? '}' : ']')) break;
            objects.pop_back();
            visitor.close();
            ++at;
        }
        if (objects.empty()) return at;
        if (!is_at(text, at, ',')) return kBad;
        at = skip_json_space(text, at + 1);
        if (objects.back() && !read_key()) return kBad;
    }
}

// What is behind the value that begins here, or kBad.
std::size_t json_value_end(std::string_view text, std::size_t at);

// Calls member(raw key, where its value begins) for each member of the object that begins here; it returns what is
// behind the value. Returns what is behind the object, or kBad, as the member may do.
template <class Member>
std::size_t for_json_members(std::string_view text, std::size_t at, Member member) {
    if (!is_at(text, at, '{')) return kBad;
    at = skip_json_space(text, at + 1);
    if (is_at(text, at, '}')) return at + 1;
    while (true) {
        std::string_view key;
        at = read_json_key(text, at, key);
        if (at == kBad) return kBad;
        at = member(key, at);
        if (at == kBad) return kBad;
        at = skip_json_space(text, at);
        if (is_at(text, at, '}')) return at + 1;
        if (!is_at(text, at, ',')) return kBad;
        at = skip_json_space(text, at + 1);
    }
}

}  // namespace treekernels
