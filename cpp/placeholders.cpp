#include "placeholders.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace treekernels {

LabelParts split_label(std::string_view label) {
    std::size_t digits = 0;
    while (digits < label.size() && label[label.size() - 1 - digits] >= '0' && label[label.size() - 1 - digits] <= '9')
        ++digits;
    const std::size_t name = label.size() - digits;
    if (digits == 0 || name < 2 || label[name - 1] != ':') return {label, kNoPlaceholder};
    if (digits > 18)
        throw std::invalid_argument("the placeholder of the label " + std::string(label) + " has more than 18 digits");
    std::uint64_t number = 0;
    for (char digit : label.substr(name)) number = 10 * number + static_cast<std::uint64_t>(digit - '0');
    return {label.substr(0, name), number};
}

SplitLabels::SplitLabels(const Dag& dag) {
    std::unordered_map<std::string_view, std::uint32_t> names;
    for (Label label = 0; label < dag.label_count(); ++label) {
        const auto [text, number] = split_label(dag.label_text(label));
        name.push_back(names.try_emplace(text, static_cast<std::uint32_t>(names.size())).first->second);
        placeholder.push_back(number);
    }
}

namespace {

// Productions in which every placeholder looks the same, as numbers; kNone for leaves.
std::vector<std::uint32_t> keys_of(const Corpus& corpus, const SplitLabels& labels) {
    std::vector<std::uint32_t> key_of_production(corpus.production_count(), kNone);
    std::vector<Node> first_with_key;
    NumberIndex index;
    std::vector<std::uint32_t> keys(corpus.node_count(), kNone);
    const auto name = [&](Node node) { return labels.name[corpus.label(node)]; };
    for (Node node = 0; node < corpus.node_count(); ++node) {
        if (corpus.is_leaf(node)) continue;
        std::uint32_t& key = key_of_production[corpus.production(node)];
        if (key == kNone) {
            std::uint64_t hash = mix(0x452821E638D01377ULL, name(node));
            for (Node child : corpus.children(node)) hash = mix(hash, name(child));
            key = index.find(hash, [&](std::uint32_t other) {
                const Node first = first_with_key[other];
                return name(first) == name(node) &&
                       std::ranges::equal(corpus.children(first), corpus.children(node), {}, name, name);
            });
            if (key == kNone) {
                key = static_cast<std::uint32_t>(first_with_key.size());
                first_with_key.push_back(node);
                index.insert(hash, key);
            }
        }
        keys[node] = key;
    }
    return keys;
}

}  // namespace

PlaceholderLists placeholders_of(const Dag& dag, std::span<const Node> texts, std::span<const Node> hypotheses,
                                 const SplitLabels& labels, unsigned threads, const Task& task) {
    const Corpus corpus(dag, texts, hypotheses, threads, task);
    PlaceholderLists lists;
    for (std::size_t pair = 0; pair < texts.size(); ++pair) {
        const auto begin = static_cast<std::ptrdiff_t>(lists.number.size());
        for (std::size_t tree : {pair, texts.size() + pair})
            for (Node node : corpus.nodes(tree))
                if (const auto number = labels.placeholder[corpus.label(node)]; number != kNoPlaceholder)
                    lists.number.push_back(number);
        std::sort(lists.number.begin() + begin, lists.number.end());
        lists.number.erase(std::unique(lists.number.begin() + begin, lists.number.end()), lists.number.end());
        lists.offset.push_back(lists.number.size());
    }
    return lists;
}

