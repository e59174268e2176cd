"""Options that several commands share, as decorators: ``@options.jobs``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, TypedDict, TypeVar

import click

from treekernels.io import formats


class Reading(TypedDict, total=False):
    """What the options of a command say about reading; a command may have only some of them."""

    format_: str | None
    label: str | None
    trees: tuple[str, ...]
    reader_options: tuple[str, ...]
    skip_bad: bool
    parser: str | None
    texts: tuple[str, ...]
    cache: str | None
    remembered: dict[str, Any] | None  # how a model has parsed texts


class PieceReading(Reading, total=False):
    """The same, and which files of folders are looked at."""

    include: tuple[str, ...]
    exclude: tuple[str, ...]
    no_ignore: bool


class Learning(TypedDict):
    """What the options of a command say about learning; None stands for a default."""

    kernel: str | None
    learner: str
    C: float | Literal["auto"] | None
    class_weights: tuple[str, ...]
    epochs: int | None
    seed: int
    checkpoint: str | None


@dataclass(frozen=True)
class Running:
    """What the options of a command say about how it computes, and what it prints."""

    jobs: int
    scheduler: str | None
    workers: int | None
    as_json: bool
    quiet: bool

    @property
    def on_cluster(self) -> bool:
        """Whether a Dask cluster does the work."""
        return self.scheduler is not None or self.workers is not None


Decorated = TypeVar("Decorated", bound=Callable[..., Any])

# The defaults of the learners, which take long to import; a test compares them.
PENALTY = 10.0
EPOCHS = 5
FORMATS = [name for name in formats.FORMATS if name != "anchored-pairs"]  # which has two trees


def _together(*options: Callable[[Any], Any]) -> Callable[[Decorated], Decorated]:
    def decorate(function: Decorated) -> Decorated:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _as_one(
    name: str, kind: Any, *options: Callable[[Any], Any]
) -> Callable[[Decorated], Callable[..., Any]]:
    """Return options whose values a command gets as one argument."""

    def decorate(function: Decorated) -> Callable[..., Any]:
        @_together(*options)
        @wraps(function)
        def command(**values: Any) -> Any:
            given = {field: values.pop(field) for field in kind.__annotations__}
            return function(**{name: kind(**given)}, **values)

        return command

    return decorate


def file(name: str, help: str) -> Callable[[Decorated], Decorated]:
    """Return an option for the name of a file."""
    return click.option(name, metavar="FILE", help=help)


def choice(
    name: str, choices: Sequence[str], help: str, *, default: str | None = None
) -> Callable[[Decorated], Decorated]:
    """Return an option for one of some words."""
    type_ = click.Choice(choices)
    return click.option(name, type=type_, default=default, show_default=True, help=help)


def number(
    *names: str, help: str, default: int | None = None, least: int = 1, most: int | None = None
) -> Callable[[Decorated], Decorated]:
    """Return an option for a whole number."""
    type_ = click.IntRange(least, most)
    return click.option(
        *names, metavar="NUMBER", type=type_, default=default, show_default=True, help=help
    )


class _Penalty(click.FloatRange):
    """A number above 0, or the word auto."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        if value == "auto":
            return value
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is neither a number above 0 nor 'auto'", param, ctx)


def _checked_jobs(ctx: click.Context, parameter: click.Parameter, value: int) -> int:
    if value == 0:
        raise click.BadParameter("0 threads do nothing; 1 is one thread, and -1 one for each core")
    return value


def _data_format(name: str) -> Callable[[Decorated], Decorated]:
    return click.option(
        name,
        "format_",
        metavar="FORMAT",
        type=click.Choice(FORMATS),
        help="Format of the data, for files whose format neither their names nor their first lines "
        f"reveal: {', '.join(FORMATS)}.",
    )


file_format = _data_format("--format")
read_as = _data_format("--read-as")  # of commands whose --format is that of their report
copies = _together(
    click.option(
        "--threshold",
        metavar="NUMBER",
        type=click.FloatRange(min=0, min_open=True, max=1),
        default=0.8,
        show_default=True,
        help="How similar two trees have to be to count as copies; 1 finds only exact copies.",
    ),
    click.option(
        "--smallest",
        metavar="NODES",
        type=click.IntRange(min=1),
        default=30,
        show_default=True,
        help="Leave out trees with fewer nodes, because short functions look alike everywhere.",
    ),
    click.option(
        "--renamed",
        is_flag=True,
        help="Also find code in which names and literals were changed: they do not count, and what "
        "is common in all of the code counts little.",
    ),
)
file_choice = _together(
    click.option(
        "--exclude",
        metavar="PATTERN",
        multiple=True,
        help="Leave out files and folders, by a pattern as in .gitignore; may be repeated.",
    ),
    click.option(
        "--include",
        metavar="PATTERN",
        multiple=True,
        help="Look only at files that one of these patterns fits; may be repeated.",
    ),
    click.option(
        "--no-ignore",
        is_flag=True,
        help="Also look at files that .gitignore names, and at generated and vendored ones.",
    ),
)
skip_bad = click.option(
    "--skip-bad", is_flag=True, help="Leave out lines that cannot be read, and list them."
)
reader = click.option(
    "-o",
    "--option",
    "reader_options",
    metavar="NAME=VALUE",
    multiple=True,
    help="Option for the reader of the format, such as each=function for Python or shape=LCT for "
    "CoNLL-U; may be repeated.",
)


