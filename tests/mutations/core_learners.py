"""Mistakes in learners, embeddings and explanations of the core, and in its bindings."""

from __future__ import annotations

from mutations.mutation import native

__all__ = ["CORE_LEARNERS"]

CORE_LEARNERS = [
    # learners
    native(
        "learners",
        "the direction towards a rival is half as long",
        "        if (margin.rival != kNone) square *= 2.0;",
        "        if (margin.rival != kNone) square *= 1.0;",
        "learners/test_weighted_forest.py::test_online_learner_equals_oracle",
    ),
    native(
        "learners",
        "an error within epsilon costs something",
        "std::abs(target - score) - problem_.epsilon",
        "std::abs(target - score)",
        "learners/test_svm.py::test_regression_equals_scikit_learn",
    ),
    native(
        "learners",
        "a tree that shares nothing is content",
        "std::abs(slope) <= problem_.epsilon;",
        "true;",
        "learners/test_svm.py::test_trees_that_share_nothing_even_with_themselves",
    ),
    native(
        "learners",
        "the mean of the models forgets the time",
        "alpha[k] * static_cast<double>(time);",
        "alpha[k];",
        "learners/test_weighted_forest.py::test_online_learner_equals_oracle",
    ),
    # embedding
    native(
        "embedding",
        "blocks of a normalised vector differ by a wrong power of two",
        "const double factor = power(length, exponents[block] - highest);",
        "const double factor = power(length, 2 * (exponents[block] - highest));",
        "embeddings/test_distributed.py::test_normalized",
        "embeddings/test_distributed.py::test_large_values_are_scaled",
        "embeddings/test_distributed.py::test_hundreds_of_nodes_at_decay_1",
    ),
    native(
        "embedding",
        "the pruning window is too short for link_length of 4 and more",
        "parameters.link_length > 2 ? parameters.link_length - 2 : 0",
        "parameters.link_length > 2 ? 1 : 0",
        "embeddings/test_distributed.py::test_pruning_looks_back_over_long_chains",
    ),
    native(
        "embedding",
        "links are counted once for each time, not for each tree",
        "        if (frequency.last_tree != tree) ++frequency.trees;",
        "        ++frequency.trees;",
        "embeddings/test_distributed.py::test_pruning_keeps_what_has_frequent_links_only",
        "embeddings/test_distributed.py::test_pruning_by_two_trees_loses_nothing_that_two_share",
    ),
    # explanation
    native(
        "explanation",
        "a tree is counted as often as it has a fragment's subtree below another",
        "counts[set] += sets_below[root] >> (set - begin) & 1;",
        "counts[set] += sets_below[root] >> (set - begin) != 0;",
        "explanation/test_subtrees.py",
    ),
    native(
        "explanation",
        "only the first column is handed down",
        "            for (std::size_t column = 0; column < width; ++column) values[child",
        "            for (std::size_t column = 0; column < 1; ++column) values[child",
        "explanation/test_subtrees.py",
    ),
    native(
        "explanation",
        "the bound of a partial tree is too low",
        "        whole[subtree] = each * std::max(alone, many ? bounds.several[first] : best);",
        "        whole[subtree] = each * std::max(alone, many ? best : best);",
        "explanation/test_explain.py",
    ),
    # bind
    native(
        "bind",
        "rows that do not exist are filled",
        "    if (first > last || last > gram.matrix->row_count())",
        "    if (first > last)",
        "kernels/test_result_arrays.py",
    ),
    native(
        "bind",
        "features that do not exist are followed",
        "good = good && feature >= 0 && static_cast<std::size_t>(feature) < feature_count;",
        "good = good && feature >= 0 && feature_count > 0;",
        "kernels/test_result_arrays.py",
    ),
    native(
        "bind",
        "a result of another shape is written to",
        "    if (out.shape(0) != rows || out.shape(1) != columns)",
        "    if (out.shape(0) != rows)",
        "kernels/test_result_arrays.py",
    ),
]
