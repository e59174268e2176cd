#include "structures/binarize.hpp"

#include <algorithm>
#include <string>

#include "core/errors.hpp"

namespace treekernels {

namespace {

// Text of all labels in between of one node; more is a mistake in `horizontal`.
constexpr std::uint64_t kMostText = std::uint64_t{1} << 30;

class Binarizer {
public:
    Binarizer(const Dag& from, bool right, std::size_t horizontal, Dag& to, const Task& task)
        : from_(from), right_(right), horizontal_(horizontal), to_(to), task_(task), reach_(from, &task) {}

    Node root(Node node) {
        reach_.add(node);
        while (there_.size() < reach_.nodes().size()) {
            if (there_.size() % 4096 == 0) task_.check();
            there_.push_back(binarized(reach_.nodes()[there_.size()]));
        }
        return there_[reach_.place(node)];
    }

private:
    Node binarized(Node node) {
        const auto old = from_.children(node);
        children_.clear();
        for (Node child : old) children_.push_back(there_[reach_.place(child)]);
        if (children_.size() > 2) divide(node, old);
        return to_.intern_node(to_.intern_label(from_.label_text(from_.label(node))), children_);
    }

    std::size_t first_named(std::size_t below, std::size_t count) const {
        return right_ ? count - below : below - std::min(below, horizontal_);
    }

    // Adds up the labels in between before any of them is made.
    void check_text(std::string_view name, std::span<const Node> old) {
        lengths_.assign(1, 0);
        for (Node child : old) lengths_.push_back(lengths_.back() + from_.label_text(from_.label(child)).size() + 1);
        std::uint64_t text = 0;
        for (std::size_t below = 2; below < old.size(); ++below) {
            const std::size_t first = first_named(below, old.size());
            text += name.size() + 3 + lengths_[first + std::min(below, horizontal_)] - lengths_[first];
            if (text > kMostText)
                throw TooLarge("the labels of a binarised node would fill a gigabyte: use a smaller horizontal");
        }
    }

    // From the far end of the chain to the near one, so that all below is there already.
    void divide(Node node, std::span<const Node> old) {
        const std::size_t count = children_.size();
        const std::string_view name = from_.label_text(from_.label(node));
        Node rest = right_ ? children_[count - 1] : children_[0];
        check_text(name, old);
        for (std::size_t below = 2; below < count; ++below) {
            if (below % 4096 == 0) task_.check();
            const std::size_t named = std::min(below, horizontal_);
            const std::size_t first = first_named(below, count);
            label_.assign(name).append("|<");
            for (std::size_t child = first; child < first + named; ++child) {
                if (child > first) label_.push_back('-');
                label_.append(from_.label_text(from_.label(old[child])));
            }
            label_.push_back('>');
            const Label label = to_.intern_label(label_);
            const Node left_pair[] = {rest, children_[below - 1]};
            const Node right_pair[] = {children_[count - below], rest};
            rest = to_.intern_node(label, right_ ? right_pair : left_pair);
        }
        children_ = right_ ? std::vector{children_[0], rest} : std::vector{rest, children_[count - 1]};
    }

    const Dag& from_;
    bool right_;
    std::size_t horizontal_;
    Dag& to_;
    const Task& task_;
    Reach reach_;
    std::vector<Node> there_;
    std::vector<Node> children_;
    std::vector<std::uint64_t> lengths_;
    std::string label_;
};

}  // namespace

std::vector<Node> binarize(const Dag& from, std::span<const Node> roots, bool right, std::size_t horizontal, Dag& to,
                           Task& task) {
    Binarizer binarizer(from, right, horizontal, to, task);
    std::vector<Node> result;
    result.reserve(roots.size());
    for (Node root : roots) result.push_back(binarizer.root(root));
    return result;
}

}  // namespace treekernels
