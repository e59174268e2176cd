"""Every sentence of the README is held by a test, and here is the table of which one.

A sentence that is added to the README needs a line here, and the test that it names has to exist.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).with_name("test_readme.py")

LINKS = "docs/test_docs.py::test_links_lead_somewhere"
PROGRAMS = "test_every_program_runs"
SPEED = "test_figures_are_those_of_the_page_on_speed"
EXTRAS = "test_the_extras_exist"
SKLEARN = "test_which_kernel_methods_of_scikit_learn_take_trees"
COMMAND = "test_command"

# What a sentence says, by some of its words, and the tests that hold it: of test_readme.py where
# no file is named.
HELD: dict[str, tuple[str, ...]] = {
    # The beginning
    "is a Python library for learning from trees": (PROGRAMS,),
    "computes exact tree kernels for whole corpora": (
        "kernels/test_kernel_values.py::test_equals_enumeration",
        "learners/test_many_trees.py::test_many_examples_are_learned_from_as_by_the_oracle",
    ),
    "The library drew this picture": ("test_the_picture_is_what_the_library_draws",),
    "Blue speaks for the class, orange against it": (
        "drawing/test_drawing.py::test_groups_and_weights",
    ),
    # Install
    "The library is not on PyPI yet": ("test_it_is_said_whether_it_is_on_pypi",),
    "You need Python 3.10 or later and a C++20 compiler": (EXTRAS,),
    "run `treekernels demo`": ("test_the_demo_runs",),
    "`make demo` does everything at once": (
        "test_the_demo_runs",
        "project/test_release.py::test_contributing_names_targets_that_exist",
    ),
    "Some features need packages of their own": (
        EXTRAS,
        "io/test_language_formats.py::test_missing_packages",
    ),
    "You choose them when you install": (EXTRAS,),
    "| `html` |": (EXTRAS,),
    "| `treesitter` |": (EXTRAS,),
    "| `arrow` |": (EXTRAS,),
    "| `plots` |": (EXTRAS,),
    "| `report` |": (EXTRAS,),
    "| `lemmas` |": (EXTRAS, "linguistics/test_anchoring.py::test_english_lemmas"),
    "| `spacy` |": (EXTRAS, "explorer/test_parsers.py::test_packages_that_are_missing"),
    "| `benepar` |": (EXTRAS, "explorer/test_parsers.py::test_constituents"),
    "| `faiss` |": (EXTRAS, "search/test_approximate.py::test_all_candidates_are_an_exact_search"),
    "| `dask` |": (EXTRAS, "cluster/test_partitions.py::test_local_data_is_cut_and_comes_back"),
    # The explorer
    "open a page in your browser": (
        "explorer/test_page.py::test_typing",
        "explorer/test_explore_command.py::test_model_and_data",
        LINKS,
    ),
    # Beyond one machine
    "the same learners run on": (
        "cluster/test_machines.py::test_the_same_problem_as_on_one_machine",
        "cluster/test_mixing.py::test_mixing_is_that_of_the_simulation",
        LINKS,
    ),
    # Twelve lines
    "by counting the fragments that they share": (
        "kernels/test_kernel_values.py::test_counts_fragments",
    ),
    "every kernel has a page with a picture": (
        "test_every_kernel_has_a_page_with_a_picture",
        LINKS,
    ),
    # What to do next
    "takes you from a file of labelled trees to a model": ("docs/test_docs.py::test_page",),
    "start from what you have": (LINKS,),
    "A text file with a label, a tab and a tree": (
        "test_parse_trees_are_told_apart",
        "io/test_formats.py::test_penn_files",
    ),
    "is the default and the usual first choice": ("test_parse_trees_are_told_apart",),
    "More on treebanks": (LINKS,),
    "become trees in one of three shapes": ("test_two_treebanks_are_two_classes",),
    "Two treebanks can be two classes": ("test_two_treebanks_are_two_classes",),
    "Python is read by its own parser": (
        PROGRAMS,
        "io/test_language_formats.py::test_python_files",
        "io/test_language_formats.py::test_code_by_tree_sitter",
    ),
    "the names of its subfolders can be the labels": (PROGRAMS,),
    "Both are read and written as those programs do it": (
        "io/test_owning_programs.py::test_svm_light_tk_reads_what_was_written",
        "io/test_owning_programs.py::test_kelp_reads_what_was_written",
        "kernels/test_kernel_values.py::test_published_values",
    ),
    "goes through the options one by one": ("docs/test_docs.py::test_page",),
    "Our learners are scikit-learn estimators": (
        "learners/test_svm.py::test_machine_equals_scikit_learn",
        "test_learners_work_in_pipelines_and_searches",
    ),
    "support vector machines and Gaussian processes as they are": (
        SKLEARN,
        "kernels/test_gaussian_processes.py::test_decay_and_weight_are_found",
    ),
    "accept only numbers as input": (SKLEARN,),
    "learn from a stream, part by part": (
        PROGRAMS,
        "learners/test_many_trees.py::test_batches_of_any_size_give_the_same_model",
        "test_a_model_keeps_each_subtree_once",
    ),
    "helps you choose a learner": (
        LINKS,
        "embeddings/test_distributed_api.py::test_pipeline_with_a_linear_machine",
    ),
    "finds the fragments with the largest weights": (
        "test_a_model_and_a_prediction_are_explained",
        "explanation/test_explain.py::test_exact",
    ),
    "Why does the model say so": ("test_a_model_and_a_prediction_are_explained",),
    # The command line
    "You can do most of this without writing Python": (COMMAND,),
    "Wherever a command takes a file": (
        "cli/test_cli_data.py::test_folders_patterns_and_several_files",
        "cli/test_cli_data.py::test_standard_input",
    ),
    "Every command explains itself": (
        "cli/test_cli_process.py::test_help",
        "test_every_command_prints_json",
    ),
    "ends with exit code 2": ("cli/test_cli_failures.py::test_bad_data_is_told_in_one_sentence",),
    # Speed
    "These are times on one thread": (SPEED,),
    "| `bench_": (SPEED,),
    "has the machines, the other kernels": (SPEED, LINKS),
    # What you can rely on
    "Kernel values are exact": ("kernels/test_kernel_values.py::test_equals_enumeration",),
    "lists all fragments one by one": ("kernels/test_kernel_values.py::test_equals_enumeration",),
    "are right for trees of any size": (
        "kernels/test_kernel_extremes.py::test_values_too_large_for_a_double",
        "kernels/test_kernel_extremes.py::test_large_trees_without_decay",
    ),
    "A chain of a million nodes": (
        "kernels/test_kernel_extremes.py::test_chain_of_a_million_labels",
        "kernels/test_kernel_extremes.py::test_a_million_leaves_below_one_node",
    ),
    "You get the same result, bit for bit": (
        "kernels/test_kernel_properties.py::test_threads_change_no_bit",
        "test_learners_give_the_same_bits_for_any_number_of_threads",
    ),
    "You can stop a computation with Ctrl-C": (
        "kernels/test_kernel_properties.py::test_interrupt",
        "learners/test_interrupts.py::test_interrupt_leaves_a_usable_learner",
    ),
    "A model is saved as plain data": ("io/test_persistence.py::test_file_is_data_and_no_pickle",),
    # More
    "starts here; `make docs` builds it": ("docs/test_docs_build.py::test_the_pages_build",),
    "There are examples that you can run": (
        "docs/test_gallery.py::test_example",
        "docs/test_docs.py::test_every_public_name_is_in_the_reference",
        "docs/test_papers.py::test_committed_results_are_those_of_the_page",
    ),
    "`make test` sets everything up": (
        LINKS,
        "project/test_release.py::test_contributing_names_targets_that_exist",
    ),
    "We have a code of conduct": (LINKS,),
    "It is free software under": ("project/test_release.py::test_licence",),
}


def sentences() -> list[str]:
    """Return the sentences and the rows of tables of the README, without links and programs."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"```.*?```|<picture>.*?</picture>", "", text, flags=re.S)
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    found: list[str] = []
    for paragraph in re.split(r"\n\s*\n|\n(?=[-|] ?)", text):
        lines = " ".join(paragraph.split())
        if re.match(r"\|-|\| (extra|task) \|", lines):
            continue
        if lines.startswith("|"):
            found.append(lines)
            continue
        lines = re.sub(r"^\*\*([^*]*[^*?])\*\* ", "", lines)
        found += re.split(r"(?<=[.!?])(?:\*\*)? (?=[A-Z`])", lines)
    return [sentence for sentence in found if sentence]


def test_sentences_are_found() -> None:
    assert len(sentences()) > 50


@pytest.mark.parametrize("sentence", sentences())
def test_sentence_is_held(sentence: str) -> None:
    assert any(words in sentence for words in HELD), "no test holds this sentence"


@pytest.mark.parametrize("words", HELD)
def test_statement_is_there_and_its_tests_exist(words: str) -> None:
    assert any(words in sentence for sentence in sentences()), "the README no longer says so"
    for name in HELD[words]:
        path, _, test = name.rpartition("::")
        file = ROOT / "tests" / path if path else HERE
        assert f"\ndef {test}(" in file.read_text(encoding="utf-8"), name
