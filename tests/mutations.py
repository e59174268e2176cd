"""Mistakes that the tests must notice, in every room of both languages: the list of `mutate.py`.

Each is one exact text of one file, which must be there once, what stands in its place, and the
tests that should fail. A mistake that a review has found to survive goes on this list.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MUTATIONS", "Mutation"]


@dataclass(frozen=True)
class Mutation:
    """A mistake: what it does, where, and who should notice."""

    name: str
    file: str
    text: str
    replacement: str
    tests: tuple[str, ...]

    @property
    def native(self) -> bool:
        """Whether the core has to be built again."""
        return self.file.startswith("cpp/")

    @property
    def room(self) -> str:
        """Its folder."""
        return self.file.removeprefix("src/treekernels/").rpartition("/")[0] or self.file


def _python(room: str, name: str, text: str, replacement: str, *tests: str, file: str) -> Mutation:
    path = f"src/treekernels/{room}/{file}" if room else f"src/treekernels/{file}"
    return Mutation(name, path, text, replacement, tuple(f"tests/{test}" for test in tests))


def _native(room: str, name: str, text: str, replacement: str, *tests: str, file: str) -> Mutation:
    paths = tuple(f"tests/{test}" for test in tests)
    return Mutation(name, f"cpp/{room}/{file}", text, replacement, paths)


PYTHON = [
    # common
    _python(
        "common",
        "a number may be infinite",
        "        and _is_finite(value)\n",
        "",
        "common/test_checks.py",
        file="checks.py",
    ),
    _python(
        "common",
        "a text is taken for True",
        "    if not _is_bool(value):",
        "    if value is None:",
        "common/test_checks.py",
        file="checks.py",
    ),
    _python(
        "common",
        "too much memory is another error",
        "        raise KernelMemoryError(str(error)) from None",
        "        raise",
        "kernels/test_tripartite.py::test_too_many_ways",
        file="native_errors.py",
    ),
    # drawing
    _python(
        "drawing",
        "neighbours are too near",
        "    return max((right - left + gap for",
        "    return max((right - left for",
        "drawing/test_drawing.py",
        file="layout.py",
    ),
    _python(
        "drawing",
        "hidden nodes are miscounted",
        "    result.hidden = tree.size - result.drawn",
        "    result.hidden = tree.size - len(result)",
        "drawing/test_drawing.py",
        file="sketch.py",
    ),
    # data
    _python(
        "data",
        "columns of different lengths pass",
        "        if len(set(sizes.values())) > 1:",
        "        if len(set(sizes.values())) > 9:",
        "kernels/test_algebra.py::test_columns_of_different_length",
        "data/test_table.py",
        file="columns.py",
    ),
    _python(
        "data",
        "a table without its last column is equal",
        "        return self.columns == other.columns and all(",
        "        return all(",
        "data/test_table.py",
        file="table.py",
    ),
    _python(
        "data",
        "texts and hypotheses of different number pass",
        "        if len(first) != len(second):",
        "        if False:",
        "data/test_pairs.py",
        file="pairs.py",
    ),
    # io
    _python(
        "io",
        "sparse arrays in model files are not looked at",
        "        matrix.check_format(full_check=True)\n",
        "",
        "io/test_persistence.py::test_sparse_arrays_that_point_outside",
        file="container.py",
    ),
    _python(
        "io",
        "a checksum that does not fit is taken",
        "    if hashlib.sha256(memoryview(data)[:-32]).digest() != data[-32:]:",
        "    if False:",
        "io/test_persistence.py::test_altered_bytes",
        "io/test_persistence.py::test_truncated_anywhere",
        file="container.py",
    ),
    _python(
        "io",
        "a file takes its name before it is on disk",
        "            os.fsync(file.fileno())\n",
        "            pass\n",
        "io/test_persistence.py",
        "io/test_formats.py::test_writing_is_atomic",
        file="atomic.py",
    ),
    _python(
        "io/readers",
        "a wrong format option is taken",
        "        if name not in names:\n            others",
        "        if False:\n            others",
        "io/test_formats.py::test_unknown_options",
        "io/test_readers.py",
        file="reading.py",
    ),
    _python(
        "io/writers",
        "tabs are written into a tsv file",
        'raise DataError(f"row {place} of the column {name!r} contains',
        'str(f"row {place} of the column {name!r} contains',
        "io/test_formats.py::test_what_cannot_be_written",
        file="tsv.py",
    ),
    # linguistics
    _python(
        "linguistics",
        "the head of a coordination is its last part",
        "        return head - 2  # of a coordination, the first part",
        "        return head",
        "linguistics/test_heads.py",
        "linguistics/test_anchoring.py",
        file="heads.py",
    ),
    _python(
        "linguistics",
        "the head of a noun phrase comes from the left",
        "NP|NX|NML right NN|NNP|NNPS|NNS|NX|NML|JJR left",
        "NP|NX|NML left NN|NNP|NNPS|NNS|NX|NML|JJR left",
        "linguistics/test_heads.py",
        file="heads.py",
    ),
    _python(
        "linguistics",
        "function tags hide the label",
        '    return label.split("-")[0].split("=")[0] or label',
        "    return label",
        "linguistics/test_heads.py",
        file="heads.py",
    ),
    # structures
    _python(
        "structures",
        "a span may be empty",
        "        if not 0 <= begin < end:",
        "        if not 0 <= begin <= end:",
        "structures/test_structures.py::test_wrong_choices",
        file="enclosing.py",
    ),
    _python(
        "structures",
        "trees without nodes to enclose pass",
        "    if len(offsets) > 1 and (np.diff(offsets) == 0).any():",
        "    if False:",
        "structures/test_structures.py::test_wrong_choices",
        file="enclosing.py",
    ),
    # kernels
    _python(
        "kernels",
        "an algebraic normalisation forgets the diagonal",
        "            out[here, first + here] = self.row_scales[first : first + len(out)] > 0\n",
        "            pass\n",
        "kernels/test_algebra.py::test_normalized",
        "kernels/test_algebra.py",
        file="algebra.py",
    ),
    _python(
        "kernels",
        "values that are too large pass",
        "        raise KernelOverflowError(VALUE_TOO_LARGE)",
        "        pass",
        "kernels/test_kernel_extremes.py::test_combinations_too_large_for_a_double",
        file="algebra.py",
    ),
    _python(
        "kernels",
        "parts of a mapping kernel count once",
        "                row[number] = row.get(number, 0) + 1",
        "                row[number] = 1",
        "kernels/test_algebra.py",
        "kernels/test_mapping.py",
        file="part_classes.py",
    ),
    _python(
        "kernels",
        "parts are one class whatever the pairs that count see of them",
        "            None if pairs is None else part if pairs_key is None else pairs_key(part),",
        "            None,",
        "kernels/test_mapping.py",
        file="part_classes.py",
    ),
    _python(
        "kernels",
        "pairs of parts may count one way only",
        "        if a != b and bool(pairs(q, p)) != counts:",
        "        if False:",
        "kernels/test_mapping.py",
        file="part_classes.py",
    ),
    _python(
        "kernels",
        "values of a local kernel are forgotten when they are merged",
        "        pairs = np.concatenate([self._pairs, np",
        "        pairs = np.concatenate([self._pairs + 1, np",
        "kernels/test_mapping.py",
        file="local_values.py",
    ),
    _python(
        "kernels",
        "a learner asks the local kernel again in every batch",
        "        copy._classes = copy.part_classes()",
        "        pass",
        "learners/test_part_model.py",
        file="mapping.py",
    ),
    _python(
        "kernels",
        "a similarity of labels counts one way only",
        "            if table.get((b, a), weight) != weight:",
        "            if False:",
        "kernels/test_kernel_values.py::test_bad_parameters",
        file="elastic.py",
    ),
    # learners
    _python(
        "learners",
        "what parts score is not computed anew when weights have changed",
        "        np.add.at(self.weights, places, rows.counts[:, None] * alphas[used][owners])\n"
        "        self._sums = {}",
        "        np.add.at(self.weights, places, rows.counts[:, None] * alphas[used][owners])",
        "learners/test_part_model.py",
        file="part_model.py",
    ),
    _python(
        "learners",
        "weights of parts are restored in the order in which examples have them",
        "            numbers = [found[name].pop(0) for name in names]",
        "            numbers = [found[name].pop(0) for name in found]",
        "learners/test_part_model.py",
        file="part_model.py",
    ),
    _python(
        "learners",
        "calibration forgets the weights of classes",
        "set_params(probability=False, checkpoint=None,",
        "set_params(class_weight=None, probability=False, checkpoint=None,",
        "learners/test_svm.py::test_probabilities_know_the_weights_of_classes_and_examples",
        file="svc.py",
    ),
    _python(
        "learners",
        "calibration forgets the weights of examples",
        ".fit(X, y, sample_weight)\n        sigmoids",
        ".fit(X, y)\n        sigmoids",
        "learners/test_svm.py::test_probabilities_know_the_weights_of_classes_and_examples",
        file="svc.py",
    ),
    _python(
        "learners",
        "attributes of an earlier fit stay",
        "        self.__dict__ = {**kept, **new}",
        "        self.__dict__.update(new)",
        "learners/test_interrupts.py",
        file="base.py",
    ),
    _python(
        "learners",
        "a fit is taken over piece by piece",
        "        self.__dict__ = {**kept, **new}",
        "        for name in new:\n            setattr(self, name, new[name])",
        "learners/test_interrupts.py",
        file="base.py",
    ),
    _python(
        "learners",
        "a checkpoint removes any file",
        "        if self._is_ours():\n            self.path.unlink",
        "        if True:\n            self.path.unlink",
        "learners/test_checkpoints.py::test_a_file_that_comes_while_learning_stays",
        "learners/test_checkpoints.py::test_other_files_are_neither_removed_nor_changed",
        file="checkpoints.py",
    ),
    _python(
        "learners",
        "a checkpoint of other data is taken",
        '        if content["data"] != self.data:',
        "        if False:",
        "learners/test_checkpoints.py::test_checkpoint_of_another_problem_is_refused",
        file="checkpoints.py",
    ),
    _python(
        "learners",
        "a checkpoint knows where functions lie in memory",
        're.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))',
        "repr(value)",
        "learners/test_checkpoints.py::test_functions_count_by_what_they_do",
        "learners/test_checkpoints.py::test_resumed_in_another_process",
        file="checkpoints.py",
    ),
    _python(
        "learners",
        "hypotheses do not count for a checkpoint",
        'return _digest(column.texts) + b"\\0" + _digest(column.hypotheses)',
        "return _digest(column.texts)",
        "learners/test_checkpoints.py::test_resumed_in_another_process",
        file="examples.py",
    ),
    _python(
        "learners",
        "Ctrl-C is not held back",
        "    signal.signal(signal.SIGINT, lambda number, frame: pressed.append((number, frame)))\n",
        "",
        "learners/test_interrupts.py",
        file="interrupts.py",
    ),
    # embeddings
    _python(
        "embeddings",
        "links are taken in any order",
        "        if links is not None and (links[1:] <= links[:-1]).any():",
        "        if False:",
        "embeddings/test_distributed_saving.py::test_bad_states_are_refused",
        file="distributed.py",
    ),
    _python(
        "embeddings",
        "a fragment is normalised like a tree",
        'check_flag("normalize", parameters.normalize) and not fragment',
        'check_flag("normalize", parameters.normalize)',
        "embeddings/test_distributed.py::test_vector_of_a_fragment",
        "embeddings/test_distributed_api.py",
        file="settings.py",
    ),
    # explanation
    _python(
        "explanation",
        "the weight of a summand is not rooted",
        "        return float(np.sqrt(weight))",
        "        return float(weight)",
        "explanation/test_explain.py::test_the_weight_of_a_summand",
        file="summands.py",
    ),
    _python(
        "explanation",
        "what speaks against a prediction speaks for it",
        "yield class_, direction, direction * sign * weights[:, column]",
        "yield class_, direction, sign * weights[:, column]",
        "explanation/test_explain.py::test_a_prediction_adds_up",
        "explanation/test_explain.py",
        file="summands.py",
    ),
    _python(
        "explanation",
        "the first of two classes gets the other's fragments",
        "0, 1.0 if place == 1 else -1.0)",
        "0, 1.0)",
        "explanation/test_explain.py",
        file="explain.py",
    ),
    # persistence
    _python(
        "",
        "a model file names a checkpoint",
        '        parameters.pop("checkpoint", None)  # or fit',
        "        pass  # or fit",
        "learners/test_checkpoints.py::test_a_checkpoint_named_in_a_model_file_is_ignored",
        file="persistence.py",
    ),
    _python(
        "",
        "an object of another library is saved",
        "    if _MODELS.get(name) is not type(model):",
        "    if False:",
        "io/test_persistence.py::test_unfitted_and_foreign_objects_are_refused",
        file="persistence.py",
    ),
    # plots
    _python(
        "plots",
        "right and predicted are exchanged",
        "    np.add.at(counts, (codes[: len(labels[0])], codes[len(labels[0]) :]), 1)",
        "    np.add.at(counts, (codes[len(labels[0]) :], codes[: len(labels[0])]), 1)",
        "plots/test_plots.py::test_confusion_matrix",
        file="scores.py",
    ),
    _python(
        "plots",
        "the smallest components are drawn",
        "    sizes, directions = np.maximum(sizes[::-1][:2], 0), directions[:, ::-1][:, :2]",
        "    sizes, directions = np.maximum(sizes[:2], 0), directions[:, :2]",
        "plots/test_plots.py::test_maps_of_vectors_and_of_their_gram_matrix_agree",
        file="similarity.py",
    ),
    # testing
    _python(
        "testing",
        "a check of the diagonal checks nothing",
        "    _close(norms, np.diagonal(kernel(X)))",
        "    _close(norms, norms)",
        "testing/test_conformance.py::test_each_fault_is_found_out_by_its_check",
        file="kernel_conformance.py",
    ),
    _python(
        "testing",
        "a one-word error is a sentence",
        "    assert len(message.split()) > 3,",
        "    assert len(message.split()) > 0,",
        "testing/test_conformance.py::test_errors_that_are_no_sentences_are_found_out",
        file="checking.py",
    ),
    _python(
        "testing",
        "the bits may differ between numbers of threads",
        "    assert_array_equal(kernel(X, n_jobs=2), kernel(X, n_jobs=1))\n",
        "    _close(kernel(X, n_jobs=2), kernel(X, n_jobs=1))\n",
        "testing/test_conformance.py::test_each_fault_is_found_out_by_its_check",
        file="kernel_conformance.py",
    ),
    # report
    _python(
        "report",
        "the mistakes are those the model was least sure of",
        "                (-float(margin), number, int(row))",
        "                (float(margin), number, int(row))",
        "report/test_report.py::test_the_surest_mistakes_are_shown",
        file="study.py",
    ),
    _python(
        "report",
        "texts from data are not escaped",
        "        autoescape=True,",
        "        autoescape=False,",
        "report/test_report.py",
        file="page.py",
    ),
    # demo
    _python(
        "demo",
        "settings are chosen on the test functions",
        "        return float(np.mean(model.predict(X[task.check]) == task.labels[task.check]))",
        "        return float(np.mean(model.predict(X[task.test]) == task.labels[task.test]))",
        "demo",
        file="learners.py",
    ),
    _python(
        "demo",
        "constants are not hidden",
        "            node.value = 0\n",
        "            pass\n",
        "demo",
        file="functions.py",
    ),
    # cli
    _python(
        "cli",
        "nothing is said of a dropped feature",
        "screen.note(f\"Left out {count_noun(more, 'feature')} that",
        "str(f\"Left out {count_noun(more, 'feature')} that",
        "cli/test_cli.py::test_vectors_of_other_width",
        file="columns.py",
    ),
    _python(
        "cli",
        "an example without a label passes",
        "            if label is None or label == () or label != label or not str(label).strip():",
        "            if label is None:",
        "cli/test_cli.py::test_bad_data_is_told_in_one_sentence",
        file="data.py",
    ),
    _python(
        "cli",
        "the mean of the classes is that of their recalls",
        "        self.macro_f1 = float(np.mean(self.by_class[2]))",
        "        self.macro_f1 = float(np.mean(self.by_class[1]))",
        "cli/test_cli.py::test_evaluate_agrees_with_scikit_learn",
        file="scores.py",
    ),
]

NATIVE = [
    # core
    _native(
        "core",
        "numbers beyond doubles are added unaligned",
        "        return carried(a.mantissa_ + b.mantissa_ * kDown, a.exponent_);",
        "        return carried(a.mantissa_ + b.mantissa_, a.exponent_);",
        "kernels/test_kernel_extremes.py::test_wide_nodes_counted",
        "kernels/test_kernel_extremes.py::test_large_trees_without_decay",
        file="wide.hpp",
    ),
    _native(
        "core",
        "the root of an odd power of 2^256 is wrong",
        "odd ? root * 0x1p-128 : root",
        "odd ? root * 0x1p-127 : root",
        "kernels/test_kernel_extremes.py::test_wide_nodes_counted",
        "kernels/test_kernel_extremes.py::test_large_trees_without_decay",
        file="wide.hpp",
    ),
    _native(
        "core",
        "text after a tree is passed over",
        "    if (at < text.size())\n        throw ParseFailure(",
        "    if (at > text.size())\n        throw ParseFailure(",
        "data/test_brackets.py::test_bad_text",
        file="brackets.cpp",
    ),
    _native(
        "core",
        "a saved forest may have a child after its parent",
        'require(child < node, "a child',
        'require(child <= node, "a child',
        "data/test_forest.py::test_damaged_states",
        "data/test_forest.py::test_arbitrary_states",
        file="dag.cpp",
    ),
    # gram
    _native(
        "gram",
        "a count of 256 goes into 8 bits",
        "            if (m.count + 1.0 > 255.0) return;",
        "            if (m.count + 1.0 > 256.0) return;",
        "kernels/test_kernel_extremes.py::test_many_equal_subtrees_are_counted_exactly",
        file="features.hpp",
    ),
    _native(
        "gram",
        "equal trees are not exactly 1 in the last column",
        "            if (column < columns) to[column]",
        "            if (column + 1 < columns) to[column]",
        "kernels/test_result_arrays.py",
        file="gram_matrix.hpp",
    ),
    _native(
        "gram",
        "normalised values may exceed 1",
        "value < 1.0 ? value : 1.0",
        "value < 2.0 ? value : 1.0",
        "kernels/test_result_arrays.py::test_normalised_values_are_at_most_1",
        file="normalize.cpp",
    ),
    # models
    _native(
        "models",
        "weights of the first column go to all",
        "to[k] += factor * alpha[k];",
        "to[k] += factor * alpha[0];",
        "learners/test_weighted_forest.py::test_score_is_the_sum_over_all_examples",
        file="class_weights.hpp",
    ),
    _native(
        "models",
        "a subtree is in the order twice",
        "        inserted_[node] = true;\n",
        "        inserted_[node] = node != 3;\n",
        "learners/test_weighted_forest.py",
        "learners/test_public_weighted_forest.py",
        file="node_weights.hpp",
    ),
    # structures
    _native(
        "structures",
        "pruned trees are a level too deep",
        "            if (level + 1 < depth)\n                for",
        "            if (level < depth)\n                for",
        "structures/test_structures.py::test_prune_depth",
        file="prune.cpp",
    ),
    _native(
        "structures",
        "binarised labels name the wrong children",
        "right_ ? count - below : below - std::min(below, horizontal_)",
        "right_ ? count - below : std::size_t{0}",
        "structures/test_structures.py::test_binarized_labels_name_the_nearest_children",
        file="binarize.cpp",
    ),
    # kernels
    _native(
        "kernels/subtree",
        "a norm counts equal subtrees once",
        "* Real(counts[i]) * Real(counts[i]);\n                return norm;",
        "* Real(counts[i]);\n                return norm;",
        "kernels/test_kernel_values.py",
        "kernels/test_kernel_properties.py",
        file="subtree.cpp",
    ),
    _native(
        "kernels/subtree",
        "leaves count in pairs though they have no weight",
        "corpus.is_leaf(node) && parameters.leaf_weight == 0.0 ? kNone : node",
        "corpus.is_leaf(node) && parameters.leaf_weight != 0.0 ? kNone : node",
        "kernels/test_kernel_values.py",
        file="subtree.cpp",
    ),
    _native(
        "kernels/subset",
        "edges weigh the decay once",
        "    edge_weight_ = parameters_.decay * parameters_.decay;",
        "    edge_weight_ = parameters_.decay;",
        "kernels/test_kernel_values.py",
        file="base.cpp",
    ),
    _native(
        "kernels/subset",
        "rows are let go though another node needs them",
        "if (!(all || join.before != 0) || --uses_[join.child] != 0) continue;",
        "if (!(all || join.before != 0) || --uses_[join.child] > 1) continue;",
        "kernels/test_kernel_values.py",
        "kernels/test_kernel_properties.py",
        file="subset.cpp",
    ),
    _native(
        "kernels/partial",
        "a gap of the other tree is free",
        "powers[(cells[k].row - cells[l].row - 1) + (cells[k].column - cells[l].column - 1)]",
        "powers[cells[k].row - cells[l].row - 1]",
        "kernels/test_kernel_values.py",
        file="lanes.cpp",
    ),
    _native(
        "kernels/partial",
        "children may match in the wrong order",
        "if (cells[l].row >= cells[k].row || cells[l].column >= cells[k].column) continue;",
        "if (cells[l].row >= cells[k].row || cells[l].column == cells[k].column) continue;",
        "kernels/test_kernel_values.py",
        file="lanes.cpp",
    ),
    _native(
        "kernels/elastic",
        "nothing lies between the first and the last child",
        "ending[j] = ending[j - 1] + columns_[j][row] * (Real(1.0) + below[j - 1]);",
        "ending[j] = ending[j - 1] + columns_[j][row] * (Real(1.0) + below[0]);",
        "kernels/test_kernel_values.py",
        "kernels/test_elastic.py",
        file="ordered_sum.hpp",
    ),
    _native(
        "kernels/elastic",
        "ways down are handed on once",
        "to.ways[i] += static_cast<double>(times) * from.ways[i];",
        "to.ways[i] += static_cast<double>(times != 0) * from.ways[i];",
        "kernels/test_kernel_values.py",
        "kernels/test_elastic.py",
        file="ancestors.cpp",
    ),
    _native(
        "kernels/subpath",
        "a path may be one label too long",
        "entries_[path].length < parameters_.max_length;",
        "entries_[path].length <= parameters_.max_length;",
        "kernels/test_subpath.py",
        file="paths.hpp",
    ),
    _native(
        "kernels/subpath",
        "a norm counts equal paths once",
        "* Real(lists.count(path)) * Real(lists.count(path));",
        "* Real(lists.count(path));",
        "kernels/test_subpath.py",
        file="subpath.cpp",
    ),
    _native(
        "kernels/tripartite",
        "placeholders are the same in every production",
        "placeholder == kNoPlaceholder ? kNone : order.number(placeholder)",
        "placeholder == kNoPlaceholder ? kNone : 0U",
        "kernels/test_tripartite.py::test_equals_enumeration",
        file="placeholders.cpp",
    ),
    _native(
        "kernels/tripartite",
        "a seed forgets that its fragments may be cut",
        "        result *= 1.0 + factor;",
        "        result *= factor;",
        "kernels/test_tripartite.py::test_equals_enumeration",
        file="seeds.cpp",
    ),
    _native(
        "kernels/tripartite",
        "a constraint of many placeholders stops at 64",
        "            if ((words_[i] & other.words_[i]) != 0) return true;",
        "            if ((words_[0] & other.words_[0]) != 0) return true;",
        "kernels/test_tripartite.py::test_contradictions_far_beyond_the_first_64",
        file="constraints.hpp",
    ),
    # learners
    _native(
        "learners",
        "the direction towards a rival is half as long",
        "        if (margin.rival != kNone) square *= 2.0;",
        "        if (margin.rival != kNone) square *= 1.0;",
        "learners/test_weighted_forest.py::test_online_learner_equals_oracle",
        file="online.cpp",
    ),
    _native(
        "learners",
        "an error within epsilon costs something",
        "std::abs(target - score) - problem_.epsilon",
        "std::abs(target - score)",
        "learners/test_svm.py::test_regression_equals_scikit_learn",
        file="svm.cpp",
    ),
    _native(
        "learners",
        "the mean of the models forgets the time",
        "alpha[k] * static_cast<double>(time);",
        "alpha[k];",
        "learners/test_weighted_forest.py::test_online_learner_equals_oracle",
        file="online.cpp",
    ),
    # embedding
    _native(
        "embedding",
        "blocks of a normalised vector differ by a wrong power of two",
        "const double factor = power(length, exponents[block] - highest);",
        "const double factor = power(length, 2 * (exponents[block] - highest));",
        "embeddings/test_distributed.py::test_normalized",
        "embeddings/test_distributed.py::test_large_values_are_scaled",
        "embeddings/test_distributed.py::test_hundreds_of_nodes_at_decay_1",
        file="batch_finisher.hpp",
    ),
    _native(
        "embedding",
        "the pruning window is too short for link_length of 4 and more",
        "parameters.link_length > 2 ? parameters.link_length - 2 : 0",
        "parameters.link_length > 2 ? 1 : 0",
        "embeddings/test_distributed.py::test_pruning_looks_back_over_long_chains",
        file="units.cpp",
    ),
    _native(
        "embedding",
        "links are counted once for each time, not for each tree",
        "        if (frequency.last_tree != tree) ++frequency.trees;",
        "        ++frequency.trees;",
        "embeddings/test_distributed.py::test_pruning_keeps_what_has_frequent_links_only",
        "embeddings/test_distributed.py::test_pruning_by_two_trees_loses_nothing_that_two_share",
        file="production_chains.cpp",
    ),
    # explanation
    _native(
        "explanation",
        "a tree is counted as often as it has a fragment's subtree below another",
        "counts[set] += sets_below[root] >> (set - begin) & 1;",
        "counts[set] += sets_below[root] >> (set - begin) != 0;",
        "explanation/test_subtrees.py",
        file="subtrees.cpp",
    ),
    _native(
        "explanation",
        "only the first column is handed down",
        "            for (std::size_t column = 0; column < width; ++column) values[child",
        "            for (std::size_t column = 0; column < 1; ++column) values[child",
        "explanation/test_subtrees.py",
        file="subtrees.cpp",
    ),
    _native(
        "explanation",
        "the bound of a partial tree is too low",
        "        whole[subtree] = each * std::max(alone, many ? bounds.several[first] : best);",
        "        whole[subtree] = each * std::max(alone, many ? best : best);",
        "explanation/test_explain.py",
        file="partial_bounds.cpp",
    ),
    # bind
    _native(
        "bind",
        "rows that do not exist are filled",
        "    if (first > last || last > gram.matrix->row_count())",
        "    if (first > last)",
        "kernels/test_result_arrays.py",
        file="bind.hpp",
    ),
    _native(
        "bind",
        "features that do not exist are followed",
        "good = good && feature >= 0 && static_cast<std::size_t>(feature) < feature_count;",
        "good = good && feature >= 0 && feature_count > 0;",
        "kernels/test_result_arrays.py",
        file="summands.cpp",
    ),
    _native(
        "bind",
        "a result of another shape is written to",
        "    if (out.shape(0) != rows || out.shape(1) != columns)",
        "    if (out.shape(0) != rows)",
        "kernels/test_result_arrays.py",
        file="bind.hpp",
    ),
]

MUTATIONS = [*PYTHON, *NATIVE]
