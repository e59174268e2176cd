"""What ``treekernels explore`` reads: the data, in the background, and a parser of sentences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from treekernels.cli.shared.columns import examples_for, fitted_width
from treekernels.cli.shared.data import Data, read_data, reader_options_of
from treekernels.cli.shared.problem import Problem
from treekernels.common.screen import Screen
from treekernels.data.pairs import Pairs
from treekernels.explorer.corpus import Corpus
from treekernels.explorer.explored_model import ExploredModel
from treekernels.explorer.inputs import Parser
from treekernels.explorer.jobs import Job

__all__ = ["corpus_reader", "parser_for"]


def corpus_reader(
    model: ExploredModel, data: tuple[str, ...], screen: Screen, reading: dict[str, Any]
) -> Callable[[Job], Corpus]:
    """Return a function that reads the data; that they are there is checked now."""
    for path in data:
        if path == "-":
            raise Problem("the explorer reads files, and not standard input")
        if not Path(path).exists() and not any(sign in path for sign in "*?["):
            raise Problem(f"there is no file {path}")

    def read(job: Job) -> Corpus:
        try:
            return _corpus(model, read_data(data, screen, origin=True, **reading), screen)
        except Exception as error:
            screen.note(f"Error: {error}")
            raise

    return read


def _corpus(model: ExploredModel, found: Data, screen: Screen) -> Corpus:
    labels = None if found.label is None else found.table[found.label]
    if model.is_pairs:
        if len(found.trees) != 2:
            raise Problem(
                f"{found.path} has {len(found.trees)} columns of trees, and a sentence pair has two"
            )
        X: Any = Pairs(*(found.table[name] for name in found.trees))
        if model.columns != ["text", "hypothesis"]:
            X = examples_for(model.model.kernel_, found)
    elif model.kernel is None:
        X = found.table[found.trees[0]]
    else:
        X = examples_for(model.kernel, found)
        if hasattr(model.model, "feature_counts"):
            X = fitted_width(X, model.model.feature_counts(), screen)
    return Corpus(X, labels, found.places(), found.path)


def parser_for(
    spacy: str | None, benepar: str | None, options: tuple[str, ...], *, with_data: bool
) -> Parser | None:
    """Return a parser of sentences, if one was asked for."""
    if spacy is None:
        if benepar is not None:
            raise Problem("benepar works within spaCy: name a model of spaCy as well, with --spacy")
        return None
    from treekernels.explorer.parsers import spacy_parser

    shape = {} if with_data else reader_options_of(options)
    return spacy_parser(spacy, benepar, **shape)
