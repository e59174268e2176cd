"""Mistakes in explanations, files of models, plots, pages and commands."""

from __future__ import annotations

from mutations.mutation import python

__all__ = ["SHOWING"]

SHOWING = [
    # near-copies
    python(
        "search/duplicates",
        "groups make chains",
        "links[one][other] < len(members[one]) * len(members[other])",
        "links[one][other] < 1",
        "search/test_near_copies.py",
    ),
    python(
        "search/duplicates",
        "a third copy of a known pair is known",
        "if len(pieces) > counts[name]:",
        "if not counts[name]:",
        "search/test_near_copies.py",
    ),
    python(
        "search/duplicates",
        "pairs of trees that are gone stay",
        "if gone.isdisjoint(pair)",
        "if pair",
        "search/test_piece_index.py",
    ),
    python(
        "search/duplicates",
        "weights are learned again whenever something changes",
        "not then <= 2 * count <= 4 * then",
        "then != count",
        "search/test_piece_index.py",
    ),
    python(
        "search/duplicates",
        "an update numbers nodes as the old index did",
        "dag.import_nodes(forest.dag, forest.roots[places])",
        "dag.import_nodes(forest.dag, forest.roots)[places]",
        "search/test_searched_files.py",
    ),
    python(
        "search/duplicates",
        "answers name pieces that are not similar enough",
        "for hit, value in hits if value >= least",
        "for hit, value in hits",
        "search/test_questions.py",
    ),
    python(
        "search/duplicates/files",
        "what stands nearer to a file does not count more",
        "for base, patterns in reversed(list(rules)):",
        "for base, patterns in list(rules):",
        "search/test_chosen_files.py",
    ),
    # submissions
    python(
        "search/submissions",
        "what the template has counts",
        "weights[shared | in_template] = 0.0",
        "weights[shared] = 0.0",
        "search/test_submissions.py",
    ),
    python(
        "search/submissions",
        "small subtrees are taken before large ones",
        "(-sizes[places[0][node][0]], node)",
        "(sizes[places[0][node][0]], node)",
        "search/test_submissions.py",
    ),
    python(
        "search/submissions",
        "what is matched in the second one is matched again",
        "            taken[1][other : b.stops[other]] = True\n",
        "",
        "search/test_submissions.py",
    ),
    python(
        "search/submissions",
        "the ranks of peers do not scale their distances",
        "spacings = ranks * (",
        "spacings = 1.0 * (",
        "search/test_submissions.py",
    ),
    python(
        "search/submissions",
        "characters of four bytes are one unit",
        "np.cumsum(starts + (raw >= 0xF0))",
        "np.cumsum(starts)",
        "search/test_submissions_page.py",
    ),
    python(
        "search/submissions",
        "data can end the element it is in",
        r'.replace("<", "\\u003c")',
        "",
        "search/test_submissions_page.py",
    ),
    # explanation
    python(
        "explanation",
        "the weight of a summand is not rooted",
        "        return float(np.sqrt(weight))",
        "        return float(weight)",
        "explanation/test_explain.py::test_the_weight_of_a_summand",
    ),
    python(
        "explanation",
        "the weight of a feature is that of the kernel, and not its root",
        "np.divide(1.0, np.sqrt(shared),",
        "np.divide(1.0, shared,",
        "explanation/test_explain_features.py::test_the_weights_are_those_of_listed_features",
    ),
    python(
        "explanation",
        "a subtree is found where more is below its leaves",
        '    if kind not in ("subtree", "outline"):',
        "    if kind:",
        "explanation/test_explain_features.py::test_places_of_features",
    ),
    python(
        "learners/online",
        "the features of a mean are those of the last model",
        "weighted.features = self._mean(weighted.features)",
        "weighted.features = np.split(weighted.features, 2, axis=1)[0]",
        "explanation/test_explain_features.py::test_predictions_of_all_learners_add_up",
    ),
    python(
        "explanation",
        "what speaks against a prediction speaks for it",
        "self.search.best(side * sign * self.weights[:, column])",
        "self.search.best(sign * self.weights[:, column])",
        "explanation/test_explain.py::test_a_prediction_adds_up",
        "explanation/test_explain.py",
    ),
    python(
        "explanation",
        "the first of two classes gets the other's fragments",
        "0, 1.0 if place == 1 else -1.0)",
        "0, 1.0)",
        "explanation/test_explain.py",
    ),
    python(
        "explanation",
        "a word counts as if its weight were 1",
        "np.full(len(places), float(self.kernel.leaf_weight))",
        "np.ones(len(places))",
        "explanation/test_explained_models.py",
    ),
    python(
        "explanation",
        "a pipeline's tree is explained as it came",
        "batch = step.transform(batch) if len(step) else batch",
        "pass",
        "explanation/test_explained_models.py",
    ),
    python(
        "explanation",
        "a word that is part of a shared fragment is listed again",
        "            inside.update(below, leaves)",
        "            inside.update(below)",
        "explanation/test_matching.py",
    ),
    python(
        "explanation",
        "the limit is of the fragments of one level",
        "        total += len(above.nodes)\n",
        "        total = len(above.nodes)\n",
        "explanation/test_elastic_explanation.py::test_deep_trees_are_refused_by_a_sentence",
    ),
    # search
    python(
        "search",
        "the least similar pair of copies comes first",
        "pairs.sort(key=lambda pair: -pair.similarity)",
        "pairs.sort(key=lambda pair: pair.similarity)",
        "search/test_near_copies.py",
    ),
    # persistence
    python(
        "",
        "a model file names a checkpoint",
        '        parameters.pop("checkpoint", None)  # or fit',
        "        pass  # or fit",
        "learners/test_checkpoints.py::test_a_checkpoint_named_in_a_model_file_is_ignored",
    ),
    python(
        "",
        "an object of another library is saved",
        "    if _model_class(name) is not type(model):",
        "    if False:",
        "io/test_persistence.py::test_unfitted_and_foreign_objects_are_refused",
    ),
    # plots
    python(
        "plots",
        "right and predicted are exchanged",
        "    np.add.at(counts, (codes[: len(labels[0])], codes[len(labels[0]) :]), 1)",
        "    np.add.at(counts, (codes[len(labels[0]) :], codes[: len(labels[0])]), 1)",
        "plots/test_plots.py::test_confusion_matrix",
    ),
    python(
        "plots",
        "the smallest components are drawn",
        "    sizes, directions = np.maximum(sizes[::-1][:2], 0), directions[:, ::-1][:, :2]",
        "    sizes, directions = np.maximum(sizes[:2], 0), directions[:, :2]",
        "plots/test_plots.py::test_maps_of_vectors_and_of_their_gram_matrix_agree",
    ),
    # testing
    python(
        "testing",
        "a check of the diagonal checks nothing",
        "    _close(norms, np.diagonal(kernel(X)))",
        "    _close(norms, norms)",
        "testing/test_conformance.py::test_each_fault_is_found_out_by_its_check",
    ),
    python(
        "testing",
        "a one-word error is a sentence",
        "    assert len(message.split()) > 3,",
        "    assert len(message.split()) > 0,",
        "testing/test_conformance.py::test_errors_that_are_no_sentences_are_found_out",
    ),
    python(
        "testing",
        "the bits may differ between numbers of threads",
        "    assert_array_equal(kernel(X, n_jobs=2), kernel(X, n_jobs=1))\n",
        "    _close(kernel(X, n_jobs=2), kernel(X, n_jobs=1))\n",
        "testing/test_conformance.py::test_each_fault_is_found_out_by_its_check",
    ),
    # report
    python(
        "report",
        "the mistakes are those the model was least sure of",
        "                (-float(margin), number, int(row))",
        "                (float(margin), number, int(row))",
        "report/test_report.py::test_the_surest_mistakes_are_shown",
    ),
    python(
        "report",
        "texts from data are not escaped",
        "        autoescape=True,",
        "        autoescape=False,",
        "report/test_report.py",
    ),
    # demo
    python(
        "demo",
        "settings are chosen on the test functions",
        "        return float(np.mean(model.predict(X[task.check]) == task.labels[task.check]))",
        "        return float(np.mean(model.predict(X[task.test]) == task.labels[task.test]))",
        "demo",
    ),
    python(
        "demo",
        "constants are not hidden",
        "            node.value = 0\n",
        "            pass\n",
        "demo",
    ),
    # cli
    python(
        "cli",
        "nothing is said of a dropped feature",
        "screen.note(f\"Left out {count_noun(more, 'feature')} that",
        "str(f\"Left out {count_noun(more, 'feature')} that",
        "cli/test_cli_learning.py::test_vectors_of_other_width",
    ),
    python(
        "cli",
        "an example without a label passes",
        "            if label is None or label == () or label != label or not str(label).strip():",
        "            if label is None:",
        "cli/test_cli_failures.py::test_bad_data_is_told_in_one_sentence",
    ),
    python(
        "cli",
        "the mean of the classes is that of their recalls",
        "        self.macro_f1 = float(np.mean(self.by_class[2]))",
        "        self.macro_f1 = float(np.mean(self.by_class[1]))",
        "cli/test_cli_learning.py::test_evaluate_agrees_with_scikit_learn",
    ),
    python(
        "cli",
        "the time of one example is that of all",
        "outcome.predict_seconds / max(1, count) * 1e6",
        "outcome.predict_seconds * 1e6",
        "cli/test_scores.py",
    ),
]
