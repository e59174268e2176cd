// Any arrays are a DAG, or are refused. An input is what tests/fuzz/targets.py calls a pickle: six arrays, the last of
// them roots, each with its length in bytes before it.
#include <cstdint>
#include <cstring>

#include "core/brackets.hpp"
#include "core/errors.hpp"
#include "fuzz/require.hpp"

using namespace treekernels;
using fuzz::require;

namespace {

class Parts {
public:
    Parts(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}
    std::string_view next() {
        const auto byte = [&](std::size_t i) { return i < rest_.size() ? static_cast<std::uint8_t>(rest_[i]) : 0U; };
        const std::size_t length = byte(0) | byte(1) << 8;
        rest_.remove_prefix(std::min<std::size_t>(2, rest_.size()));
        const std::string_view part = rest_.substr(0, length);
        rest_.remove_prefix(part.size());
        return part;
    }
    template <class Number>
    std::vector<Number> numbers() {
        const std::string_view part = next();
        std::vector<Number> result(part.size() / sizeof(Number));
        if (!result.empty()) std::memcpy(result.data(), part.data(), result.size() * sizeof(Number));
        return result;
    }

private:
    std::string_view rest_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Parts parts(data, size);
    DagArrays arrays;
    arrays.label_text = parts.next();
    arrays.label_offsets = parts.numbers<std::uint64_t>();
    arrays.node_labels = parts.numbers<Label>();
    arrays.child_offsets = parts.numbers<std::uint64_t>();
    arrays.children = parts.numbers<Node>();
    std::vector<Node> roots = parts.numbers<Node>();
    Dag dag;
    try {
        Dag::fill_from(dag, arrays);
    } catch (const std::invalid_argument&) {
        return 0;
    }
    std::erase_if(roots, [&](Node root) { return root >= dag.size(); });
    for (Node node = 0; node < dag.size(); ++node) {
        for (Node child : dag.children(node)) require(child < node, "children come before parents");
        const std::vector<Node> children(dag.children(node).begin(), dag.children(node).end());
        require(dag.find_node(dag.label(node), children) == node, "a node is there once");
        require(dag.find_label(dag.label_text(dag.label(node))) == dag.label(node), "a label is there once");
    }
    const TreeSizes sizes = tree_sizes(dag, roots);
    std::vector<Node> new_roots;
    const DagArrays again = export_arrays(dag, roots, new_roots);
    Dag copy;
    Dag::fill_from(copy, again);
    const TreeSizes new_sizes = tree_sizes(copy, new_roots);
    require(sizes.nodes == new_sizes.nodes && sizes.depth == new_sizes.depth, "a copy has the same trees");
    for (std::size_t i = 0; i < roots.size() && i < 4; ++i) {
        try {
            require(to_brackets(dag, roots[i], 1000) == to_brackets(copy, new_roots[i], 1000), "texts are equal");
        } catch (const TooLarge&) {
            require(sizes.nodes[i] > 1000, "only large trees are too large");
        }
    }
    return 0;
}
