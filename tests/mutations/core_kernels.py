"""Mistakes in the kernels of the core."""

from __future__ import annotations

from mutations.mutation import native

__all__ = ["CORE_KERNELS"]

CORE_KERNELS = [
    # kernels
    native(
        "kernels/subtree",
        "a norm counts equal subtrees once",
        "* Real(counts[i]) * Real(counts[i]);\n                return norm;",
        "* Real(counts[i]);\n                return norm;",
        "kernels/test_kernel_values.py",
        "kernels/test_kernel_properties.py",
    ),
    native(
        "kernels/subtree",
        "leaves count in pairs though they have no weight",
        "corpus.is_leaf(node) && parameters.leaf_weight == 0.0 ? kNone : node",
        "corpus.is_leaf(node) && parameters.leaf_weight != 0.0 ? kNone : node",
        "kernels/test_kernel_values.py",
    ),
    native(
        "kernels/subset",
        "a child at rest has the decay of its parent in a table",
        "buckets_.push_back({edge, 0, false, 0, decay_of(q)});",
        "buckets_.push_back({edge, 0, false, 0, decay_of(p)});",
        "learners/test_many_trees.py",
        "learners/test_svm.py",
    ),
    native(
        "kernels/subset",
        "subtrees below are counted twice where counts are damped",
        "if (!lists_ && !damped_) add_sums_below",
        "if (!lists_) add_sums_below",
        "learners/test_many_trees.py",
    ),
    native(
        "gram",
        "a weight counts in one tree only",
        "decay) * (found->second * found->second);",
        "decay) * found->second;",
        "kernels/test_production_weights.py",
    ),
    native(
        "core",
        "one occurrence counts nothing when counts are damped",
        "1.0 + std::log(count)",
        "std::log(count)",
        "kernels/test_production_weights.py",
    ),
    native(
        "kernels/subset",
        "edges weigh the decay once",
        "parameters_.decay * parameters_.decay,",
        "parameters_.decay,",
        "kernels/test_kernel_values.py",
    ),
    native(
        "kernels/subset",
        "rows are let go though another node needs them",
        "const bool last = --slot.uses == 0;",
        "const bool last = --slot.uses <= 1;",
        "kernels/test_kernel_values.py",
        "kernels/test_kernel_properties.py",
    ),
    native(
        "kernels/partial",
        "a gap of the other tree is free",
        "powers[(cells[k].row - cells[l].row - 1) + (cells[k].column - cells[l].column - 1)]",
        "powers[cells[k].row - cells[l].row - 1]",
        "kernels/test_kernel_values.py",
    ),
    native(
        "kernels/partial/rows/lanes.cpp",
        "children may match in the wrong order",
        "if (cells[l].row >= cells[k].row || cells[l].column >= cells[k].column) continue;",
        "if (cells[l].row >= cells[k].row || cells[l].column == cells[k].column) continue;",
        "kernels/test_kernel_values.py",
    ),
    native(
        "kernels/elastic",
        "nothing lies between the first and the last child",
        "ending[j] = ending[j - 1] + columns_[j][row] * (Real(1.0) + below[j - 1]);",
        "ending[j] = ending[j - 1] + columns_[j][row] * (Real(1.0) + below[0]);",
        "kernels/test_kernel_values.py",
        "kernels/test_elastic.py",
    ),
    native(
        "kernels/elastic",
        "ways down are handed on once",
        "to.ways[i] += static_cast<Ways>(times) * from.ways[i];",
        "to.ways[i] += static_cast<Ways>(times != 0) * from.ways[i];",
        "kernels/test_kernel_values.py",
        "kernels/test_elastic.py",
    ),
    native(
        "kernels/features",
        "a path may be one label too long",
        "properties_[path].length < parameters_.max_length;",
        "properties_[path].length <= parameters_.max_length;",
        "kernels/test_subpath.py",
    ),
    native(
        "kernels/features",
        "a norm counts equal paths once",
        "* Real(lists.count(feature)) * Real(lists.count(feature));",
        "* Real(lists.count(feature));",
        "kernels/test_subpath.py",
    ),
    native(
        "kernels/tripartite",
        "placeholders are the same in every production",
        "placeholder == kNoPlaceholder ? kNone : order.number(placeholder)",
        "placeholder == kNoPlaceholder ? kNone : 0U",
        "kernels/test_tripartite.py::test_equals_enumeration",
    ),
    native(
        "kernels/tripartite",
        "a seed forgets that its fragments may be cut",
        "        result *= 1.0 + factor;",
        "        result *= factor;",
        "kernels/test_tripartite.py::test_equals_enumeration",
    ),
    native(
        "kernels/tripartite",
        "a constraint of many placeholders stops at 64",
        "            if ((words_[i] & other.words_[i]) != 0) return true;",
        "            if ((words_[0] & other.words_[0]) != 0) return true;",
        "kernels/test_tripartite.py::test_contradictions_far_beyond_the_first_64",
    ),
    # derivatives
    native(
        "gram",
        "the norms of a normalised kernel do not depend on its parameters",
        "equal ? 0.0 : own - 0.5 * scaled * (growth[k - 1] + other_growth[k - 1])",
        "equal ? 0.0 : own - 0.5 * scaled * growth[k - 1]",
        "kernels/test_gradients.py",
    ),
    native(
        "kernels/subset",
        "a fragment that ends at one leaf weighs as if both trees went on",
        "is_leaf != other_is_leaf ? rule_.leaf_and_node() : rule_.apart()",
        "rule_.apart()",
        "kernels/test_gradients.py",
    ),
    native(
        "kernels/subset",
        "a fragment never stops at a child that goes on in both trees",
        "nodes(const Number& c) const { return cut + c; }",
        "nodes(const Number& c) const { return c + c; }",
        "kernels/test_kernel_values.py",
        "search/test_tree_index.py",
    ),
    native(
        "search/values",
        "whole subtrees are cut off where the other tree has leaves",
        "query.is_leaf(children[k]) ? rule_.leaves() : rule_.leaf_and_node()",
        "rule_.leaves()",
        "search/test_tree_index.py",
    ),
    native(
        "embedding",
        "children that are skipped cost nothing in a vector of partial trees",
        "after[i] = decay * after[i] + value;",
        "after[i] = after[i] + value;",
        "embeddings/test_partial_vectors.py",
    ),
]
