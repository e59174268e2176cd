"""Kernels as text: what is read, what is written, and what is refused."""

from __future__ import annotations

import contextlib
import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treekernels as tk
from treekernels.kernels.expressions.names import KERNELS
from treekernels.kernels.expressions.parsing import format_kernel, parse_kernel

SST, POLY = tk.SubsetTreeKernel, tk.PolynomialKernel
ST = tk.SubtreeKernel()


@pytest.mark.parametrize(
    ("text", "kernel"),
    [
        ("sst", SST()),
        ("st(0.8)", tk.SubtreeKernel(0.8)),
        ("ptk(0.3, 0.5, gaps=span)", tk.PartialTreeKernel(0.3, 0.5, gaps="span")),
        ("elastic(elastic=false)", tk.ElasticTreeKernel(elastic=False)),
        ("0.6*sst(decay=0.4) + poly(3)", 0.6 * SST(decay=0.4) + POLY(3)),
        ("sst + poly * rbf(gamma=.5)", SST() + POLY() * tk.RBFKernel(gamma=0.5)),
        ("(sst + poly) * 2", (SST() + POLY()) * 2),
        ("sst**2 * st^3", SST() ** 2 * tk.SubtreeKernel() ** 3),
        ("(sst**2)**0.5", (SST() ** 2) ** 0.5),
        ("2 * 3 ** 2 * sst", 2 * 3**2 * SST()),
        ("norm(linear(on=words) + 1)", tk.NormalizedKernel(tk.LinearKernel(on="words") + 1)),
        ("sst(on='a tree', normalize=False)", SST(on="a tree", normalize=False)),
        ('poly(2, coef0=-1e-1, gamma=None, on=[x, 2, "y z"])', None),
        ("((((sst))))", SST()),
        ("set(sst)", tk.SetKernel(SST())),
        (
            "set(sst + 0.5*st, best, on=doc) ** 2",
            tk.SetKernel(SST() + 0.5 * ST, "best", on="doc") ** 2,
        ),
        ("set((sst), on=[a, b]) + st", tk.SetKernel(SST(), on=["a", "b"]) + ST),
        (
            "norm(set(sst, match='one-to-one'))",
            tk.NormalizedKernel(tk.SetKernel(SST(), "one-to-one")),
        ),
        ("st + sst + ptk", tk.SubtreeKernel() + SST() + tk.PartialTreeKernel()),
        ("\tsst( ) \n", SST()),
        ("sst(on=class) + sst(on=a.b)", SST(on="class") + SST(on="a.b")),
        (r"sst(on='a\n')", SST(on=r"a\n")),
    ],
)
def test_reads(text: str, kernel: tk.Kernel | None) -> None:
    if kernel is None:
        kernel = POLY(2, coef0=-0.1, on=["x", "2", "y z"])
    assert parse_kernel(text) == kernel


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("", 1, "a kernel or a value was expected, not the end"),
        ("sst +", 6, "a kernel or a value was expected, not the end"),
        ("sst poly", 5, "'+', '*', '**' or ',' was expected, not 'poly'"),
        ("sst + tsk(3)", 7, "there is no kernel 'tsk'"),
        ("sst - st", 5, "kernels can be added, multiplied"),
        ("-sst", 1, "a kernel or a number was expected, not '-'"),
        ("(sst + st", 1, "'(' was never closed"),
        ("sst)", 4, "unmatched ')'"),
        ("sst(on=[a)", 10, "closing parenthesis ')' does not match opening parenthesis '['"),
        ("()", 1, "a kernel or a number was expected, not '('"),
        ("'sst'", 1, "a kernel or a number was expected, not \"'sst'\""),
        ("decay=0.4", 6, "'=' has no meaning here"),
        ("norm", 1, "norm needs a kernel in brackets"),
        ("set", 1, "set needs a kernel in brackets: set(...)"),
        ("set(poly)", 1, "one of trees without on="),
        ("set(sst(on=tree))", 1, "one of trees without on="),
        ("set(sst, first)", 10, "match must be 'all', 'best' or 'one-to-one', not 'first'"),
        ("set(sst, best, true)", 16, "set has no parameter 'true'"),
        ("norm(sst, 2)", 11, "norm has no parameter '2'; it has none but its kernel"),
        ("sst(decay=", 11, "a kernel or a value was expected, not the end"),
        ("sst(on=[a", 8, "'[' was never closed"),
        ("sst(decay=st + 1)", 11, "a single value was expected"),
        ("ptk(gaps=span, 0.5)", 19, "positional argument follows keyword argument"),
        ("sst(dekay=0.4)", 5, "sst has no parameter 'dekay'; it has decay, leaf_weight"),
        ("sst(0.4, decay=0.5)", 10, "decay is given twice"),
        ("sst(n_jobs=2)", 5, "sst has no parameter 'n_jobs'"),
        ("sst(decay=true)", 11, "decay must be above 0 (at least 1e-100) and at most 1, not True"),
        ("sst(normalize=1)", 15, "normalize must be True or False, not 1"),
        ("ptk(gaps=wide)", 10, "gaps must be 'skipped' or 'span'"),
        ("rbf(gamma=-1)", 11, "gamma must be a number from 0 up, not -1"),
        ("sst(on=[])", 8, "on must be a column or a list of columns"),
        ("sst ** st", 8, "an exponent is a number above 0, not 'st'"),
        ("sst ** 0", 8, "an exponent is a number above 0, not '0'"),
        ("sst ** 2 ** 3", 8, "put brackets around the first of two powers"),
        ("sst(on='x)", 8, "this quote is not closed"),
        ("sst @ st", 5, "'@' has no meaning here"),
        ("__import__('os').system('true')", 17, "'.' has no meaning here"),
        ("sst.__class__", 1, "there is no kernel 'sst.__class__'"),
        ("1e999 * sst", 1, "a number this large"),
    ],
)
def test_refuses(text: str, column: int, reason: str) -> None:
    with pytest.raises(tk.ExpressionError) as caught:
        parse_kernel(text)
    assert reason in caught.value.reason
    assert caught.value.column == column
    assert f"column {column}: " in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_depth() -> None:
    assert parse_kernel("(" * 200 + "sst" + ")" * 200) == SST()
    with pytest.raises(tk.ExpressionError, match="too many nested parentheses"):
        parse_kernel("(" * 100_000 + "sst" + ")" * 100_000)
    for text in ("norm(" * 200 + "sst" + ")" * 200, " + ".join(["sst"] * 100_000)):
        with pytest.raises(tk.ExpressionError, match="more than 200 kernels within each other"):
            parse_kernel(text)
    deep = parse_kernel("+".join(["sst"] * 200))
    assert deep(["(A b)"])[0, 0] == 200


