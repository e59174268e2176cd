// Paths down a tree: sequences of labels from a node to one below it, numbered in order of first use.
//
// A path is its first label and the path that goes on below it. So the paths that begin at a subtree are those of its
// children with one more label in front, and are listed once for each distinct subtree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/dag.hpp"
#include "core/errors.hpp"
#include "core/memory/number_index.hpp"
#include "core/memory/room.hpp"
#include "core/threads/tasks.hpp"

namespace treekernels {

struct SubpathParameters {
    double decay;              // of each label of a path
    std::uint32_t max_length;  // labels of a path at most; kNone for any number
};

using Path = std::uint32_t;

class PathTable {
public:
    explicit PathTable(SubpathParameters parameters) : parameters_(parameters) {}

    // `rest` is kNone for a path of one label.
    Path intern(Label first, Path rest) {
        const Path known = find(first, rest);
        if (known != kNone) return known;
        const auto path = static_cast<Path>(entries_.size());
        const std::uint32_t length = rest == kNone ? 1 : entries_[rest].length + 1;
        const double above = rest == kNone ? 1.0 : weights_[rest];
        make_room(entries_, 1);
        make_room(weights_, 1);
        index_.make_room();
        // Nothing can fail from here on.
        entries_.push_back({first, rest, length});
        weights_.push_back(above * parameters_.decay);
        index_.insert(hash(first, rest), path);
        return path;
    }
    Path find(Label first, Path rest) const {
        return index_.find(hash(first, rest),
                           [&](Path path) { return entries_[path].first == first && entries_[path].rest == rest; });
    }

    std::size_t size() const { return entries_.size(); }
    Label first(Path path) const { return entries_[path].first; }
    Path rest(Path path) const { return entries_[path].rest; }
    bool can_grow(Path path) const { return entries_[path].length < parameters_.max_length; }
    // decay^(labels), by path.
    const std::vector<double>& weights() const { return weights_; }

private:
    struct Entry {
        Label first;
        Path rest;
        std::uint32_t length;
    };
    static std::uint64_t hash(Label first, Path rest) { return mix(mix(0, first), rest); }

    SubpathParameters parameters_;
    std::vector<Entry> entries_;
    std::vector<double> weights_;
    NumberIndex index_;
};

// The paths that begin at each subtree of a Dag or a Corpus, and how often each does.
class PathLists {
public:
    explicit PathLists(SubpathParameters parameters) : table_(parameters) {}

    const PathTable& table() const { return table_; }
    bool has(Node node) const { return node < places_.size() && places_[node].listed; }
    std::span<const Path> paths(Node node) const { return {paths_.data() + places_[node].begin, places_[node].size}; }
    std::span<const double> counts(Node node) const {
        return {counts_.data() + places_[node].begin, places_[node].size};
    }

    // Lists the paths of a subtree, once. Its children must have been listed before.
    template <class Source>
    void list(const Source& source, Node node) {
        if (has(node)) return;
        if (node >= places_.size()) places_.resize(node + std::size_t{1});
        const std::size_t begin = paths_.size();
        try {
            list_from(begin, source, node);
        } catch (...) {
            paths_.resize(begin);
            counts_.resize(begin);
            throw;
        }
        places_[node] = {begin, paths_.size() - begin, true};
    }

    // The paths of a whole tree in order of first use, and how often it has each; valid until the next call.
    std::span<const Path> count_tree(std::span<const Node> nodes, std::span<const double> node_counts) {
        if (total_.size() < table_.size()) total_.resize(table_.size(), 0.0);
        for (Path path : of_tree_) total_[path] = 0.0;
        of_tree_.clear();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const auto paths = this->paths(nodes[i]);
            const auto counts = this->counts(nodes[i]);
            for (std::size_t k = 0; k < paths.size(); ++k) {
                if (total_[paths[k]] == 0.0) of_tree_.push_back(paths[k]);
                total_[paths[k]] += node_counts[i] * counts[k];
            }
        }
        return of_tree_;
    }
    double count(Path path) const { return total_[path]; }
    // After this, to count a tree whose subtrees have been listed cannot fail.
    void make_room_to_count() {
        if (total_.size() < table_.size()) total_.resize(table_.size(), 0.0);
        make_room(of_tree_, table_.size() - of_tree_.size());
    }

private:
    static constexpr std::size_t kMostEntries = std::size_t{1} << 26;  // of 12 bytes each

    template <class Source>
    void list_from(std::size_t begin, const Source& source, Node node) {
        const Label label = source.label(node);
        add(begin, table_.intern(label, kNone), 1.0);
        for (Node child : source.children(node)) {
            const Place below = places_[child];
            if (paths_.size() + below.size > kMostEntries)
                throw TooLarge(
                    "the trees are so deep that their paths would fill the memory: use max_length=20 or so, or prune "
                    "the trees");
            for (std::size_t i = below.begin; i < below.begin + below.size; ++i)
                if (table_.can_grow(paths_[i])) add(begin, table_.intern(label, paths_[i]), counts_[i]);
        }
    }

    // Paths that two children share are one entry.
    void add(std::size_t begin, Path path, double count) {
        if (path >= place_in_list_.size()) place_in_list_.resize(2 * std::size_t{path} + 16, 0);
        const std::size_t place = place_in_list_[path];
        if (place >= begin && place < paths_.size() && paths_[place] == path) {
            counts_[place] += count;
            return;
        }
        make_room(paths_, 1);
        make_room(counts_, 1);
        place_in_list_[path] = paths_.size();
        paths_.push_back(path);
        counts_.push_back(count);
    }

    struct Place {
        std::size_t begin = 0, size = 0;
        bool listed = false;
    };

    PathTable table_;
    std::vector<Place> places_;  // by node
    std::vector<Path> paths_;
    std::vector<double> counts_;
    std::vector<std::size_t> place_in_list_;  // where a path was last put
    std::vector<double> total_;               // by path, 0 for those that the tree has not
    std::vector<Path> of_tree_;
};

}  // namespace treekernels
