// Any bytes are a tree in brackets, or not; what is read can be written and read again.
#include "core/brackets.hpp"

#include <cstdint>

#include "fuzz/require.hpp"

using namespace treekernels;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    Dag dag;
    BracketReader reader(dag);
    Node root;
    try {
        root = reader.read(text);
    } catch (const ParseFailure& failure) {
        require(failure.offset <= size, "a failure is inside of the text");
        return 0;
    } catch (const std::invalid_argument&) {  // not a label
        return 0;
    }
    const std::string written = to_brackets(dag, root);
    require(reader.read(written) == root, "what is written is the same tree");
    require(written.starts_with(brackets_prefix(dag, root, 10)), "a prefix is the beginning");

    std::vector<Node> roots;
    const DagArrays arrays = export_arrays(dag, std::vector<Node>{root}, roots);
    Dag copy;
    Dag::fill_from(copy, arrays);
    require(to_brackets(copy, roots[0]) == written, "arrays have the same tree");
    const TreeSizes sizes = tree_sizes(dag, std::vector<Node>{root});
    require(sizes.nodes[0] <= size && sizes.depth[0] <= sizes.nodes[0], "a tree has no more nodes than characters");
    return 0;
}
