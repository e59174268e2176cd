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
    child_label_offset_.reserve(shapes + 1);
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
    : corpus_(corpus), shapes_(corpus) {
    const std::size_t shapes = shapes_.size();
    const Node end = corpus.limit(columns);
    shape_nodes_ = group(end, shapes, [&](std::size_t v) { return shapes_.shape(static_cast<Node>(v)); });
    // Classes may be of labels that no column has.
    const std::size_t classes = similarity.label_count();
    class_nodes_ =
        group(end, classes, [&](std::size_t v) { return similarity.class_of(corpus.label(static_cast<Node>(v))); });
    class_shapes_ = group(shapes, classes, [&](std::size_t s) {
        return members(static_cast<Shape>(s)).empty() ? kNone
                                                      : similarity.class_of(shapes_.label(static_cast<Shape>(s)));
    });
    task.check();
    rank_.resize(end);
    for (std::size_t c = 0; c < classes; ++c) {
        const auto nodes = class_nodes_[c];
        for (std::size_t rank = 0; rank < nodes.size(); ++rank) rank_[nodes[rank]] = static_cast<std::uint32_t>(rank);
    }
    shape_rank_.resize(end);
    for (std::size_t i = 0; i < end; ++i) shape_rank_[i] = rank_[shape_nodes_.items[i]];
    child_rank_offset_.reserve(shapes);
    for (Shape s = 0; s < shapes; ++s) {
        child_rank_offset_.push_back(child_rank_.size());
        if (members(s).empty()) continue;
        task.check();
        for (std::size_t position = 0; position < shapes_.child_labels(s).size(); ++position)
            for (Node v : members(s)) child_rank_.push_back(rank_[corpus.children(v)[position]]);
    }
    list_children(similarity);
}

void PartialIndex::list_children(const LabelSimilarity& similarity) {
    std::vector<std::uint32_t> key_of(shapes_.all_child_labels().size(), kNone);
    std::vector<std::size_t> children;  // by key
    for (Shape s = 0; s < shapes_.size(); ++s) {
        if (members(s).empty()) continue;
        const auto labels = shapes_.child_labels(s);
        const std::uint32_t label_class = similarity.class_of(shapes_.label(s));
        for (std::size_t position = 0; position < labels.size(); ++position) {
            std::uint32_t key = find_key(label_class, labels[position]);
            if (key == kNone) {
                key = static_cast<std::uint32_t>(child_keys_.size());
                child_keys_.push_back({label_class, labels[position]});
                child_key_index_.insert(hash_of(label_class, labels[position]), key);
                children.push_back(0);
                key_parents_.push_back(0);
            }
            key_of[shapes_.first_child(s) + position] = key;
            ++children[key];
            key_parents_[key] += members(s).size();
        }
    }
    key_offset_.assign(1, 0);
    for (std::size_t count : children) key_offset_.push_back(key_offset_.back() + count);
    std::vector<std::uint64_t> next(key_offset_.begin(), key_offset_.end() - 1);
    key_children_.resize(key_offset_.back());
    for (Shape s = 0; s < shapes_.size(); ++s)
        for (std::uint64_t child = shapes_.first_child(s); child < shapes_.first_child(s + 1); ++child)
            if (key_of[child] != kNone)
                key_children_[next[key_of[child]]++] = {s, static_cast<std::uint32_t>(child - shapes_.first_child(s))};
}

std::uint32_t PartialIndex::find_key(std::uint32_t label_class, Label child) const {
    const ChildKey key{label_class, child};
    return child_key_index_.find(hash_of(label_class, child), [&](auto k) { return child_keys_[k] == key; });
}

std::span<const PartialIndex::ShapeChild> PartialIndex::children_with(std::uint32_t label_class, Label child) const {
    const std::uint32_t key = find_key(label_class, child);
    if (key == kNone) return {};
    return {key_children_.data() + key_offset_[key], key_children_.data() + key_offset_[key + 1]};
}

std::size_t PartialIndex::parents_with(std::uint32_t label_class, Label child) const {
    const std::uint32_t key = find_key(label_class, child);
    return key == kNone ? 0 : key_parents_[key];
}

}  // namespace treekernels
