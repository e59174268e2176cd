#include "core/blocks/json_trees.hpp"

#include <algorithm>
#include <utility>

#include "core/blocks/json.hpp"
#include "core/blocks/spaces.hpp"
#include "core/blocks/text_numbers.hpp"

namespace treekernels {

namespace {

// A string that is no label, such as half of a surrogate pair.
struct NoLabel {};

class JsonTrees {
public:
    JsonTrees(Dag& dag, const JsonStyle& style) : dag_(dag), style_(style) {}

    // What is behind the document that begins here; kBad if it is not good.
    std::size_t read(std::string_view text, std::size_t at) {
        begin();
        return guarded([&] { return walk_json(text, at, *this); });
    }

    // The same for an object without one of its members, whose value is noted.
    std::size_t read_without(std::string_view text, std::size_t at, std::string_view name, std::string_view& value) {
        begin();
        bool is_there = false;
        const auto member = [&](std::string_view raw, std::size_t from) {
            if (!unescape_json(raw, unescaped_)) return kBad;
            if (unescaped_ != name) {
                key(raw);
                return walk_json(text, from, *this);
            }
            const std::size_t end = json_value_end(text, from);
            if (end != kBad) value = text.substr(from, end - from);
            is_there = true;
            return end;
        };
        return guarded([&] {
            open(true);
            const std::size_t end = for_json_members(text, at, member);
            if (end == kBad || !is_there) return kBad;
            close();
            return end;
        });
    }

    Node root() const { return root_; }

    void open(bool is_object) {
        open_.push_back({is_object ? kObject : kArray, kNone, children_.size(), keyed_.size()});
    }

    void close() {
        const Open done = open_.back();
        for (auto member = sort_from(done); member != keyed_.end(); ++member) children_.push_back(member->second);
        keyed_.resize(done.first_keyed);
        Label& label = done.kind == kObject ? object_ : array_;
        if (label == kNone) label = dag_.intern_label(done.kind == kObject ? "{}" : "[]");
        end_node(label);
        end_value();
    }

    void key(std::string_view raw) {
        if (style_.keys == JsonKeys::kNone) return;
        unescape(raw);
        if (style_.keys == JsonKeys::kSorted) keyed_.push_back({unescaped_, kNone});
        open_.push_back({kKey, label(unescaped_), children_.size(), keyed_.size()});
    }

    void string(std::string_view raw) {
        if (style_.values == JsonValues::kNone && !open_.empty()) return end_value();
        if (style_.values == JsonValues::kTypes && !open_.empty()) return add_value("string");
        unescape(raw);
        if (style_.values == JsonValues::kWords && !open_.empty()) return add_words(unescaped_);
        add_value(unescaped_);
    }

    void scalar(std::string_view text) {
        if (style_.values == JsonValues::kNone && !open_.empty()) return end_value();
        if (style_.values != JsonValues::kTypes || open_.empty()) return add_value(text);
        add_value(text == "null" ? "null" : text == "true" || text == "false" ? "boolean" : "number");
    }

private:
    enum Kind { kObject, kArray, kKey };
    struct Open {
        Kind kind;
        Label label;  // of a key
        std::size_t first_child, first_keyed;
    };
    using Keyed = std::vector<std::pair<std::string, Node>>;

    void begin() {
        open_.clear();
        children_.clear();
        keyed_.clear();
        root_ = kNone;
    }

    template <class Read>
    static std::size_t guarded(Read read) {
        try {
            return read();
        } catch (const NoLabel&) {
            return kBad;
        }
    }

