"""Work in the background: progress, cancelling, failing, beginning again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

import treekernels as tk
from explorer_client import TREES, Client, model_of
from treekernels.errors import DataError
from treekernels.explorer.api import ANSWERS
from treekernels.explorer.explorer import start
from treekernels.explorer.session.corpus import Corpus
from treekernels.explorer.session.jobs import Job, Jobs
from treekernels.explorer.session.model import ExploredModel
from treekernels.explorer.session.state import State
from treekernels.explorer.views import corpus_map, fragments, mistakes, nearest


def slow(job: Job) -> str:
    for step in range(6000):
        job.progress(step, 6000)
        time.sleep(0.01)
    return "done"


def test_quick_work_is_done_at_once() -> None:
    jobs = Jobs()
    assert jobs.ensure("one", "Work", lambda job: 42).result == 42
    assert jobs.ensure("one", "Work", lambda job: 43).result == 42, "it is done only once"


def test_cancelled_work_ends_soon_and_can_begin_again() -> None:
    jobs = Jobs()
    job = jobs.ensure("one", "Work", slow, patience=0.05)
    assert job.state == "running"
    assert job.status()["total"] == 6000
    jobs.cancel("one")
    assert job.wait(60)
    assert job.state == "cancelled"
    assert jobs.ensure("one", "Work", slow) is job, "unless it is asked for again"
    jobs.forget("one")
    other = jobs.ensure("one", "Work", lambda own: "new")
    assert other.result == "new"


@pytest.mark.parametrize(
    ("view", "question", "part"),
    [("fragments", {}, "job"), ("prediction", {"row": 0}, "explaining"), ("overview", {}, "data")],
)
def test_work_that_ends_while_one_looks(
    monkeypatch: pytest.MonkeyPatch, view: str, question: dict[str, int], part: str
) -> None:
    """What is said to be incomplete is said to be running: the page then asks again."""
    model = ExploredModel(model_of())
    corpus = Corpus.of(tk.Table({"tree": tk.Forest(TREES)}), model.kernel)
    released = threading.Event()

    def run(job: Job, plain: Callable[[Job], None] = Job.run) -> None:
        released.wait(60)
        plain(job)

    def status(job: Job, plain: Callable[[Job], dict[str, object]] = Job.status) -> object:
        """The work ends just before the first look."""
        released.set()
        job.wait(60)
        return plain(job)

    monkeypatch.setattr(Job, "run", run)
    monkeypatch.setattr(Job, "status", status)
    state = State(model, (lambda job: corpus) if view == "overview" else corpus)
    answer = ANSWERS[view](state, question)
    if view == "overview":
        assert answer["data"]["examples"] == len(TREES)
    else:
        assert answer[part] is None


def test_searches_are_forgotten_and_data_are_kept() -> None:
    jobs = Jobs()
    jobs.ensure("data", "Work", lambda job: 1)
    jobs.ensure(("other", 1), "Work", lambda job: 1)
    for number in range(100):
        jobs.ensure(("search", number), "Work", lambda job: 1)
        jobs.ensure(("search", 1), "Work", lambda job: 1)
    assert jobs.get("data") is not None
    assert jobs.get(("search", 0)) is None
    assert jobs.get(("search", 1)) is not None, "it was asked for all the time"
    assert jobs.get(("search", 99)) is not None
    assert jobs.get(("other", 1)) is not None, "another kind"


def test_data_are_read_in_the_background() -> None:
    """The page is there at once; views that need the data say how far it is."""
    go = threading.Event()

    def read(job: Job) -> Corpus:
        job.progress(1, 2)
        go.wait(60)
        return Corpus.of(TREES, None)

    with start(ExploredModel(model_of()), read, browser=False, name="slow.tsv") as explorer:
        client = Client(explorer.address)
        assert client.ask("overview")["data"]["reading"]["state"] == "running"
        assert client.ask("prediction", trees={"": TREES[0]})["predicted"] == "statement"
        answer = client.post("map")
        assert answer.status == 202
        assert answer.json["pending"]["title"] == "Reading slow.tsv"
        assert (answer.json["pending"]["done"], answer.json["pending"]["total"]) == (1, 2)
        go.set()
        assert client.ask("map")["count"] == len(TREES)


def test_data_that_cannot_be_read() -> None:
    def read(job: Job) -> Corpus:
        raise DataError("line 3: there is no tree")

    with start(ExploredModel(model_of()), read, browser=False) as explorer:
        client = Client(explorer.address)
        job = explorer._server.state.jobs.get("data")
        assert job is not None
        assert job.wait(60)
        assert client.refusal("map") == "Line 3: there is no tree."
        assert client.ask("overview")["data"]["reading"]["state"] == "failed"


def test_stopping_cancels_what_runs() -> None:
    reading = threading.Event()

    def read(job: Job) -> Corpus:
        reading.set()
        slow(job)
        raise AssertionError("it was cancelled")

    explorer = start(ExploredModel(model_of()), read, browser=False)
    assert reading.wait(60)
    explorer.stop()
    job = explorer._server.state.jobs.get("data")
    assert job is not None
    assert job.wait(60)
    assert job.state == "cancelled"


@pytest.mark.parametrize(
    "work",
    [
        lambda state, corpus, job: corpus_map._points(state, corpus, job),
        lambda state, corpus, job: mistakes._predicted(state, corpus, job),
        lambda state, corpus, job: fragments._heaviest(state, job, "", ""),
        lambda state, corpus, job: nearest._indexed(tk.SubsetTreeKernel(), corpus.X, job),
        lambda state, corpus, job: nearest._row(state, corpus, corpus.X[:1], 5, job),
    ],
    ids=["map", "mistakes", "fragments", "index", "row"],
)
def test_work_of_views_can_be_cancelled(work: Callable[[State, Corpus, Job], object]) -> None:
    """Each piece of work asks now and then whether it is still wanted."""
    explored = ExploredModel(model_of())
    corpus = Corpus.of(TREES * 50, explored.kernel)
    job = Job("Work", lambda own: work(State(explored, corpus), corpus, own))
    job.cancel()
    job.run()
    assert job.state == "cancelled"
    assert job.result is None
