// The one place where arrays of a file are looked at before they are a segment.
#include <algorithm>
#include <cmath>

#include "search/segments/segment.hpp"

namespace treekernels {

namespace {

template <class Offset>
bool cuts(std::span<const Offset> offsets, std::size_t count, std::size_t size) {
    return offsets.size() == count + 1 && offsets.front() == 0 && offsets.back() == size &&
           std::ranges::is_sorted(offsets);
}

template <class Number>
bool ascends(std::span<const Number> numbers) {
    return std::ranges::adjacent_find(numbers, std::ranges::greater_equal()) == numbers.end();
}

class ArrayCheck {
public:
    ArrayCheck(const SegmentArrays& arrays, const Task& task) : a_(arrays), task_(task) {}

    void check(std::span<std::uint8_t> met) {
        check_sizes();
        check_names();
        check_nodes();
        check_columns();
        check_items(met);
        check_postings();
    }

private:
    static constexpr auto require = &Segment::require;

    // From here on, each offset can be used.
    void check_sizes() {
        require(!a_.label_offsets.empty() && !a_.production_offsets.empty() && a_.edges.size() % 3 == 0);
        labels_ = a_.label_offsets.size() - 1;
        productions_ = a_.production_offsets.size() - 1;
        nodes_ = a_.node_kinds.size();
        columns_ = a_.column_roots.size();
        require(nodes_ < kNone && columns_ < kNone && labels_ + productions_ + a_.edges.size() / 3 < kNone);
        require(cuts(a_.label_offsets, labels_, a_.label_text.size()));
        require(cuts(a_.production_offsets, productions_, a_.production_labels.size()));
        require(cuts(a_.child_offsets, nodes_, a_.children.size()));
        require(cuts(a_.item_offsets, columns_, a_.items.size()));
        require(cuts(a_.posting_offsets, labels_ + productions_ + a_.edges.size() / 3, a_.posting_columns.size()));
        require(a_.posting_weights.size() == a_.posting_columns.size() && a_.column_norms.size() == columns_);
        require(a_.ranges.size() == 2 && a_.ranges[0] <= a_.ranges[1] && a_.ranges[1] <= nodes_);
    }
    void check_names() {
        NumberIndex texts, productions, edges;
        const std::string_view text(reinterpret_cast<const char*>(a_.label_text.data()), a_.label_text.size());
        const auto label = [&](Label number) {
            return text.substr(a_.label_offsets[number], a_.label_offsets[number + 1] - a_.label_offsets[number]);
        };
        for (Label number = 0; number < labels_; ++number) {
            const std::string_view own = label(number);
            require(!own.empty() && own.find('\0') == own.npos);
            add_new(texts, text_hash(own), number, [&](Label other) { return label(other) == own; });
        }
        for (Production production = 0; production < productions_; ++production) {
            const auto own = labels_of(production);
            require(own.size() > 1 && std::ranges::max(own) < labels_);
            std::uint64_t hash = hash_secret();
            for (Label part : own) hash = mix(hash, part);
            add_new(productions, hash, production,
                    [&](Production other) { return std::ranges::equal(labels_of(other), own); });
        }
        for (std::uint32_t number = 0; number < a_.edges.size() / 3; ++number) {
            const auto own = a_.edges.subspan(3 * std::size_t{number}, 3);
            require(own[0] < productions_ && own[2] < productions_ &&
                    own[1] + std::size_t{1} < labels_of(own[0]).size());
            require(labels_of(own[0])[own[1] + std::size_t{1}] == labels_of(own[2]).front());
            add_new(edges, mix(mix(mix(hash_secret(), own[0]), own[1]), own[2]), number, [&](std::uint32_t other) {
                return std::ranges::equal(a_.edges.subspan(3 * std::size_t{other}, 3), own);
            });
        }
    }
    template <class Same>
    void add_new(NumberIndex& index, std::uint64_t hash, std::uint32_t number, Same same) const {
        task_.check();
        require(index.find(hash, same) == kNone);
        index.insert(hash, number);
    }
    // Children stand before their parents, and have the labels of the production.
    void check_nodes() const {
        const Node leaf_end = a_.ranges[0], flat_end = a_.ranges[1];
        for (Node node = 0; node < nodes_; ++node) {
            if (node % 4096 == 0) task_.check();
            const NodeKind kind = a_.node_kinds[node];
            const auto children =
                a_.children.subspan(a_.child_offsets[node], a_.child_offsets[node + 1] - a_.child_offsets[node]);
            require(kind < labels_ + productions_ && (kind >= productions_) == (node < leaf_end));
            if (node < leaf_end) {
                require(children.empty());
                continue;
            }
            const auto labels = labels_of(kind);
            require(labels.size() == children.size() + 1);
            bool flat = true;
            for (std::size_t k = 0; k < children.size(); ++k) {
                require(children[k] < node);
                const NodeKind below = a_.node_kinds[children[k]];
                require(labels[k + 1] == (below >= productions_ ? below - productions_ : labels_of(below).front()));
                flat = flat && children[k] < leaf_end;
            }
            require(flat == (node < flat_end));
        }
    }
    void check_columns() const {
        std::size_t large = 0;
        for (std::size_t column = 0; column < columns_; ++column) {
            require(a_.column_roots[column] < nodes_ && a_.column_norms[column] >= 0.0);
            large += std::isinf(a_.column_norms[column]);
        }
        require(large == a_.large_columns.size() && ascends(a_.large_columns));
        for (std::uint32_t column : a_.large_columns) require(column < columns_ && std::isinf(a_.column_norms[column]));
    }
    void check_items(std::span<std::uint8_t> met) const {
        for (std::size_t column = 0; column < columns_; ++column) {
            if (column % 4096 == 0) task_.check();
            const auto begin = a_.item_offsets[column];
            const auto items = a_.items.subspan(begin, a_.item_offsets[column + 1] - begin);
            require(!items.empty() && ascends(items) && items.back() < met.size());
            for (Item item : items) require(std::exchange(met[item], std::uint8_t{1}) == 0);
        }
    }
    void check_postings() const {
        for (std::size_t feature = 0; feature + 1 < a_.posting_offsets.size(); ++feature) {
            if (feature % 4096 == 0) task_.check();
            const auto begin = a_.posting_offsets[feature];
            const auto columns = a_.posting_columns.subspan(begin, a_.posting_offsets[feature + 1] - begin);
            require(columns.empty() || (ascends(columns) && columns.back() < columns_));
        }
        for (float weight : a_.posting_weights) require(weight >= 0.0F && std::isfinite(weight));
    }
    std::span<const Label> labels_of(Production production) const {
        const auto begin = a_.production_offsets[production];
        return a_.production_labels.subspan(begin, a_.production_offsets[production + 1] - begin);
    }

    const SegmentArrays& a_;
    const Task& task_;
    std::size_t labels_ = 0, productions_ = 0, nodes_ = 0, columns_ = 0;
};

}  // namespace

void check_arrays(const SegmentArrays& arrays, std::span<std::uint8_t> met, const Task& task) {
    ArrayCheck(arrays, task).check(met);
}

}  // namespace treekernels
