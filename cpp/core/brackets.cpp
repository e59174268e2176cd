#include "core/brackets.hpp"

#include <array>

#include "core/errors.hpp"

namespace treekernels {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

constexpr auto kEndsLabel = [] {
    std::array<bool, 256> ends{};
    for (unsigned char c : {' ', '\t', '\n', '\v', '\f', '\r', '(', ')', '\0'}) ends[c] = true;
    return ends;
}();
bool ends_label(char c) { return kEndsLabel[static_cast<unsigned char>(c)]; }

std::size_t skip_space(std::string_view text, std::size_t at) {
    while (at < text.size() && is_space(text[at])) ++at;
    return at;
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The ASCII character that \xHH at this place stands for, or -1.
int escaped_at(std::string_view text, std::size_t at) {
    if (at + 3 >= text.size() || text[at] != '\\' || text[at + 1] != 'x') return -1;
    const int high = hex_digit(text[at + 2]);
    const int low = hex_digit(text[at + 3]);
    return high < 0 || high > 7 || low < 0 || (high == 0 && low == 0) ? -1 : 16 * high + low;
}

void append_label(std::string& out, std::string_view label) {
    for (std::size_t at = 0; at < label.size(); ++at) {
        const char c = label[at];
        if (!ends_label(c) && escaped_at(label, at) < 0) {
            out.push_back(c);
            continue;
        }
        constexpr char digits[] = "0123456789abcdef";
        out.append("\\x");
        out.push_back(digits[static_cast<unsigned char>(c) >> 4]);
        out.push_back(digits[c & 15]);
    }
}

}  // namespace

std::string_view BracketReader::token(std::string_view text, std::size_t& at) {
    const std::size_t begin = at;
    bool escapes = false;
    while (at < text.size() && !ends_label(text[at])) escapes |= text[at++] == '\\';
    const std::string_view raw = text.substr(begin, at - begin);
    if (!escapes) return raw;
    unescaped_.clear();
    for (std::size_t i = 0; i < raw.size();) {
        const int c = escaped_at(raw, i);
        unescaped_.push_back(c < 0 ? raw[i] : static_cast<char>(c));
        i += c < 0 ? 1 : 4;
    }
    return unescaped_;
}

Label BracketReader::label(std::string_view text, std::size_t& at) {
    const std::size_t begin = at;
    const std::string_view word = token(text, at);
    if (word.size() > longest_label_) throw ParseFailure("a label is too long", begin);
    if (at < text.size() && text[at] == '\0') throw ParseFailure("a label contains a NUL character", at);
    return dag_.intern_label(word);
}

Node BracketReader::read(std::string_view text) {
    open_.clear();
    children_.clear();
    std::size_t at = skip_space(text, 0);
    if (at == text.size()) throw ParseFailure("the text is empty, where a tree in brackets was expected", 0);
    if (text[at] == ')') throw ParseFailure("a closing bracket without an opening one", at);
    if (text[at] != '(') throw ParseFailure("a tree starts with '(', and this does not", at);
    Node root = kNone;
    while (at < text.size()) {
        if (text[at] == '(') {
            const std::size_t bracket = at;
            at = skip_space(text, at + 1);
            if (at == text.size()) throw ParseFailure("the bracket opened here is never closed", bracket);
            if (text[at] == '(' || text[at] == ')') throw ParseFailure("a bracket is not followed by a label", bracket);
            open_.push_back({label(text, at), children_.size(), bracket});
        } else if (text[at] == ')') {
            const Open& done = open_.back();
            const std::span<const Node> children(children_.begin() + static_cast<std::ptrdiff_t>(done.first_child),
                                                 children_.end());
            const Node node = dag_.intern_node(done.label, children);
            children_.resize(done.first_child);
            open_.pop_back();
            ++at;
            if (open_.empty()) {
                root = node;
                break;
            }
            children_.push_back(node);
        } else {
            children_.push_back(dag_.intern_node(label(text, at), {}));
        }
        at = skip_space(text, at);
    }
    if (root == kNone) throw ParseFailure("the bracket opened here is never closed", open_.back().offset);
    at = skip_space(text, at);
    if (at < text.size())
        throw ParseFailure(text[at] == ')' ? "a closing bracket too many" : "there is more text after the tree", at);
    return root;
}

namespace {

// Appends labels until all is written, or `is_enough` of so many nodes.
template <class IsEnough>
std::string write_brackets(const Dag& dag, Node root, IsEnough is_enough) {
    struct Step {
        Node node;
        std::size_t next;
    };
    std::string out = "(";
    append_label(out, dag.label_text(dag.label(root)));
    std::vector<Step> path{{root, 0}};
    std::size_t nodes = 1;
    while (!path.empty()) {
        Step& step = path.back();
        const auto children = dag.children(step.node);
        if (step.next == children.size()) {
            out.push_back(')');
            path.pop_back();
            continue;
        }
        if (is_enough(nodes, out)) break;
        const Node child = children[step.next++];
        const bool leaf = dag.is_leaf(child);
        out.append(leaf ? " " : " (");
        append_label(out, dag.label_text(dag.label(child)));
        ++nodes;
        if (!leaf) path.push_back({child, 0});
    }
    return out;
}

}  // namespace

std::string to_brackets(const Dag& dag, Node root, std::size_t most_nodes) {
    return write_brackets(dag, root, [&](std::size_t nodes, const std::string&) {
        if (nodes >= most_nodes) throw TooLarge("the tree has too many nodes to be written");
        return false;
    });
}

std::string brackets_prefix(const Dag& dag, Node root, std::size_t bytes) {
    return write_brackets(dag, root, [&](std::size_t, const std::string& out) { return out.size() > bytes; });
}

}  // namespace treekernels
