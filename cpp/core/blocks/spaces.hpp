// White space as Python knows it, beyond ASCII too.
#pragma once

#include <string_view>

namespace treekernels {

inline bool is_ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= 0x1F); }

// How many bytes of UTF-8 the white space has that begins here; 0 if there is none.
inline std::size_t space_size(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t more) {
        return at + more < text.size() ? static_cast<unsigned char>(text[at + more]) : 0U;
    };
    const unsigned first = byte(0), second = byte(1), third = byte(2);
    if (first < 0x80) return at < text.size() && is_ascii_space(text[at]) ? 1 : 0;
    if (first == 0xC2) return second == 0x85 || second == 0xA0 ? 2 : 0;
    if (first == 0xE1) return second == 0x9A && third == 0x80 ? 3 : 0;
    if (first == 0xE3) return second == 0x80 && third == 0x80 ? 3 : 0;
    if (first != 0xE2) return 0;
    const bool is_space = second == 0x80
                              ? (third >= 0x80 && third <= 0x8A) || third == 0xA8 || third == 0xA9 || third == 0xAF
                              : second == 0x81 && third == 0x9F;
    return is_space ? 3 : 0;
}

inline bool has_wide_space(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at)
        if (static_cast<unsigned char>(text[at]) >= 0x80 && space_size(text, at) > 0) return true;
    return false;
}

}  // namespace treekernels
