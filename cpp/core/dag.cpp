#include "core/dag.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "core/memory/room.hpp"
#include "core/trees/dag_copier.hpp"

namespace treekernels {

namespace {

std::uint32_t next_number(std::size_t count, const char* what) {
    if (count >= kNone) throw std::length_error(std::string("more than 4294967294 distinct ") + what);
    return static_cast<std::uint32_t>(count);
}

}  // namespace

Label Dag::find_label(std::string_view text) const {
    const std::uint64_t hash = text_hash(text);
    return label_index_.find(hash, [&](Label label) { return text == label_text(label); });
}

Label Dag::intern_label(std::string_view text) {
    const Label found = find_label(text);
    if (found != kNone) return found;
    if (text.empty()) throw std::invalid_argument("a label is empty");
    if (text.find('\0') != text.npos) throw std::invalid_argument("a label contains a NUL character");
    const Label label = next_number(label_count(), "labels");
    make_room(label_offset_, 1);
    label_index_.make_room();
    label_text_.append(text);
    // Nothing can fail from here on.
    label_offset_.push_back(label_text_.size());
    label_index_.insert(text_hash(text), label);
    return label;
}

template <class LabelOf>
std::uint64_t Dag::production_hash(Label label, std::span<const std::uint32_t> children, LabelOf label_of) {
    std::uint64_t hash = mix(hash_secret(), label);
    for (std::uint32_t child : children) hash = mix(hash, label_of(child));
    return hash;
}

template <class LabelOf>
Production Dag::find_production(std::uint64_t hash, Label label, std::span<const std::uint32_t> children,
                                LabelOf label_of) const {
    return production_index_.find(hash, [&](Production production) {
        const Node node = production_node_[production];
        const auto own_label_of = [this](Node child) { return this->label(child); };
        return this->label(node) == label &&
               std::ranges::equal(this->children(node), children, {}, own_label_of, label_of);
    });
}

Production Dag::find_production(Label label, std::span<const Label> children) const {
    return find_production(production_hash(label, children, std::identity()), label, children, std::identity());
}

std::uint64_t Dag::node_hash(Label label, std::span<const Node> children) {
    std::uint64_t hash = mix(~hash_secret(), label);
    for (Node child : children) hash = mix(hash, child);
    return hash;
}

Node Dag::find_node(Label label, std::span<const Node> children) const {
    return node_index_.find(node_hash(label, children), [&](Node node) {
        return this->label(node) == label && std::ranges::equal(this->children(node), children);
    });
}

Node Dag::intern_node(Label label, std::span<const Node> children) {
    const Node found = find_node(label, children);
    if (found != kNone) return found;
    TREEKERNELS_ASSERT(label < label_count());
    TREEKERNELS_ASSERT(std::ranges::all_of(children, [this](Node child) { return child < size(); }));
    TREEKERNELS_ASSERT(children.empty() || std::less<>{}(children.data(), children_.data()) ||
                       std::less_equal<>{}(children_.data() + children_.size(), children.data()));
    const Node node = next_number(size(), "subtrees");
    Production production = kNone;
    bool first_of_production = false;
    std::uint64_t hash_of_production = 0;
    if (!children.empty()) {
        const auto label_of = [this](Node child) { return this->label(child); };
        hash_of_production = production_hash(label, children, label_of);
        production = find_production(hash_of_production, label, children, label_of);
        first_of_production = production == kNone;
        if (first_of_production) production = next_number(production_count(), "productions");
    }
    make_room(children_, children.size());
    make_room(child_offset_, 1);
    make_room(node_label_, 1);
    make_room(node_production_, 1);
    node_index_.make_room();
    if (first_of_production) {
        make_room(production_node_, 1);
        production_index_.make_room();
    }
    // Nothing can fail from here on.
    children_.insert(children_.end(), children.begin(), children.end());
    child_offset_.push_back(children_.size());
    node_label_.push_back(label);
    node_production_.push_back(production);
    node_index_.insert(node_hash(label, children), node);
    if (first_of_production) {
        production_node_.push_back(node);  // the first to have a production stands for it
        production_index_.insert(hash_of_production, production);
    }
    return node;
}

std::vector<Node> Dag::import(const Dag& other, std::span<const Node> roots, const Task& task, const Relabel& relabel) {
    Copier copier(other, *this, task, relabel);
    std::vector<Node> result;
    result.reserve(roots.size());
    for (Node root : roots) result.push_back(copier.copy(root));
    return result;
}

void Dag::fill_from(Dag& empty, const DagArrays& arrays) {
    const auto require = [](bool good, const char* what) {
        if (!good) throw std::invalid_argument(std::string("not a forest: ") + what);
    };
    const auto offsets_fit = [](const std::vector<std::uint64_t>& offsets, std::size_t end) {
        return !offsets.empty() && offsets.front() == 0 && offsets.back() == end && std::ranges::is_sorted(offsets);
    };
    require(offsets_fit(arrays.label_offsets, arrays.label_text.size()), "label offsets do not fit the text");
    require(arrays.child_offsets.size() == arrays.node_labels.size() + 1 &&
                offsets_fit(arrays.child_offsets, arrays.children.size()),
            "child offsets do not fit the children");
    // At once, and no more than is needed: to grow step by step would leave up to as much again unused.
    empty.label_text_.reserve(arrays.label_text.size());
    make_room(empty.label_offset_, arrays.label_offsets.size() - 1);
    empty.label_index_.make_room(arrays.label_offsets.size() - 1);
    make_room(empty.node_label_, arrays.node_labels.size());
    make_room(empty.node_production_, arrays.node_labels.size());
    make_room(empty.child_offset_, arrays.node_labels.size());
    make_room(empty.children_, arrays.children.size());
    empty.node_index_.make_room(arrays.node_labels.size());
    const std::string_view text(arrays.label_text);
    for (std::size_t label = 0; label + 1 < arrays.label_offsets.size(); ++label) {
        const auto begin = arrays.label_offsets[label];
        const std::string_view own = text.substr(begin, arrays.label_offsets[label + 1] - begin);
        require(!own.empty() && own.find('\0') == own.npos, "a label is empty or contains NUL");
        require(empty.intern_label(own) == label, "a label occurs twice");
    }
    for (std::size_t node = 0; node < arrays.node_labels.size(); ++node) {
        require(arrays.node_labels[node] < empty.label_count(), "a node has an unknown label");
        const std::span<const Node> children(arrays.children.data() + arrays.child_offsets[node],
                                             arrays.children.data() + arrays.child_offsets[node + 1]);
        for (Node child : children) require(child < node, "a child does not come before its parent");
        require(empty.intern_node(arrays.node_labels[node], children) == node, "a subtree occurs twice");
    }
}

void Reach::add(Node root) {
    TREEKERNELS_ASSERT(root < place_.size());
    if (place_[root] != kNone || leaves_out(root)) return;
    if (task_) task_->check();
    stack_.clear();  // an earlier call may have been stopped
    stack_.emplace_back(root, 0);
    while (!stack_.empty()) {
        auto& [node, next] = stack_.back();
        const auto children = dag_.children(node);
        while (next < children.size() && (place_[children[next]] != kNone || leaves_out(children[next]))) ++next;
        if (next < children.size()) {
            const Node child = children[next++];
            stack_.emplace_back(child, 0);
        } else {
            // A node may be on the stack once only: a DAG has no cycles, and its children are done.
            nodes_.push_back(node);
            place_[node] = static_cast<std::uint32_t>(nodes_.size() - 1);
            if (task_ && nodes_.size() % 4096 == 0) task_->check();
            stack_.pop_back();
        }
    }
}

DagArrays export_arrays(const Dag& dag, std::span<const Node> roots, std::vector<Node>& new_roots) {
    Reach reach(dag);
    for (Node root : roots) reach.add(root);
    DagArrays arrays;
    arrays.label_offsets.push_back(0);
    arrays.child_offsets.push_back(0);
    std::vector<Label> new_label(dag.label_count(), kNone);
    for (Node node : reach.nodes()) {
        Label& label = new_label[dag.label(node)];
        if (label == kNone) {
            label = static_cast<Label>(arrays.label_offsets.size() - 1);
            arrays.label_text.append(dag.label_text(dag.label(node)));
            arrays.label_offsets.push_back(arrays.label_text.size());
        }
        arrays.node_labels.push_back(label);
        for (Node child : dag.children(node)) arrays.children.push_back(reach.place(child));
        arrays.child_offsets.push_back(arrays.children.size());
    }
    new_roots.clear();
    for (Node root : roots) new_roots.push_back(reach.place(root));
    return arrays;
}

TreeSizes tree_sizes(const Dag& dag, std::span<const Node> roots) {
    Reach reach(dag);
    for (Node root : roots) reach.add(root);
    std::vector<std::uint64_t> nodes(reach.nodes().size());
    std::vector<std::uint64_t> depth(reach.nodes().size());
    const auto saturating_sum = [](std::uint64_t a, std::uint64_t b) { return a + b < a ? ~0ULL : a + b; };
    for (std::size_t place = 0; place < nodes.size(); ++place) {
        nodes[place] = 1;
        depth[place] = 1;
        for (Node child : dag.children(reach.nodes()[place])) {
            nodes[place] = saturating_sum(nodes[place], nodes[reach.place(child)]);
            depth[place] = std::max(depth[place], depth[reach.place(child)] + 1);
        }
    }
    TreeSizes result;
    for (Node root : roots) {
        result.nodes.push_back(nodes[reach.place(root)]);
        result.depth.push_back(depth[reach.place(root)]);
    }
    return result;
}

}  // namespace treekernels
