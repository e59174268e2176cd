"""Mistakes in the core: forests, matrices, models, structures."""

from __future__ import annotations

from mutations.mutation import native

__all__ = ["CORE"]

CORE = [
    # core/blocks
    native(
        "core/blocks",
        "trees after one of several lines are on a wrong line",
        "                line += lines_in(tree);\n",
        "",
        "io/test_blocks_of_treebanks.py::test_penn",
    ),
    native(
        "core/blocks",
        "a word stands before those that depend on it",
        "if (child > place && !is_tagged) {",
        "if (!is_tagged) {",
        "io/test_blocks_of_treebanks.py::test_conllu",
    ),
    native(
        "core/blocks",
        "a sentence has the name of the one before",
        "        id_ = text_ = {};\n",
        "",
        "io/test_blocks_of_treebanks.py::test_comments_are_of_one_sentence",
    ),
    # distance
    native(
        "distance",
        "an only child is passed over although it is on the path",
        "place + 1 < count() && size_[place + 1] == size_[place] + 1;",
        "place + 1 < count() && size_[place + 1] > size_[place];",
        "distance/test_edit_distance.py::test_bushy_trees",
    ),
    native(
        "distance",
        "trees are trimmed although their roots differ",
        "if (dag.label(a) != dag.label(b)) return {a, b, one, two, trimmed};",
        "",
        "distance/test_edit_distance.py::test_bushy_trees",
    ),
    native(
        "distance",
        "the labels of trees say more than they do",
        "return static_cast<double>(larger - common);",
        "return static_cast<double>(a.size() + b.size() - 2 * common);",
        "search/test_distance_index.py::test_like_the_matrix",
    ),
    native(
        "distance",
        "two nodes of a tree become a single one",
        "const T both = is_pair_[i] ? sum : T(0);",
        "const T both = sum;",
        "distance/test_edit_distance.py::test_bushy_trees",
    ),
    native(
        "distance",
        "the path of a heavy child takes its own table for that of the other side",
        "const bool turns = is_from_ != side;",
        "const bool turns = false;",
        "distance/test_edit_distance.py::test_trees_that_no_side_is_good_for",
    ),
    native(
        "distance",
        "a band is too narrow",
        "std::min<std::int64_t>(0, behind) - spare / 2",
        "std::min<std::int64_t>(0, behind) - spare / 4",
        "distance/test_edit_distance.py::test_most_of_large_trees",
    ),
    native(
        "distance",
        "the order of labels counts double",
        "group.preorder(i) : group.postorder(i)) > most;",
        "group.preorder(i) : group.postorder(i)) > most / 2;",
        "distance/test_edit_distance.py::test_most",
        "search/test_distance_index.py::test_like_the_matrix",
    ),
    native(
        "distance",
        "long texts are compared by their last characters only",
        "falls = falls_on;",
        "falls = 0;",
        "distance/test_edit_distance.py::test_texts",
    ),
    native(
        "distance",
        "along a path a node is in forests that begin behind it",
        "first_block(row) < block ? 0 : (column[row] + 1) % kLine",
        "0",
        "distance/test_edit_distance.py::test_trees_that_no_side_is_good_for",
    ),
    native(
        "distance",
        "a tree begins where an earlier one did",
        "if (a.is_keyroot(place)) --depth;",
        "",
        "distance/test_edit_distance.py::test_bushy_trees",
    ),
    native(
        "distance",
        "what is too far away is given all the same",
        "if (value > request_.most) value = std::numeric_limits<double>::infinity();",
        "value = std::max(value, 0.0);",
        "distance/test_edit_distance.py::test_bushy_trees",
    ),
    native(
        "distance",
        "nodes become each other although that costs more",
        "if (gains && matched.gain == here) {",
        "if (matched.gain == here) {",
        "distance/test_edit_distance.py::test_costs_of_labels",
    ),
    native(
        "distance",
        "a tree that is as near as the last of the nearest is passed over",
        "if (is_full() && candidates[next].bound > best.front().bound) break;",
        "if (is_full() && candidates[next].bound >= best.front().bound) break;",
        "search/test_distance_index.py::test_the_first_of_equally_near_trees",
    ),
    # core
    native(
        "core",
        "numbers beyond doubles are added unaligned",
        "        return carried(a.mantissa_ + b.mantissa_ * kDown, a.exponent_);",
        "        return carried(a.mantissa_ + b.mantissa_, a.exponent_);",
        "kernels/test_kernel_extremes.py::test_wide_nodes_counted",
        "kernels/test_kernel_extremes.py::test_large_trees_without_decay",
    ),
    native(
        "core",
        "the root of an odd power of 2^256 is wrong",
        "odd ? root * 0x1p-128 : root",
        "odd ? root * 0x1p-127 : root",
        "kernels/test_kernel_extremes.py::test_wide_nodes_counted",
        "kernels/test_kernel_extremes.py::test_large_trees_without_decay",
    ),
    native(
        "core",
        "text after a tree is passed over",
        "    if (at < text.size())\n        throw ParseFailure(",
        "    if (at > text.size())\n        throw ParseFailure(",
        "data/test_brackets.py::test_bad_text",
    ),
    native(
        "core",
        "a saved forest may have a child after its parent",
        'require(child < node, "a child',
        'require(child <= node, "a child',
        "data/test_forest_pickles.py",
    ),
    native(
        "core",
        "a bad row leaves its first columns behind",
        "while (done > 0) rows_.columns[--done].values.pop_back();",
        "while (done > 1) rows_.columns[--done].values.pop_back();",
        "io/test_blocks_of_rows.py",
    ),
    native(
        "bind",
        "a token that stands alone is left out",
        "taken = true;  // the only child",
        "taken = false;  // the only child",
        "io/test_code_syntax.py",
    ),
    native(
        "bind",
        "the type of what is declared counts as declared",
        'cursor.is_in_field({"type", "value", "function", "object"})',
        'cursor.is_in_field({"value", "function", "object"})',
        "io/test_code_syntax.py",
    ),
    # gram
    native(
        "gram",
        "a count of 256 goes into 8 bits",
        "m.count + 1.0 <= 255.0 &&",
        "m.count + 1.0 <= 256.0 &&",
        "kernels/test_kernel_extremes.py::test_many_equal_subtrees_are_counted_exactly",
    ),
    native(
        "gram",
        "what a vector of counts lacks is left out",
        "if (!list_[entry_[key].list].is_whole) add_more",
        "if (false) add_more",
        "kernels/test_counted_features.py",
    ),
    native(
        "gram",
        "equal trees are not exactly 1 in the last column",
        "            if (column < columns) to[column]",
        "            if (column + 1 < columns) to[column]",
        "kernels/test_result_arrays.py",
    ),
    native(
        "gram",
        "normalised values may exceed 1",
        "value < 1.0 || value > kRounded",
        "value < 2.0 || value > kRounded",
        "kernels/test_result_arrays.py::test_normalised_values_are_at_most_1",
    ),
    # models
    native(
        "models",
        "weights of the first column go to all",
        "to[k] += factor * alpha[k];",
        "to[k] += factor * alpha[0];",
        "learners/test_weighted_forest.py::test_score_is_the_sum_over_all_examples",
    ),
    native(
        "models",
        "a subtree is in the order twice",
        "        inserted_[node] = true;\n",
        "        inserted_[node] = node != 3;\n",
        "learners/test_weighted_forest.py",
        "learners/test_public_weighted_forest.py",
    ),
    # structures
    native(
        "structures",
        "pruned trees are a level too deep",
        "            if (level + 1 < depth)\n                for",
        "            if (level < depth)\n                for",
        "structures/test_structures.py::test_prune_depth",
    ),
    native(
        "structures",
        "binarised labels name the wrong children",
        "right_ ? count - below : below - std::min(below, horizontal_)",
        "right_ ? count - below : std::size_t{0}",
        "structures/test_structures.py::test_binarized_labels_name_the_nearest_children",
    ),
]
