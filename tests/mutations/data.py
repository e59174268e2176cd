"""Mistakes in how trees are read, kept and written."""

from __future__ import annotations

from mutations.mutation import python

__all__ = ["DATA"]

DATA = [
    # common
    python(
        "common",
        "a number may be infinite",
        "        and _is_finite(value)\n",
        "",
        "common/test_checks.py",
    ),
    python(
        "common",
        "a text is taken for True",
        "    if not _is_bool(value):",
        "    if value is None:",
        "common/test_checks.py",
    ),
    python(
        "common",
        "too much memory is another error",
        "        raise KernelMemoryError(str(error)) from None",
        "        raise",
        "kernels/test_tripartite.py::test_too_many_ways",
    ),
    # drawing
    python(
        "drawing",
        "neighbours are too near",
        "    return max((right - left + gap for",
        "    return max((right - left for",
        "drawing/test_drawing.py",
    ),
    python(
        "drawing",
        "hidden nodes are miscounted",
        "    result.hidden = tree.size - result.drawn",
        "    result.hidden = tree.size - len(result)",
        "drawing/test_drawing.py",
    ),
    # data
    python(
        "data",
        "columns of different lengths pass",
        "        if len(set(sizes.values())) > 1:",
        "        if len(set(sizes.values())) > 9:",
        "kernels/test_algebra.py::test_columns_of_different_length",
        "data/test_table.py",
    ),
    python(
        "data",
        "a table without its last column is equal",
        "        return self.columns == other.columns and all(",
        "        return all(",
        "data/test_table.py",
    ),
    python(
        "data",
        "features are compared by number and not by name",
        "        if tuple(names) == self.names:",
        "        if len(names) == len(self.names):",
        "data/test_named_vectors.py",
    ),
    python(
        "kernels",
        "a weight counts in one tree only",
        "        return decay * weight**2\n",
        "        return decay * weight\n",
        "kernels/test_production_weights.py",
    ),
    python(
        "kernels",
        "containment is measured by the other tree",
        "    norms = plain.diag(queries)\n",
        "    norms = plain.diag(X)[: len(values)]\n",
        "kernels/test_small_values.py",
    ),
    python(
        "learners",
        "the learned weights of a kernel are not saved",
        "        if self.fitted_kernel_ is not None:\n            state[",
        "        if False:\n            state[",
        "learners/test_learned_weights.py",
    ),
    python(
        "kernels",
        "the columns of what is missing keep their values",
        "    if columns.any():\n        out[:, columns] = 0.0\n",
        "",
        "kernels/test_missing_parts.py",
    ),
    python(
        "learners",
        "empty trees become part of a model",
        "            trees, alphas = trees[~empty], alphas[~empty]",
        "            pass",
        "kernels/test_missing_parts.py",
    ),
    python(
        "data",
        "texts and hypotheses of different number pass",
        "        if len(first) != len(second):",
        "        if False:",
        "data/test_pairs.py",
    ),
    # io
    python(
        "io",
        "sparse arrays in model files are not looked at",
        "        matrix.check_format(full_check=True)\n",
        "",
        "io/test_persistence.py::test_sparse_arrays_that_point_outside",
    ),
    python(
        "io",
        "a checksum that does not fit is taken",
        "    if digest.digest() != data[-32:]:",
        "    if False:",
        "io/test_persistence.py::test_altered_bytes",
        "io/test_persistence.py::test_truncated_anywhere",
    ),
    python(
        "io",
        "a file takes its name before it is on disk",
        "    os.fsync(file.fileno())\n    if",
        "    if",
        "io/test_write_failures.py",
        "io/test_formats.py::test_writing_is_atomic",
    ),
    python(
        "io",
        "a wrong format option is taken",
        "            if name not in names:\n                others",
        "            if False:\n                others",
        "io/test_formats.py::test_unknown_options",
        "io/test_readers.py",
    ),
    python(
        "io",
        "tabs are written into a tsv file",
        'raise DataError(f"{what} contains a tab',
        'str(f"{what} contains a tab',
        "io/test_formats.py::test_what_cannot_be_written",
    ),
    python(
        "io",
        "leaves are written without brackets of their own",
        'return text if text.startswith("(") else f"({text})"',
        "return text",
        "io/test_owning_programs.py",
    ),
    python(
        "io",
        "a missing vector is written as zeros",
        "            yield None if is_missing else entries\n",
        "            yield [] if is_missing else entries\n",
        "io/test_owning_programs.py",
    ),
    python(
        "io",
        "words before a bracket are leaves of their own",
        "return EscapedText(escaped) if count else text",
        "return text",
        "io/test_owning_programs.py",
    ),
    python(
        "io",
        "the folder of a label is the one that the file is in",
        "            if len(below) > 1:",
        "            if len(below) > 9:",
        "io/test_sources.py",
    ),
    python(
        "io",
        "a part that a file lacks is an empty tree",
        '        missing = Forest([f"({MISSING})"])',
        '        missing = Forest(["(-EMPTY-)"])',
        "io/test_sources.py",
    ),
    python(
        "io",
        "a header is taken for an example",
        "header = len(first) == 2 and not any(with_trees[0]) and any(with_trees[1])",
        "header = False",
        "io/test_tables.py",
    ),
    python(
        "io",
        "2**63 is taken for a number of 64 bits",
        "<= int(text) < 2**63",
        "<= int(text) <= 2**63",
        "io/test_tables.py::test_numbers_are_numbers",
    ),
    # linguistics
    python(
        "linguistics",
        "the head of a coordination is its last part",
        "        return head - 2  # of a coordination, the first part",
        "        return head",
        "linguistics/test_heads.py",
        "linguistics/test_anchoring.py",
    ),
    python(
        "linguistics",
        "the head of a noun phrase comes from the left",
        "NP|NX|NML right NN|NNP|NNPS|NNS|NX|NML|JJR left",
        "NP|NX|NML left NN|NNP|NNPS|NNS|NX|NML|JJR left",
        "linguistics/test_heads.py",
    ),
    python(
        "linguistics",
        "function tags hide the label",
        '    return label.split("-")[0].split("=")[0] or label',
        "    return label",
        "linguistics/test_heads.py",
    ),
    # structures
    python(
        "structures",
        "a span may be empty",
        "        if not 0 <= begin < end:",
        "        if not 0 <= begin <= end:",
        "structures/test_structures.py::test_wrong_choices",
    ),
    python(
        "structures",
        "trees without nodes to enclose pass",
        "    if len(offsets) > 1 and (np.diff(offsets) == 0).any():",
        "    if False:",
        "structures/test_structures.py::test_wrong_choices",
    ),
]
