#include "kernels/partial/index.hpp"

namespace treekernels {

namespace {

std::uint64_t hash_of(std::uint32_t a, std::uint32_t b) { return mix(mix(hash_secret(), a), b); }

}  // namespace

PartialShapes::PartialShapes(const Corpus& corpus, std::vector<Label> numbers)
    : corpus_(corpus), numbers_(std::move(numbers)) {
    const std::size_t shapes = corpus.production_count() + corpus.label_count();
    std::vector<Node> example(shapes, kNone);
    for (Node v = 0; v < corpus.node_count(); ++v) example[shape(v)] = v;
    shape_label_.assign(shapes, kNone);
    child_label_offset_.assign(1, 0);
    for (Shape s = 0; s < shapes; ++s) {
        if (example[s] != kNone) {
            shape_label_[s] = label_of(example[s]);
            for (Node child : corpus.children(example[s])) child_label_.push_back(label_of(child));
        }
        child_label_offset_.push_back(child_label_.size());
    }
}

PartialIndex::PartialIndex(const Corpus& corpus, std::size_t columns, const LabelSimilarity& similarity,
                           const Task& task)
    : shapes_(corpus) {
    const std::size_t shapes = shapes_.size();
    const Node end = corpus.limit(columns);
    shape_nodes_ = group(end, shapes, [&](std::size_t v) { return shapes_.shape(static_cast<Node>(v)); });

    class_shapes_ = group(shapes, corpus.label_count(), [&](std::size_t s) {
        return members(static_cast<Shape>(s)).empty() ? kNone
                                                      : similarity.class_of(shapes_.label(static_cast<Shape>(s)));
    });
    class_size_.assign(corpus.label_count(), 0);
    shape_rank_.assign(shapes, 0);
    for (std::size_t c = 0; c < corpus.label_count(); ++c) {
        for (Shape s : class_shapes_[c]) {
            shape_rank_[s] = static_cast<std::uint32_t>(class_size_[c]);
            class_size_[c] += members(s).size();
        }
    }
    std::vector<std::uint32_t> rank(end);
    for (Shape s = 0; s < shapes; ++s)
        for (std::size_t i = 0; i < members(s).size(); ++i)
            rank[members(s)[i]] = shape_rank_[s] + static_cast<std::uint32_t>(i);

    std::vector<std::uint32_t> last_shape_with;  // by key: each shape is listed once
    for (Shape s = 0; s < shapes; ++s) {
        child_rank_offset_.push_back(child_rank_.size());
        if (members(s).empty()) continue;
        task.check();
        const auto labels = shapes_.child_labels(s);
        for (std::size_t position = 0; position < labels.size(); ++position) {
            for (Node v : members(s)) child_rank_.push_back(rank[corpus.children(v)[position]]);
            const ChildKey key{similarity.class_of(shapes_.label(s)), labels[position]};
            const std::uint64_t hash = hash_of(key.label_class, key.child);
            std::uint32_t number = child_key_index_.find(hash, [&](auto k) { return child_keys_[k] == key; });
            if (number == kNone) {
                number = static_cast<std::uint32_t>(child_keys_.size());
                child_keys_.push_back(key);
                child_key_index_.insert(hash, number);
                child_key_shapes_.emplace_back();
                last_shape_with.push_back(kNone);
            }
            if (last_shape_with[number] != s) child_key_shapes_[number].push_back(s);
            last_shape_with[number] = s;
        }
    }
}

std::span<const Shape> PartialIndex::shapes_with_child(std::uint32_t label_class, Label child) const {
    const ChildKey key{label_class, child};
    const std::uint32_t number =
        child_key_index_.find(hash_of(label_class, child), [&](auto k) { return child_keys_[k] == key; });
    if (number == kNone) return {};
    return child_key_shapes_[number];
}

}  // namespace treekernels
