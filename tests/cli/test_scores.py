"""The figures that ``treekernels evaluate`` shows for people."""

from __future__ import annotations

import numpy as np
import pytest

from treekernels.cli.shared.scores import Outcome, Scores
from treekernels.common.screen import Screen


def test_the_rate_is_the_time_of_one_example(capsys: pytest.CaptureFixture[str]) -> None:
    labels = np.array(["a", "b", "a", "b"])
    outcome = Outcome(labels, labels, learned_from=9, fit_seconds=1.0, predict_seconds=0.5)
    Scores(outcome, "data.tsv", "test.tsv", "svm", "sst").show(Screen())
    assert "learned in 1.00 s, predicted in 0.50 s (125000 µs an example)" in (
        " ".join(capsys.readouterr().out.split())
    )