    Keyed::iterator sort_from(const Open& done) {
        const auto first = keyed_.begin() + static_cast<std::ptrdiff_t>(done.first_keyed);
        std::stable_sort(first, keyed_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        return first;
    }

    void unescape(std::string_view raw) {
        if (!unescape_json(raw, unescaped_)) throw NoLabel();
    }

    Label label(std::string_view text) {
        if (text.empty()) return dag_.intern_label("\"\"");
        if (text.find('\0') == text.npos) {
            if (text.size() > style_.longest_label) throw NoLabel();
            return dag_.intern_label(text);
        }
        std::string written;
        for (const char c : text) written += c == '\0' ? std::string("\\0") : std::string(1, c);
        return label(written);
    }

    void add_leaf(std::string_view text) { put(dag_.intern_node(label(text), {})); }

    void add_value(std::string_view text) {
        add_leaf(text);
        end_value();
    }

    void add_words(std::string_view text) {
        std::size_t begin = 0;
        for (std::size_t at = 0; at <= text.size();) {
            const std::size_t space = at < text.size() ? space_size(text, at) : 1;
            if (space > 0 && at > begin) add_leaf(text.substr(begin, at - begin));
            at += std::max<std::size_t>(space, 1);
            if (space > 0) begin = at;
        }
        end_value();
    }

    // Behind the value of a key, the key ends too.
    void end_value() {
        if (open_.empty() || open_.back().kind != kKey) return;
        const bool is_sorted = style_.keys == JsonKeys::kSorted;
        end_node(open_.back().label);
        if (!is_sorted) return;
        keyed_.back().second = children_.back();
        children_.pop_back();
    }

    // Puts the node of what is open last in the place of its children.
    void end_node(Label label) {
        const std::size_t first = open_.back().first_child;
        const Node node = dag_.intern_node(label, std::span<const Node>(children_).subspan(first));
        children_.resize(first);
        open_.pop_back();
        put(node);
    }

    void put(Node node) {
        if (open_.empty()) root_ = node;
        children_.push_back(node);
    }

    Dag& dag_;
    const JsonStyle& style_;
    Label object_ = kNone, array_ = kNone;
    std::vector<Open> open_;
    std::vector<Node> children_;
    Keyed keyed_;  // the members of open objects, if they are to be sorted
    std::string unescaped_;
    Node root_ = kNone;
};

// Where the array begins that some keys lead to; kBad if there is none.
std::size_t find_array(std::string_view text, std::size_t at, const std::vector<std::string>& keys) {
    std::string name;
    for (const std::string& wanted : keys) {
        std::size_t value = kBad;
        const auto member = [&](std::string_view raw, std::size_t from) {
            if (!unescape_json(raw, name)) return kBad;
            if (name == wanted) value = from;
            return json_value_end(text, from);
        };
        if (for_json_members(text, at, member) == kBad || value == kBad) return kBad;
        at = value;
    }
    return is_at(text, at, '[') ? at : kBad;
}

}  // namespace

JsonLines read_json_lines(Dag& dag, std::string_view block, std::size_t begin, const JsonStyle& style,
                          const std::optional<std::string>& label, const Task& task) {
    JsonTrees trees(dag, style);
    TextNumbers numbers;
    JsonLines rows;
    const auto read_row = [&](std::string_view line) {
        const std::size_t at = skip_json_space(line, 0);
        std::string_view value;
        const std::size_t end = label ? trees.read_without(line, at, *label, value) : trees.read(line, at);
        if (end == kBad || skip_json_space(line, end) < line.size()) return false;
        rows.roots.push_back(trees.root());
        if (label) rows.label_numbers.push_back(numbers.number(value));
        return true;
    };
    const auto is_passed_over = [](std::string_view line) { return is_blank(line); };
    static_cast<GoodLines&>(rows) = read_good_lines(block, begin, task, is_passed_over, read_row);
    rows.labels = numbers.texts();
    return rows;
}

std::optional<JsonItems> read_json_items(Dag& dag, std::string_view text, const JsonStyle& style,
                                         const std::optional<std::vector<std::string>>& keys, const Task& task) {
    JsonTrees trees(dag, style);
    JsonItems items;
    std::size_t at = skip_json_space(text, 0);
    const auto read = [&](std::size_t from) {
        task.check();
        items.places.push_back(from);
        const std::size_t end = trees.read(text, from);
        if (end != kBad) items.roots.push_back(trees.root());
        return end;
    };
    std::size_t end = keys ? json_value_end(text, at) : read(at);
    if (end == kBad || skip_json_space(text, end) < text.size()) return std::nullopt;
    if (!keys) return items;
    at = find_array(text, at, *keys);
    if (at == kBad) return std::nullopt;
    at = skip_json_space(text, at + 1);
    while (!is_at(text, at, ']')) {
        end = read(at);
        if (end == kBad) return std::nullopt;
        at = skip_json_space(text, end);
        if (is_at(text, at, ',')) at = skip_json_space(text, at + 1);
    }
    return items;
}

}  // namespace treekernels
