// Lines of KeLP: label |BT:name| tree |ET| |BV:name| word:1.0 |EV| |BDV:name| 0.5,1 |EDV|, and pairs of them.
#include <algorithm>

#include "core/blocks/example_parts.hpp"

namespace treekernels {

namespace {

struct Marker {
    enum Kind { kBegin, kEnd, kPair, kNothing } kind;
    std::string_view part;  // what begins: T, V, DV or others; of a pair < , or >
    std::string_view name;
    std::size_t begin, end;
};

// The marker that begins here, if one does.
Marker marker_at(std::string_view line, std::size_t begin) {
    const Marker nothing{Marker::kNothing, {}, {}, begin, begin};
    std::size_t at = begin + 1;
    if (at >= line.size()) return nothing;
    const char first = line[at];
    if (first == '<' || first == ',' || first == '>') {
        if (line.substr(at + 1, 1) != "|") return nothing;
        return {Marker::kPair, line.substr(at, 1), {}, begin, at + 2};
    }
    if (first != 'B' && first != 'E') return nothing;
    const std::size_t letters = ++at;
    while (at < line.size() && line[at] >= 'A' && line[at] <= 'Z') ++at;
    if (at == letters) return nothing;
    const std::string_view part = line.substr(letters, at - letters);
    std::string_view name;
    if (at < line.size() && line[at] == ':') {
        const std::size_t from = ++at;
        while (at < line.size() && line[at] != '|' && space_size(line, at) == 0) ++at;
        name = line.substr(from, at - from);
    }
    if (at >= line.size() || line[at] != '|') return nothing;
    return {first == 'B' ? Marker::kBegin : Marker::kEnd, part, name, begin, at + 1};
}

Marker next_marker(std::string_view line, std::size_t at) {
    for (at = line.find('|', at); at != line.npos; at = line.find('|', at + 1)) {
        const Marker marker = marker_at(line, at);
        if (marker.kind != Marker::kNothing) return marker;
    }
    return {Marker::kNothing, {}, {}, line.size(), line.size()};
}

class KelpLine {
public:
    explicit KelpLine(ExampleParts& parts) : parts_(parts) {}

    bool read(std::string_view line) {
        sides_.clear();
        counts_.clear();
        Marker marker = next_marker(line, 0);
        const std::string_view head = line.substr(0, marker.begin);
        std::size_t end = marker.begin;
        while (marker.kind != Marker::kNothing) {
            if (!without_spaces(line.substr(end, marker.begin - end)).empty()) return false;
            if (marker.kind == Marker::kEnd) return false;
            if (marker.kind == Marker::kPair) {
                if (!change_side(marker.part.front())) return false;
            } else {
                Marker closing = next_marker(line, marker.end);
                while (closing.kind != Marker::kEnd && closing.kind != Marker::kNothing)
                    closing = next_marker(line, closing.end);
                if (closing.kind == Marker::kNothing) return false;
                if (!add_part(marker, line.substr(marker.end, closing.begin - marker.end))) return false;
                marker = closing;
            }
            end = marker.end;
            marker = next_marker(line, end);
        }
        if (!sides_.empty() || (end > head.size() && !without_spaces(line.substr(end)).empty())) return false;
        parts_.end_row(without_spaces(head));
        return true;
    }

private:
    bool change_side(char sign) {
        if (sign != '<' && sides_.empty()) return false;
        if (sign != '<') sides_.resize(sides_.rfind('.', sides_.size() - 2) + 1);
        if (sign != '>') sides_ += sign == '<' ? "left." : "right.";
        return true;
    }

    bool add_part(const Marker& marker, std::string_view text) {
        auto count = std::ranges::find(counts_, sides_, &Count::first);
        if (count == counts_.end()) count = counts_.insert(counts_.end(), {sides_, 0});
        name_ = sides_;
        if (marker.name.empty())
            name_ += std::to_string(count->second);
        else
            name_ += marker.name;
        ++count->second;
        if (marker.part == "T") return parts_.add_tree(name_, text);
        if (marker.part == "V") return parts_.add_sparse(name_, text, false);
        if (marker.part == "DV") return parts_.add_dense(name_, text);
        return parts_.add_text(name_, PartKind::kText, text);
    }

    using Count = std::pair<std::string, std::size_t>;

    ExampleParts& parts_;
    std::string sides_, name_;
    std::vector<Count> counts_;  // of the parts on each side, which name those without a name
};

}  // namespace

ExampleRows read_kelp(Dag& dag, std::string_view block, std::size_t begin, const std::vector<KnownPart>& known,
                      std::size_t longest_label, const Task& task) {
    ExampleParts parts(dag, known, longest_label);
    KelpLine line_reader(parts);
    return read_example_lines(block, begin, task, parts, [&](std::string_view line) { return line_reader.read(line); });
}

}  // namespace treekernels
