"""Learners do without scikit-learn until somebody imports it, and are its estimators then."""

from __future__ import annotations

import subprocess
import sys

import pytest

BEGIN = """
import sys
import treekernels as tk
trees, labels = ["(A b)", "(A c)"] * 15, [0, 1] * 15
"""


def run(code: str) -> None:
    result = subprocess.run([sys.executable, "-c", BEGIN + code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    "learner",
    ["TreeSVC()", "TreeSVR('sst')", "TreePerceptron('sst')", "TreePassiveAggressive('st + sst')"],
)
def test_to_fit_save_load_and_predict_needs_none_of_it(learner: str) -> None:
    run(
        f"""
import pickle, tempfile
learner = tk.{learner}.set_params(random_state=0).fit(trees, labels)
if "partial_fit" in dir(learner):
    learner.partial_fit(trees, labels)
path = tempfile.mkdtemp() + "/model.tkm"
tk.save(learner, path)
assert (tk.load(path).predict(trees) == learner.predict(trees)).all()
assert (pickle.loads(pickle.dumps(learner)).predict(trees) == learner.predict(trees)).all()
assert not {{"sklearn", "pandas", "joblib"}} & sys.modules.keys()
"""
    )


def test_who_asks_what_a_learner_is_gets_the_answer_of_scikit_learn() -> None:
    """Whether it was made before or after, and also a class that is derived from ours."""
    run(
        """
class Mine(tk.TreeSVC):
    def fit(self, X, y, sample_weight=None, more=None):
        return super().fit(X, y, sample_weight)

before = tk.TreeSVR("sst").fit(trees, labels)
mine = Mine("sst")
assert "sklearn" not in sys.modules
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier, is_regressor
import sklearn
assert isinstance(before, BaseEstimator) and is_regressor(before)
assert issubclass(Mine, ClassifierMixin) and is_classifier(mine) and is_classifier(tk.TreeSVC())
assert clone(before).kernel == "sst" and before.score(trees, labels) > 0.9
with sklearn.config_context(enable_metadata_routing=True):
    mine.set_fit_request(more=True)
    tk.TreePerceptron().set_partial_fit_request(classes=True)
    try:
        tk.TreeSVC().set_fit_request(more=True)
    except TypeError:
        pass
    else:
        raise AssertionError("a request was made for an argument that there is not")
"""
    )


def test_what_only_scikit_learn_knows_brings_it() -> None:
    run(
        """
learner = tk.TreeSVC("sst")
assert not hasattr(learner, "classes_") and not hasattr(learner, "_anything")
try:
    learner.n_features_in_
except AttributeError as error:
    assert "is not fitted" in str(error)
assert "sklearn" not in sys.modules
assert learner.fit(trees, labels).score(trees, labels) == 1
assert "sklearn" in sys.modules
"""
    )
    run('assert repr(tk.TreeSVC("sst", C=1)) == "TreeSVC(C=1, kernel=\\\'sst\\\')"')
    run("assert 'TreeSVC' in tk.TreeSVC()._repr_html_()")
    run("assert tk.TreeSVC('sst').get_params()['kernel__decay'] == 0.4")
    run("assert tk.TreeSVC().set_params(kernel='sst', kernel__decay=0.2).kernel.decay == 0.2")
    run(
        """
try:
    tk.TreeSVC().set_params(depth=3)
except ValueError as error:
    assert "Invalid parameter 'depth'" in str(error)
else:
    raise AssertionError("there is no such parameter")
"""
    )


def test_callbacks_are_those_of_scikit_learn() -> None:
    pytest.importorskip("sklearn.callback", reason="scikit-learn has them from 1.9 on")
    run(
        """
learner = tk.TreePerceptron("sst", epochs=2)
from sklearn.callback import ProgressBar
assert learner.set_callbacks(ProgressBar()).fit(trees, labels) is learner
"""
    )


def test_a_look_for_the_module_is_not_an_import() -> None:
    run(
        """
import importlib.util
tk.TreeSVC
for _ in range(2):
    assert importlib.util.find_spec("sklearn.callback") is None or "sklearn" in sys.modules
    assert importlib.util.find_spec("sklearn.base") is not None
import sklearn.base
assert issubclass(tk.TreeSVC, sklearn.base.BaseEstimator)
"""
    )
