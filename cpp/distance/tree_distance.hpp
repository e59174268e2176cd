// The distance of two trees, one pair after the other, with memory that is used again. Each thread has one of these.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "distance/costs.hpp"
#include "distance/engine/gains.hpp"
#include "distance/engine/inner_paths.hpp"
#include "distance/engine/keyroot_rows.hpp"
#include "distance/engine/keyroots.hpp"
#include "distance/engine/strategy.hpp"
#include "distance/flat_tree.hpp"

namespace treekernels {

// A tree with what is known of it, whatever it is compared with; or several trees side by side.
class PreparedTree {
public:
    void assign(const Dag& dag, Node root, const Task& task);
    void assign(const Dag& dag, Label root, std::span<const Node> children, const Task& task);
    void assign_all(const Dag& dag, std::span<const Node> roots, const Task& task);

    Node root() const { return root_; }
    // Several trees are below a root that is none of theirs.
    const FlatTree& tree() const { return tree_; }
    const KeyrootCells& cells() const { return cells_; }
    // How many nodes the largest tree has.
    std::size_t largest() const { return largest_; }
    // Made when first asked for.
    const Keyroots& keyroots(From side);

private:
    void measure();

    Node root_ = kNone;
    bool is_roof_ = false;
    std::size_t largest_ = 0;
    FlatTree tree_;
    KeyrootCells cells_;
    std::array<Keyroots, 2> keyroots_;
    std::array<bool, 2> has_keyroots_{};
};

class TreeDistance {
public:
    // Trees of which a comparison would take more bytes than that are refused, by TooLarge.
    TreeDistance(const EditCosts& costs, double most_bytes) : costs_(costs), most_bytes_(most_bytes) {}

    double operator()(PreparedTree& a, PreparedTree& b, const Task& task);

    // How far a is from each of several trees, or false if they are better compared one by one.
    bool to_all(PreparedTree& a, PreparedTree& trees, std::vector<double>& distances, const Task& task);

    // What all pairs of subtrees gain, by preorder numbers, row after row.
    std::vector<double> subtree_gains(PreparedTree& a, PreparedTree& b, const Task& task);

    // What one node of a and one of b gain, by preorder numbers, row after row.
    std::vector<double> node_gains(const PreparedTree& a, const PreparedTree& b);

private:
    template <class T>
    struct Room {
        Gains<T> gains, turned;
        KeyrootRows<T> rows;
        SubtreeGains<T> part;
        InnerPaths<T> paths;
        std::vector<T> all;
    };
    struct Kinds {
        std::vector<std::uint32_t> of_node;
        std::vector<Label> labels;
    };

    template <class Use>
    void with_numbers(const PreparedTree& a, const PreparedTree& b, Use use);
    template <class T>
    void find_gains(Room<T>& room, const FlatTree& a, const FlatTree& b);
    template <class T>
    T gain_of_trees(Room<T>& room, PreparedTree& a, PreparedTree& b, bool all, const Task& task);
    template <class T>
    void follow_strategy(Room<T>& room, PreparedTree& a, PreparedTree& b, const Task& task);
    void find_costs(const FlatTree& a, const FlatTree& b);
    void check_memory(double bytes, const FlatTree& a, const FlatTree& b) const;

    const EditCosts& costs_;
    const double most_bytes_;
    Room<std::uint8_t> room8_;
    Room<std::uint16_t> room16_;
    Room<std::uint32_t> room32_;
    Room<double> room_real_;
    Strategy strategy_;
    Keyroots a_part_, b_part_;
    Kinds a_kinds_, b_kinds_;
    std::vector<std::uint32_t> kind_of_label_;
    std::vector<double> rename_, gain_;
    std::optional<Levenshtein> comparison_;
    double most_gain_ = 0.0;
};

}  // namespace treekernels
