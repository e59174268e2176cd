#include "distance/tree_distance.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "core/errors.hpp"
#include "distance/engine/grow.hpp"

namespace treekernels {

void PreparedTree::assign(const Dag& dag, Node root, const Task& task) {
    root_ = root;
    is_roof_ = false;
    flatten(dag, root, tree_, task);
    measure();
}

void PreparedTree::assign(const Dag& dag, Label root, std::span<const Node> children, const Task& task) {
    root_ = kNone;
    is_roof_ = false;
    flatten(dag, root, children, tree_, task);
    measure();
}

void PreparedTree::assign_all(const Dag& dag, std::span<const Node> roots, const Task& task) {
    root_ = kNone;
    is_roof_ = true;
    flatten(dag, dag.label(roots.front()), roots, tree_, task);
    measure();
}

void PreparedTree::measure() {
    cells_.assign(tree_);
    has_keyroots_ = {};
    largest_ = tree_.count();
    if (!is_roof_) return;
    largest_ = 0;
    cells_.left[0] = cells_.right[0] = 0.0;
    for (std::size_t root = 1; root < tree_.count(); root += tree_.size[root]) {
        largest_ = std::max<std::size_t>(largest_, tree_.size[root]);
        cells_.left[0] += cells_.left[root];
        cells_.right[0] += cells_.right[root];
    }
}

const Keyroots& PreparedTree::keyroots(From side) {
    const auto number = static_cast<std::size_t>(side);
    if (!has_keyroots_[number]) keyroots_[number].assign(tree_, 0, side, is_roof_);
    has_keyroots_[number] = true;
    return keyroots_[number];
}

namespace {

// What all nodes of a subtree cost.
double cost_of(const FlatTree& tree, double (EditCosts::*cost)(Label) const, const EditCosts& costs,
               std::size_t root = 0) {
    if (costs.is_unit()) return static_cast<double>(tree.size[root]);
    double sum = 0.0;
    for (std::size_t node = root; node < root + tree.size[root]; ++node) sum += (costs.*cost)(tree.label[node]);
    return sum;
}

// To plan takes some twenty steps for each pair of nodes, and memory for each.
bool is_worth_a_plan(double steps, double pairs) { return steps > 40.0 * pairs + 1e6; }

}  // namespace

// The kinds of nodes, and what each gains as each other, in whole numbers if there is a scale.
void TreeDistance::find_costs(const FlatTree& a, const FlatTree& b) {
    kind_of_label_.resize(costs_.label_count(), kNone);
    const auto find_kinds = [&](const FlatTree& tree, Kinds& kinds) {
        kinds.labels.clear();
        kinds.of_node.resize(tree.count());
        for (std::size_t node = 0; node < tree.count(); ++node) {
            if (tree.label[node] >= kind_of_label_.size())
                throw std::invalid_argument("these are the costs of other labels");
            std::uint32_t& kind = kind_of_label_[tree.label[node]];
            if (kind == kNone) {
                kind = static_cast<std::uint32_t>(kinds.labels.size());
                kinds.labels.push_back(tree.label[node]);
            }
            kinds.of_node[node] = kind;
        }
        for (Label label : kinds.labels) kind_of_label_[label] = kNone;
    };
    find_kinds(a, a_kinds_);
    find_kinds(b, b_kinds_);
    costs_.rename(a_kinds_.labels, b_kinds_.labels, comparison_, rename_);
    const std::size_t columns = b_kinds_.labels.size();
    const double scale = costs_.scale() == 0.0 ? 1.0 : costs_.scale();
    gain_.resize(rename_.size());
    most_gain_ = 0.0;
    for (std::size_t i = 0; i < a_kinds_.labels.size(); ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            const Label from = a_kinds_.labels[i], to = b_kinds_.labels[j];
            const double apart = costs_.remove(from) + costs_.insert(to) - rename_[i * columns + j];
            const bool is_pair = !costs_.is_nothing(from) && !costs_.is_nothing(to);
            const double gain = is_pair ? std::max(0.0, apart) * scale : 0.0;
            gain_[i * columns + j] = gain;
            most_gain_ = std::max(most_gain_, gain);
        }
}

template <class T>
void TreeDistance::find_gains(Room<T>& room, const FlatTree& a, const FlatTree& b) {
    room.gains.unit = costs_.is_unit();
    if (costs_.is_unit()) {
        room.gains.a_kind.assign(a.label.begin(), a.label.end());
        room.gains.b_kind.assign(b.label.begin(), b.label.end());
        return;
    }
    room.gains.a_kind = a_kinds_.of_node;
    room.gains.b_kind = b_kinds_.of_node;
    room.gains.b_kinds = b_kinds_.labels.size();
    room.gains.table.resize(gain_.size());
    std::ranges::transform(gain_, room.gains.table.begin(), [](double gain) { return static_cast<T>(gain); });
}

template <class Use>
void TreeDistance::with_numbers(const PreparedTree& a, const PreparedTree& b, Use use) {
    if (costs_.is_unit()) {
        most_gain_ = 2.0;
    } else {
        find_costs(a.tree(), b.tree());
    }
    const auto smaller = static_cast<double>(std::min(a.largest(), b.largest()));
    const auto run = [&](auto& room) {
        find_gains(room, a.tree(), b.tree());
        use(room);
    };
    // A column must know how far it is from the beginning, too.
    const double most = costs_.scale() == 0.0 ? 0x1p60 : smaller * most_gain_;
    if (most < 256.0 && b.largest() < 256) return run(room8_);
    if (most < 65536.0 && b.largest() < 65536) return run(room16_);
    if (most < 0x1p31) return run(room32_);
    return run(room_real_);
}

void TreeDistance::check_memory(double bytes, const FlatTree& a, const FlatTree& b) const {
    if (bytes > most_bytes_)
        throw TooLarge("the edit distance of a tree of " + std::to_string(a.count()) + " nodes and one of " +
                       std::to_string(b.count()) + " takes " + std::to_string(std::llround(bytes / 1e6)) + " MB, and " +
                       std::to_string(std::llround(most_bytes_ / 1e6)) + " MB may be used");
}

template <class T>
T TreeDistance::gain_of_trees(Room<T>& room, PreparedTree& a, PreparedTree& b, bool all, const Task& task) {
    const FlatTree &one = a.tree(), &two = b.tree();
    const auto a_count = static_cast<double>(one.count()), b_count = static_cast<double>(two.count());
    const double left = keyroot_steps(a.cells().left[0], b.cells().left[0]);
    const double right = keyroot_steps(a.cells().right[0], b.cells().right[0]);
    const double pairs = a_count * b_count;
    check_memory(pairs * sizeof(T), one, two);
    if (is_worth_a_plan(std::min(left, right), pairs)) {
        check_memory(pairs * (2 * sizeof(T) + 5.0), one, two);
        strategy_.plan(one, a.cells(), two, b.cells(), task);
        if (strategy_.way(0, 0) >= Way::path_of_a || strategy_.steps() < 0.5 * std::min(left, right)) {
            follow_strategy(room, a, b, task);
            return room.all[0];
        }
    }
    const From side = left <= right ? From::left : From::right;
    const Keyroots &rows = a.keyroots(side), &columns = b.keyroots(side);
    room.rows.run(one, rows, two, columns, room.gains, room.part, all, task);
    if (all) {
        grow_to(room.all, one.count() * two.count(), task);
        for (std::uint32_t i = 0; i < rows.count(); ++i)
            for (std::uint32_t j = 0; j < columns.count(); ++j)
                room.all[rows.preorder(one, i) * two.count() + columns.preorder(two, j)] =
                    room.part.row(rows.same(i))[columns.slot(j)];
    }
    return room.part.row(one.count() - 1)[columns.slot(static_cast<std::uint32_t>(two.count()) - 1)];
}

namespace {

// A leaf becomes the node of a subtree with which it gains most.
template <class At, class Gain>
void fill_leaf(const FlatTree& tree, std::uint32_t root, At at, Gain gain) {
    for (std::uint32_t node = root + tree.size[root]; node-- > root;) {
        at(node) = gain(node);
        for (std::uint32_t child = node + 1; child < node + tree.size[node]; child += tree.size[child])
            at(node) = std::max(at(node), at(child));
    }
}

}  // namespace

// Pairs of subtrees wait for those that they need.
template <class T>
void TreeDistance::follow_strategy(Room<T>& room, PreparedTree& a, PreparedTree& b, const Task& task) {
    const FlatTree &one = a.tree(), &two = b.tree();
    const std::size_t stride = two.count();
    grow_to(room.all, one.count() * stride, task);
    const GainsView<T> view{room.all.data(), stride, 1}, turned{room.all.data(), 1, stride};
    room.turned = room.gains.turned();
    struct Pair {
        std::uint32_t a, b;
        bool ready;
    };
    std::vector<Pair> open{{0, 0, false}};
    const auto beside_path = [&](const FlatTree& tree, std::uint32_t root, auto use) {
        for (std::uint32_t node = root; tree.size[node] > 1;) {
            const std::uint32_t heavy = InnerPaths<T>::heavy_child(tree, node);
            for (std::uint32_t child = node + 1; child < node + tree.size[node]; child += tree.size[child])
                if (child != heavy) use(child);
            node = heavy;
        }
    };
    while (!open.empty()) {
        task.check();
        const Pair pair = open.back();
        open.pop_back();
        const Way way = strategy_.way(pair.a, pair.b);
        if (one.size[pair.a] == 1) {
            fill_leaf(
                two, pair.b, [&](std::uint32_t node) -> T& { return view(pair.a, node); },
                [&](std::uint32_t node) { return room.gains(pair.a, node); });
        } else if (two.size[pair.b] == 1) {
            fill_leaf(
                one, pair.a, [&](std::uint32_t node) -> T& { return view(node, pair.b); },
                [&](std::uint32_t node) { return room.gains(node, pair.b); });
        } else if (way == Way::left || way == Way::right) {
            const From side = way == Way::left ? From::left : From::right;
            a_part_.assign(one, pair.a, side);
            b_part_.assign(two, pair.b, side);
            room.rows.run(one, a_part_, two, b_part_, room.gains, room.part, true, task);
            for (std::uint32_t i = 0; i < a_part_.count(); ++i)
                for (std::uint32_t j = 0; j < b_part_.count(); ++j)
                    view(a_part_.preorder(one, i), b_part_.preorder(two, j)) =
                        room.part.row(a_part_.same(i))[b_part_.slot(j)];
        } else if (!pair.ready) {
            open.push_back({pair.a, pair.b, true});
            if (way == Way::path_of_a) {
                beside_path(one, pair.a, [&](std::uint32_t node) { open.push_back({node, pair.b, false}); });
            } else {
                beside_path(two, pair.b, [&](std::uint32_t node) { open.push_back({pair.a, node, false}); });
            }
        } else if (way == Way::path_of_a) {
            check_memory(InnerPaths<T>::numbers(one.size[pair.a], two.size[pair.b]) * sizeof(T), one, two);
            room.paths.run(one, pair.a, two, pair.b, room.gains, view, task);
        } else {
            check_memory(InnerPaths<T>::numbers(two.size[pair.b], one.size[pair.a]) * sizeof(T), one, two);
            room.paths.run(two, pair.b, one, pair.a, room.turned, turned, task);
        }
    }
}

double TreeDistance::operator()(PreparedTree& a, PreparedTree& b, const Task& task) {
    if (a.root() == b.root() && a.root() != kNone) return 0.0;
    double gain = 0.0;
    with_numbers(a, b, [&](auto& room) { gain = static_cast<double>(gain_of_trees(room, a, b, false, task)); });
    if (costs_.scale() != 0.0) gain /= costs_.scale();
    const double apart = cost_of(a.tree(), &EditCosts::remove, costs_) + cost_of(b.tree(), &EditCosts::insert, costs_);
    return std::max(0.0, apart - gain);
}

bool TreeDistance::to_all(PreparedTree& a, PreparedTree& trees, std::vector<double>& distances, const Task& task) {
    const FlatTree &one = a.tree(), &all = trees.tree();
    const double left = keyroot_steps(a.cells().left[0], trees.cells().left[0]);
    const double right = keyroot_steps(a.cells().right[0], trees.cells().right[0]);
    const double pairs = static_cast<double>(one.count()) * static_cast<double>(all.count());
    // Sums of numbers that are not whole would depend on what else is in the group.
    if (costs_.scale() == 0.0 || is_worth_a_plan(std::min(left, right), pairs) || pairs * sizeof(double) > most_bytes_)
        return false;
    const From side = left <= right ? From::left : From::right;
    const Keyroots &rows = a.keyroots(side), &columns = trees.keyroots(side);
    distances.clear();
    const double removed = cost_of(one, &EditCosts::remove, costs_);
    with_numbers(a, trees, [&](auto& room) {
        room.rows.run(one, rows, all, columns, room.gains, room.part, false, task);
        const auto* gains = room.part.row(one.count() - 1);
        for (std::uint32_t root = 1; root < all.count(); root += all.size[root]) {
            const double gain = static_cast<double>(gains[columns.slot(columns.place(all, root))]) / costs_.scale();
            const double apart = removed + cost_of(all, &EditCosts::insert, costs_, root);
            distances.push_back(std::max(0.0, apart - gain));
        }
    });
    return true;
}

std::vector<double> TreeDistance::subtree_gains(PreparedTree& a, PreparedTree& b, const Task& task) {
    std::vector<double> result;
    with_numbers(a, b, [&](auto& room) {
        gain_of_trees(room, a, b, true, task);
        result.assign(room.all.begin(),
                      room.all.begin() + static_cast<std::ptrdiff_t>(a.tree().count() * b.tree().count()));
    });
    return result;
}

std::vector<double> TreeDistance::node_gains(const PreparedTree& a, const PreparedTree& b) {
    const std::size_t rows = a.tree().count(), columns = b.tree().count();
    std::vector<double> result(rows * columns);
    with_numbers(a, b, [&](auto& room) {
        for (std::uint32_t i = 0; i < rows; ++i)
            for (std::uint32_t j = 0; j < columns; ++j) result[i * columns + j] = static_cast<double>(room.gains(i, j));
    });
    return result;
}

}  // namespace treekernels
