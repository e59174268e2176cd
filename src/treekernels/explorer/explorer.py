"""explore: open a page in the browser in which a model and its data can be looked at."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any
from urllib.parse import quote

from treekernels.common.checks import check_integer
from treekernels.errors import ParameterError
from treekernels.explorer.api import prepare
from treekernels.explorer.server import ExplorerServer
from treekernels.explorer.session.corpus import Corpus
from treekernels.explorer.session.jobs import Job
from treekernels.explorer.session.model import ExploredModel
from treekernels.explorer.session.notations import Parser, sentence_parser
from treekernels.explorer.session.state import State

__all__ = ["VIEWS", "Explorer", "explore"]

VIEWS = ("tree", "fragments", "compare", "nearest", "mistakes", "map")


def explore(
    model: Any,
    data: Any = None,
    labels: Any = None,
    *,
    parser: Any = None,
    browser: bool | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
) -> Explorer:
    """Open an explorer of a model and its data in the browser; a notebook shows it inline.

    You can write trees and see what the model predicts and why; look through its fragments, and the
    examples that contain them; compare trees, and find the nearest ones; open the mistakes of the
    model; and look at a map of the data. Nothing is sent anywhere, and nothing is written.

    Parameters
    ----------
    model : fitted learner
        One of this library, scikit-learn's ``SVC`` or ``SVR`` with one of its kernels, or a
        pipeline or search that ends in one of these.
    data : trees, pairs, or a table of them, optional
        The examples to look at. A column "label" has the right answers, and a column "line" says
        where each example is (``tk.read(..., origin=True)`` makes one).
    labels : sequence, or the name of a column, optional
        The right answers, if they are elsewhere.
    parser : str, callable, or pipeline, optional
        A parser as for `treekernels.parse`, so that you can write sentences.
    browser : bool, optional
        Whether to open the browser; by default, unless this is a notebook.
    host, port : str and int, optional
        Where to listen: at any free port, and only for this computer.

    Returns
    -------
    Explorer
        It works in the background until you call its ``stop``, or press the button on the page. In
        a script, end with ``explore(...).wait()``.

    Examples
    --------
    >>> import treekernels as tk
    >>> trees = ["(S (A a) (B b))", "(S (A a) (B c))", "(T (A a) (B b))", "(T (A d) (B c))"]
    >>> machine = tk.TreeSVC(random_state=0).fit(trees, ["s", "s", "t", "t"])
    >>> with tk.explore(machine, trees, ["s", "s", "t", "t"], browser=False) as explorer:
    ...     print(explorer.address[:17])
    http://127.0.0.1:
    """
    explored = ExploredModel(model)
    corpus: Corpus | None = None
    if data is not None:
        corpus = Corpus.of(data, explored.kernel, labels)
    elif labels is not None:
        raise ParameterError("there are labels, but no data that they could belong to")
    sentences = None if parser is None else sentence_parser(parser)
    return start(explored, corpus, sentences, browser=browser, host=host, port=port)


def start(
    model: ExploredModel,
    corpus: Corpus | Callable[[Job], Corpus] | None,
    parser: Parser | None = None,
    *,
    browser: bool | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    name: str = "the data",
) -> Explorer:
    """Start an explorer; the data may be a function that reads them in the background."""
    check_integer("port", port, 0, 65_535)
    state = State(model, corpus, parser, name)
    explorer = Explorer(state, host, port)
    if browser or (browser is None and not _in_notebook()):
        webbrowser.open(explorer.address)
    return explorer


class Explorer:
    """An explorer at work. In a notebook, it is shown inline.

    Attributes
    ----------
    address : str
        The address of its page. Anybody on this computer who has it can see the model and the data.
    """

    def __init__(self, state: State, host: str = "127.0.0.1", port: int = 0) -> None:
        self._server = ExplorerServer(state, host, port)
        self.address = self._server.address
        serve = partial(self._server.serve_forever, poll_interval=0.1)
        threading.Thread(target=serve, name="treekernels explorer", daemon=True).start()
        if state.has_data:
            prepare(state)

    @property
    def running(self) -> bool:
        """Whether it still answers."""
        return not self._server.stopped.is_set()

    def wait(self) -> None:
        """Wait until it is stopped: by the button on the page, by `stop`, or by Ctrl-C."""
        try:
            while not self._server.stopped.wait(0.2):
                pass
        finally:
            self.stop()

    def stop(self) -> None:
        """Stop. The page stays open, and says that the explorer no longer answers."""
        self._server.stop()
        self._server.closed.wait(5)

    def view(self, name: str = "tree", *, height: int = 720, **options: Any) -> InlineView:
        """Return one view for a notebook to show inline.

        Parameters
        ----------
        name : {"tree", "fragments", "compare", "nearest", "mistakes", "map"}
        height : int, default=720
            The height of the view, in pixels.
        **options
            What a link to the view has in it, such as ``row=3`` or ``text="NP"``.

        Examples
        --------
        >>> import treekernels as tk
        >>> machine = tk.TreeSVC(random_state=0).fit(["(A b)", "(A c)"], ["b", "c"])
        >>> with tk.explore(machine, browser=False) as explorer:
        ...     explorer.view("fragments", text="b").address.partition("#")[2]
        '/fragments?text=b'
        """
        if name not in VIEWS:
            raise ParameterError(f"there is no view {name!r}; there are {', '.join(VIEWS)}")
        asked = "&".join(f"{key}={quote(str(value), safe='')}" for key, value in options.items())
        height = check_integer("height", height, 100, 10_000)
        return InlineView(f"{self.address}#/{name}{'?' if asked else ''}{asked}", height)

    def _repr_html_(self) -> str:
        return self.view()._repr_html_()

    def __repr__(self) -> str:
        return f"<Explorer: {self.address if self.running else 'stopped'}>"

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


@dataclass(frozen=True)
class InlineView:
    """A view of an explorer, inside a notebook."""

    address: str
    height: int

    def _repr_html_(self) -> str:
        address = escape(self.address, quote=True)
        return (
            f'<iframe src="{address}" title="treekernels explorer" width="100%" '
            f'height="{self.height}" style="border:1px solid #8884;border-radius:8px"></iframe>'
            f'<p><a href="{address}" target="_blank" rel="noreferrer">Open in a window of its own'
            "</a></p>"
        )


def _in_notebook() -> bool:
    """Whether this runs in a notebook, which shows the page itself."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"