AnchoredTrees::AnchoredTrees(Corpus corpus, const SplitLabels& labels, const PlaceholderLists& lists)
    : key_of_node_(keys_of(corpus, labels)), keyed_(corpus, key_of_node_, false), plain_(std::move(corpus)) {
    for (Node node : keyed_.bottom_up().node) key_.push_back(key_of_node_[node]);
    for (std::uint32_t key : key_) key_count_ = std::max<std::size_t>(key_count_, key + 1);
    key_of_node_ = {};
    find_parents();
    for (auto [order, slots] : {std::pair(&keyed_.bottom_up(), &bottom_up_), std::pair(&keyed_.sorted(), &sorted_)}) {
        for (std::size_t tree = 0; tree < plain_.tree_count(); ++tree) {
            const std::span<const std::uint64_t> known(lists.number.data() + lists.offset[tree],
                                                       lists.number.data() + lists.offset[tree + 1]);
            const auto add = [&](Node node) {
                const std::uint64_t number = labels.placeholder[plain_.label(node)];
                if (number == kNoPlaceholder) return;
                const auto place = std::ranges::lower_bound(known, number) - known.begin();
                slots->placeholder.push_back(static_cast<std::uint32_t>(place));
            };
            for (std::size_t at = keyed_.begin(tree); at < keyed_.begin(tree) + keyed_.size(tree); ++at) {
                add(order->node[at]);
                for (Node child : plain_.children(order->node[at])) add(child);
                slots->offset.push_back(slots->placeholder.size());
            }
        }
    }
    std::vector<bool> anchored(plain_.node_count());
    for (std::size_t place = 0; place < key_.size(); ++place)
        anchored[keyed_.bottom_up().node[place]] = !bottom_up_.of(place).empty();
    plain_.cut(anchored);
    find_surroundings();
}

void AnchoredTrees::find_surroundings() {
    const auto& order = keyed_.bottom_up();
    for (std::size_t tree = 0; tree < plain_.tree_count(); ++tree) {
        for (std::uint32_t local = 0; local < keyed_.size(tree); ++local) {
            std::uint64_t below = 0;
            std::uint64_t position = 0;
            for (std::uint32_t child : keyed_.children(order, tree, local)) {
                child_key_.push_back(child == kNone ? kNone : key(tree, child));
                if (child != kNone) below |= std::uint64_t{1} << (mix(position, key(tree, child)) >> 58);
                ++position;
            }
            std::uint64_t way = kNoWayUp;
            for (const Parent& parent : parents(tree, local)) {
                if (!bottom_up_slots(tree, parent.local).empty()) continue;
                way = way == kNoWayUp ? std::uint64_t{key(tree, parent.local)} << 32 | parent.position : kManyWaysUp;
            }
            around_.push_back({way, below});
        }
    }
}

void AnchoredTrees::find_parents() {
    const auto& order = keyed_.bottom_up();
    parent_offset_.assign(key_.size() + 1, 0);
    const auto each_edge = [&](auto visit) {
        for (std::size_t tree = 0; tree < plain_.tree_count(); ++tree)
            for (std::uint32_t local = 0; local < keyed_.size(tree); ++local) {
                const auto children = keyed_.children(order, tree, local);
                for (std::uint32_t position = 0; position < children.size(); ++position)
                    if (children[position] != kNone)
                        visit(keyed_.begin(tree) + children[position], Parent{local, position});
            }
    };
    each_edge([&](std::size_t child, Parent) { ++parent_offset_[child + 1]; });
    for (std::size_t place = 0; place < key_.size(); ++place) parent_offset_[place + 1] += parent_offset_[place];
    parent_.resize(parent_offset_.back());
    std::vector<std::uint64_t> next(parent_offset_.begin(), parent_offset_.end() - 1);
    each_edge([&](std::size_t child, Parent parent) { parent_[next[child]++] = parent; });
}

AnchoredPairs::AnchoredPairs(const Dag& dag, std::span<const Node> texts, std::span<const Node> hypotheses,
                             unsigned threads, const Task& task) {
    const SplitLabels labels(dag);
    lists_ = placeholders_of(dag, texts, hypotheses, labels, threads, task);
    both(
        threads, [&] { texts_.emplace(Corpus(dag, texts, {}, 1, task), labels, lists_); },
        [&] { hypotheses_.emplace(Corpus(dag, hypotheses, {}, 1, task), labels, lists_); });
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    for (std::size_t pair = 0; pair < texts.size(); ++pair) {
        const std::uint64_t roots = std::uint64_t{texts[pair]} << 32 | hypotheses[pair];
        identity_.push_back(known.try_emplace(roots, static_cast<std::uint32_t>(known.size())).first->second);
    }
    identities_ = known.size();
}

}  // namespace treekernels
