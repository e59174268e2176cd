"""A first look at an installed treekernels: does this wheel work at all?

    python smoke.py [--without-sklearn]

It needs nothing of the source tree, so that it can be run on a wheel anywhere: known kernel values,
a model fitted, saved, loaded and explained, and the command line. `--without-sklearn` is for
machines for which scikit-learn has no wheels: then only kernels are looked at.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from urllib.request import urlopen

import numpy as np

import treekernels as tk

TREES = [
    "(S (NP (D the) (N dog)) (VP (V barks)))",
    "(S (NP (D the) (N cat)) (VP (V barks)))",
    "(SQ (V does) (NP (D the) (N dog)) (VP (V bark)))",
    "(SQ (V does) (NP (D the) (N cat)) (VP (V sleep)))",
]
LABELS = ["statement", "statement", "question", "question"]
NEW = "(SQ (V do) (NP (N dogs)) (VP (V bark)))"


def installed() -> None:
    """The package is the installed one, complete, and of the version it says."""
    folder = Path(tk.__file__).parent
    assert "-packages" in str(folder), f"imported from {folder}, not from an installed package"
    assert metadata.version("treekernels") == tk.__version__
    assert (folder / "py.typed").is_file()
    assert (folder / "_native.pyi").is_file()


def kernel_values() -> None:
    """Values that can be counted by hand.

    With a decay of 1, (S (A a) (B b)) has three subtrees; six fragments of whole productions, of
    which four begin at S; and in (A a) the partial trees are a, A and the whole.
    """
    one = ["(S (A a) (B b))"]
    expect(tk.SubtreeKernel(decay=1, normalize=False)(one), [[3]])
    expect(tk.SubsetTreeKernel(decay=1, normalize=False)(one), [[6]])
    expect(tk.PartialTreeKernel(decay=1, vertical_decay=1, normalize=False)(["(A a)"]), [[3]])
    half = tk.SubsetTreeKernel(decay=1)(["(S (A a))"], ["(S (A b))"])
    expect(half, [[1 / 3]])  # (S A), of (S A), (S (A a)) and (A a)
    both = tk.SubtreeKernel(decay=1, normalize=False) + tk.SubsetTreeKernel(
        decay=1, normalize=False
    )
    expect(both(one), [[9]])
    many = tk.Forest.from_brackets(TREES * 50)
    kernel = tk.SubsetTreeKernel()
    assert np.array_equal(kernel(many, n_jobs=1), kernel(many, n_jobs=2)), "threads change bits"


def expect(found: np.ndarray, value: list[list[float]]) -> None:
    """Compare with a known value."""
    np.testing.assert_allclose(found, value, rtol=1e-12)


def learning(folder: Path) -> None:
    """A model learns, is saved and loaded, and can be explained."""
    model = tk.TreeSVC(kernel=tk.SubsetTreeKernel()).fit(TREES, LABELS)
    assert list(model.predict([NEW])) == ["question"]
    tk.save(model, folder / "model.tkm")
    again = tk.load(folder / "model.tkm")
    assert np.array_equal(model.decision_function(TREES), again.decision_function(TREES))
    assert any("SQ" in str(fragment) for fragment in tk.explain(again))
    with tk.explore(again, TREES, LABELS, browser=False) as explorer:
        for name in ("", "main.js", "style.css"):  # the page is packed with the rest
            with urlopen(explorer.address + name, timeout=20) as answer:
                assert answer.status == 200


def command_line(folder: Path, learn: bool) -> None:
    """The command line says its version, compares, and refuses nonsense with exit code 2."""
    assert tk.__version__ in run("--version")
    assert run("compare", "(A (B b) c)", "(A (B b) d)")
    run("compare", "(A", "(B)", code=2)
    if learn:
        lines = [f"{label}\t{tree}\n" for label, tree in zip(LABELS, TREES, strict=True)]
        data = folder / "data.tsv"
        data.write_text("".join(lines), encoding="utf-8")
        run("fit", str(data), str(folder / "fitted.tkm"))
        assert "question" in run("predict", str(folder / "fitted.tkm"), str(data))


def run(*arguments: str, code: int = 0) -> str:
    """Run the installed command and give what it prints."""
    script = Path(sys.executable).with_name(
        "treekernels" + (".exe" if sys.platform == "win32" else "")
    )
    done = subprocess.run([script, *arguments], capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == code, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def main() -> None:
    """Look at everything."""
    learn = "--without-sklearn" not in sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        installed()
        kernel_values()
        if learn:
            learning(folder)
        command_line(folder, learn)
    part = "all" if learn else "kernels"
    print(f"treekernels {tk.__version__} on Python {sys.version.split()[0]} works ({part}).")


if __name__ == "__main__":
    main()