def data_argument(
    *, required: bool = True, name: str = "DATA", ends_with: str | None = None
) -> Callable[[Decorated], Decorated]:
    """Return the argument for one or more files, folders or patterns.

    `ends_with` is what a command calls the file to write, if its name comes last: then a single
    name is one too few.
    """

    def complain(ctx: click.Context, _: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
        if ends_with is not None and not value:
            raise click.UsageError(
                f"two names are needed: {name}, which is read, and {ends_with}, which is written",
                ctx,
            )
        return value

    metavar = f"{name}..." if required else f"[{name}]..."
    required = required and ends_with is None
    return click.argument("data", nargs=-1, required=required, metavar=metavar, callback=complain)


tree = click.option(
    "--tree",
    "trees",
    metavar="COLUMN",
    multiple=True,
    help="Column that holds the trees, by name or number; may be repeated. [default: every column "
    "that holds trees]",
)
label = click.option(
    "--label",
    metavar="COLUMN",
    help="Column that holds the labels, by name or number; or 'folder' or 'file', to take the "
    "names of folders or files as labels. [default: the first column without trees]",
)
parsing = _together(
    click.option(
        "--parser",
        metavar="PARSER",
        help="Parser that makes trees of a column of texts: spacy:MODEL, stanza:LANGUAGE or "
        "benepar:MODEL, such as spacy:en_core_web_sm, which has to be installed. With spaCy and "
        "stanza, -o shape=LCT chooses the shape of the trees.",
    ),
    click.option(
        "--text",
        "texts",
        metavar="COLUMN",
        multiple=True,
        help="Column that holds texts for --parser, by name or number; may be repeated. [default: "
        "the column 'text', or else the one with the longest texts]",
    ),
    click.option(
        "--cache",
        metavar="FOLDER",
        help="Folder in which --parser keeps what it has parsed, so that no text is parsed twice.",
    ),
)
reading = _together(label, tree, file_format, reader, skip_bad, parsing)


def kernel(
    default: str, more: str = "", value: str | None = None
) -> Callable[[Decorated], Decorated]:
    """Return the option for a kernel, which the command chooses if there is none."""
    return click.option(
        "--kernel",
        "-k",
        default=value,
        metavar="EXPRESSION",
        help="Kernel that compares the examples, such as 'ptk', 'sst(decay=0.3)' or "
        "'0.6*sst(on=tree) + poly(3)'. Kernels for trees are st, sst, ptk, elastic, subpath, "
        "pqgram and features; those for vectors are linear, poly and rbf; norm(...) normalises "
        "any other. "
        f"{more}[default: {default}]",
    )


_OF_COLUMNS = "sst, plus linear if there are vectors"
kernel_of_columns = kernel(_OF_COLUMNS)
learning = _as_one(
    "learning",
    Learning,
    kernel(
        "auto",
        "With 'auto', several kernels are compared on a sample of the training data, and the best "
        "one is used. ",
        "auto",
    ),
    choice(
        "--learner",
        ["svm", "perceptron", "pa", "ranker"],
        "Learner to use: a support vector machine, an averaged perceptron, a "
        "passive-aggressive learner, or a ranker, for examples that have numbers as labels and "
        "their queries in a column qid.",
        default="svm",
    ),
    click.option(
        "--C",
        "C",
        metavar="NUMBER",
        type=_Penalty(min=0, min_open=True),
        help="How much a single example may count, for the learners svm, pa and ranker. The larger "
        "it is, the more closely the model follows the training examples. With 'auto', svm takes "
        "one over the square of the mean of sqrt(K(x, x)), as SVM-light does. "
        f"[default: {PENALTY:g} for svm, 1 for pa and ranker]",
    ),
    click.option(
        "--class-weight",
        "class_weights",
        metavar="WEIGHTS",
        multiple=True,
        help="Weight of the examples of a class, as LABEL=NUMBER, which may be repeated; or "
        "'balanced', to let all classes weigh the same however many examples they have. "
        "[default: all examples weigh the same]",
    ),
    number(
        "--epochs",
        help="How many times to go through the examples, for the learners perceptron and pa. "
        f"[default: {EPOCHS}; on a cluster {EPOCHS} for each part of the data, up to {4 * EPOCHS}]",
    ),
    number(
        "--seed",
        help="Seed of the random numbers, which decide the order of the examples and the folds.",
        default=0,
        least=0,
        most=2**32 - 1,
    ),
    file(
        "--checkpoint",
        "File in which the state of learning is saved now and then. If learning is "
        "interrupted, the same command goes on from there; at the end the file is removed.",
    ),
)


frequencies = file(
    "--frequencies",
    "File of weights that 'treekernels index frequencies' has made of other trees: what is rare in "
    "those weighs most. Or one of 'treekernels index weights'.",
)
report = file("--report", "File to write a page of tables and pictures to, in HTML.")
jobs = click.option(
    "--jobs",
    "-j",
    metavar="NUMBER",
    type=int,
    default=-1,
    show_default=True,
    callback=_checked_jobs,
    help="Number of threads to compute with; -1 means one for each core.",
)
json = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON, for scripts."
)
quiet = click.option(
    "--quiet", "-q", is_flag=True, help="Print the result alone, without notes and progress bars."
)
cluster = _together(
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Address of a Dask scheduler, such as tcp://10.0.0.1:8786, whose workers do the work.",
    ),
    number(
        "--workers",
        help="Number of processes on this machine that do the work, as a Dask cluster of their "
        "own.",
    ),
)
running = _as_one("running", Running, jobs, cluster, json, quiet)