def _leaves() -> st.SearchStrategy[tk.Kernel]:
    decays = st.floats(0.01, 1)
    columns: Any = st.one_of(st.none(), st.sampled_from(["tree", "a b", "it's", "None", "3x"]))
    return st.one_of(
        st.builds(SST, decays, leaf_weight=st.floats(0, 2), normalize=st.booleans(), on=columns),
        st.builds(tk.PartialTreeKernel, decays, decays, gaps=st.sampled_from(["skipped", "span"])),
        st.builds(tk.ElasticTreeKernel, decays, elastic=st.booleans(), on=columns),
        st.builds(POLY, st.integers(1, 5), coef0=st.floats(-1, 1), on=st.just(["a", "b c"])),
        st.builds(tk.RBFKernel, st.one_of(st.none(), st.floats(0.1, 9))),
    )


def _kernels() -> st.SearchStrategy[tk.Kernel]:
    numbers = st.floats(0, 1e6)
    of_trees = st.one_of(st.just(SST()), st.builds(lambda a, b: a * SST(b), numbers, st.just(0.3)))

    def larger(inner: st.SearchStrategy[tk.Kernel]) -> st.SearchStrategy[tk.Kernel]:
        return st.one_of(
            st.builds(lambda a, b: a + b, inner, st.one_of(inner, numbers)),
            st.builds(lambda a, b: a * b, st.one_of(inner, numbers), inner),
            st.builds(lambda a, b: a**b, inner, st.one_of(st.integers(1, 9), st.floats(0.1, 9))),
            st.builds(tk.NormalizedKernel, inner),
            st.builds(tk.SetKernel, of_trees, st.sampled_from(["all", "best", "one-to-one"])),
        )

    return st.recursive(_leaves(), larger, max_leaves=8)


@settings(max_examples=80, deadline=None)
@given(_kernels())
def test_round_trip(kernel: tk.Kernel) -> None:
    assert parse_kernel(format_kernel(kernel)) == kernel


def test_reads_how_simple_kernels_write_themselves() -> None:
    for name, kind in KERNELS.items():
        assert parse_kernel(repr(kind())) == parse_kernel(name)
    combined = tk.NormalizedKernel(SST(0.3, on="tree") + 0.5 * POLY(2)) ** 2
    assert parse_kernel(repr(combined)) == combined


def test_word_vectors_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_text("dog 1 0\ncat 0.9 0.1\n")
    path = str(tmp_path / "small.txt")
    kernel = parse_kernel(f"0.5*ptk(0.3, similarity='{path}')")
    assert kernel == 0.5 * tk.PartialTreeKernel(0.3, similarity=tk.WordVectors(path))
    assert parse_kernel(format_kernel(kernel)) == kernel
    assert kernel(["(N dog::n)"], ["(N cat::n)"])[0, 0] > 0.49
    with pytest.raises(tk.ExpressionError, match="column 16"):
        parse_kernel(f"ptk(similarity='{tmp_path / 'missing.txt'}')")
    other = tk.PartialTreeKernel(similarity=tk.WordVectors(path, power=2))
    with pytest.raises(ValueError, match="similarity= of PartialTreeKernel cannot be written"):
        format_kernel(other)


def test_writes_no_functions() -> None:
    mapping = tk.MappingKernel(parts=str.split, local=lambda p, q: 1.0)
    with pytest.raises(ValueError, match="a MappingKernel cannot be written"):
        format_kernel(SST() + mapping)
    with pytest.raises(ValueError, match="similarity= of ElasticTreeKernel cannot be written"):
        format_kernel(tk.ElasticTreeKernel(similarity={("a", "b"): 0.5}))


@settings(max_examples=100, deadline=None)
@given(st.text("st(+*)^ 0.5,=[]'norme-\n", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(tk.ExpressionError):
        assert isinstance(parse_kernel(text), tk.Kernel)


def test_long_text_is_read_in_little_memory() -> None:
    tracemalloc.start()
    with pytest.raises(tk.ExpressionError):
        parse_kernel("sst*" * 50_000)
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()
