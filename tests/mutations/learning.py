"""Mistakes in kernels, learners and embeddings."""

from __future__ import annotations

from mutations.mutation import python

__all__ = ["LEARNING"]

LEARNING = [
    # kernels
    python(
        "kernels",
        "an algebraic normalisation forgets the diagonal",
        "            out[here, first + here] = scales > 0\n",
        "            pass\n",
        "kernels/test_algebra.py::test_normalized",
        "kernels/test_algebra.py",
    ),
    python(
        "kernels",
        "values that are too large pass",
        "        raise KernelOverflowError(VALUE_TOO_LARGE)",
        "        pass",
        "kernels/test_kernel_extremes.py::test_combinations_too_large_for_a_double",
    ),
    python(
        "kernels",
        "parts of a mapping kernel count once",
        "                row[number] = row.get(number, 0) + 1",
        "                row[number] = 1",
        "kernels/test_algebra.py",
        "kernels/test_mapping.py",
    ),
    python(
        "kernels",
        "parts are one class whatever the pairs that count see of them",
        "            None if pairs is None else part if pairs_key is None else pairs_key(part),",
        "            None,",
        "kernels/test_mapping.py",
    ),
    python(
        "kernels",
        "pairs of parts may count one way only",
        "        if a != b and bool(pairs(q, p)) != counts:",
        "        if False:",
        "kernels/test_mapping.py",
    ),
    python(
        "kernels",
        "values of a local kernel are forgotten when they are merged",
        "        pairs = np.concatenate([self._pairs, np",
        "        pairs = np.concatenate([self._pairs + 1, np",
        "kernels/test_mapping.py",
    ),
    python(
        "kernels",
        "a learner asks the local kernel again in every batch",
        "        copy._classes = copy.part_classes()",
        "        pass",
        "learners/test_part_model.py",
    ),
    python(
        "kernels",
        "a similarity of labels counts one way only",
        "        if table.get((b, a), weight) != weight:",
        "        if False:",
        "kernels/test_kernel_values.py::test_bad_parameters",
    ),
    python(
        "kernels",
        "all cores are one more than there are",
        "usable_cores() + 1 + n_jobs",
        "usable_cores() + 2 + n_jobs",
        "kernels/test_thread_count.py",
    ),
    # learners
    python(
        "learners",
        "what parts score is not computed anew when weights have changed",
        '(new | {"_sums": {}}).items()',
        "new.items()",
        "learners/test_part_model.py",
    ),
    python(
        "learners",
        "weights of parts are restored in the order in which examples have them",
        "            numbers = [numbers_of_text[name].pop(0) for name in names]",
        "            numbers = [numbers_of_text[name].pop(0) for name in numbers_of_text]",
        "learners/test_part_model.py",
    ),
    python(
        "learners",
        "calibration forgets the weights of classes",
        "set_params(probability=False, checkpoint=None,",
        "set_params(class_weight=None, probability=False, checkpoint=None,",
        "learners/test_svm.py::test_probabilities_know_the_weights_of_classes_and_examples",
    ),
    python(
        "learners",
        "calibration forgets the weights of examples",
        "calibrated.fit(X, y, **weights)",
        "calibrated.fit(X, y)",
        "learners/test_sklearn_border.py::test_calibration_honours_weights",
        "learners/test_svm.py::test_probabilities_know_the_weights_of_classes_and_examples",
    ),
    python(
        "learners",
        "attributes of an earlier fit stay",
        "        self.__dict__ = {**kept, **new}",
        "        self.__dict__.update(new)",
        "learners/test_interrupts.py",
    ),
    python(
        "learners",
        "a fit is taken over piece by piece",
        "        self.__dict__ = {**kept, **new}",
        "        for name in new:\n            setattr(self, name, new[name])",
        "learners/test_interrupts.py",
    ),
    python(
        "learners",
        "a checkpoint removes any file",
        "        if self._is_ours():\n            self.path.unlink",
        "        if True:\n            self.path.unlink",
        "learners/test_checkpoints.py::test_a_file_that_comes_while_learning_stays",
        "learners/test_checkpoints.py::test_other_files_are_neither_removed_nor_changed",
    ),
    python(
        "learners",
        "a checkpoint of other data is taken",
        '        if content["data"] != self.data:',
        "        if False:",
        "learners/test_checkpoints.py::test_checkpoint_of_another_problem_is_refused",
    ),
    python(
        "learners",
        "a checkpoint knows where functions lie in memory",
        're.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))',
        "repr(value)",
        "learners/test_checkpoints.py::test_functions_count_by_what_they_do",
        "learners/test_checkpoints.py::test_another_process_knows_its_data_and_functions_again",
    ),
    python(
        "data",
        "hypotheses do not count for a checkpoint",
        'return _digest(column.texts) + b"\\0" + _digest(column.hypotheses)',
        "return _digest(column.texts)",
        "learners/test_checkpoints.py::test_every_column_counts",
    ),
    python(
        "learners",
        "Ctrl-C is not held back",
        "    signal.signal(signal.SIGINT, lambda number, frame: pressed.append((number, frame)))\n",
        "",
        "learners/test_interrupts.py",
    ),
    # embeddings
    python(
        "embeddings",
        "a landmark is far from the last one alone",
        "nearest = np.minimum(nearest, squares)",
        "nearest = squares",
        "embeddings/test_nystroem.py",
    ),
    python(
        "embeddings",
        "links are taken in any order",
        "        if links is not None and (links[1:] <= links[:-1]).any():",
        "        if False:",
        "embeddings/test_distributed_saving.py::test_bad_states_are_refused",
    ),
    python(
        "embeddings",
        "a fragment is normalised like a tree",
        'check_flag("normalize", parameters.normalize) and not fragment',
        'check_flag("normalize", parameters.normalize)',
        "embeddings/test_distributed.py::test_vector_of_a_fragment",
        "embeddings/test_distributed_api.py",
    ),
    # the border with scikit-learn
    python(
        "learners",
        "the default kernel has no parameters",
        "        if deep and (kernel := self._implied_kernel()) is not None:",
        "        if deep and (kernel := None) is not None:",
        "learners/test_sklearn_border.py",
    ),
    python(
        "data",
        "tree estimators claim to take matrices",
        "        of_input.two_d_array = of_input.sparse = vectors",
        "        of_input.sparse = vectors",
        "learners/test_estimator_checks.py",
    ),
    # derivatives
    python(
        "kernels",
        "the derivative of a product leaves out the other factor",
        "                np.multiply(parts[number], values, out=parts[number])",
        "                np.multiply(parts[number], 1.0, out=parts[number])",
        "kernels/test_gradients.py",
    ),
    python(
        "kernels",
        "a parameter that has not moved is rounded",
        "parameter.set(np.where(np.log(old) == given, old, np.exp(given)))",
        "parameter.set(np.exp(given))",
        "kernels/test_gaussian_processes.py",
    ),
    # the choice of a kernel
    python(
        "learners",
        "sums with subset trees may be gone before the last round",
        "return sorted({*means.keys() & lasting, *others",
        "return sorted({min(means), *others",
        "learners/test_auto_kernel.py",
    ),
    python(
        "learners",
        "the best kernel is taken, not the first of the best",
        "if rivals.mean(behind) <= _TOLERANCE",
        "if rivals.mean(behind) <= 0 * _TOLERANCE",
        "learners/test_auto_kernel.py",
    ),
]
