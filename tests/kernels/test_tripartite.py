"""The kernel on sentence pairs: against enumeration, against the paper, and at its limits."""

from __future__ import annotations

import random
import signal
import time
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from oracles import kernels as oracle
from oracles import pairs as pairs_oracle
from oracles.pairs import SentencePair
from sentence_pairs import sentence_pairs
from treekernels import _native
from treekernels.kernels import tripartite

EXACT = ["auto", "inclusion-exclusion"]
ALL = [*EXACT, "max"]

# Figure 3 of the paper.
P1 = (
    "(S (NP (NNS Farmers)) (VP (VB feed) (NP:1 (NNS:1 cows)) "
    "(NP:3 (NN:2 animal) (NNS:3 extracts))))",
    "(S (NP:1 (NNS:1 Cows)) (VP (VB eat) (NP:3 (NN:2 animal) (NNS:3 extracts))))",
)
P2 = (
    "(S:2 (NP:1 (NNS:1 Pediatricians)) (VP:2 (VB:2 suggest) (S (NP (NNS women)) (VP (TO to) "
    "(VP (VB feed) (NP:3 (NNS:3 newborns)) (NP:4 (NN:5 breast) (NN:4 milk)))))))",
    "(S:2 (NP:1 (NNS:1 Pediatricians)) (VP:2 (VB:2 suggest) (SBAR (IN that) "
    "(S (NP:3 (NNS:3 newborns)) (VP (VB eat) (NP:4 (NN:5 breast) (NN:4 milk)))))))",
)
# Figure 5.
PA = (
    "(A:1 (B:1 (B:1) (B:2)) (C:1 (C:1) (C:2)))",
    "(I:1 (M:1 (M:2) (M:1)) (N:1 (N:2) (N:1)))",
)
PB = (
    "(A:1 (B:1 (B:1) (B:2)) (C:1 (C:1) (C:3)))",
    "(I:1 (M:1 (M:3) (M:1)) (N:1 (N:2) (N:1)))",
)


def parsed(pair: tuple[str, str]) -> SentencePair:
    return oracle.parse(pair[0]), oracle.parse(pair[1])


def as_pairs(examples: list[SentencePair]) -> tk.Pairs:
    return tk.Pairs([text for text, _ in examples], [hypothesis for _, hypothesis in examples])


def value(a: tuple[str, str], b: tuple[str, str], **parameters: Any) -> float:
    kernel = tk.TripartiteKernel(normalize=False, **parameters)
    return float(kernel([a], [b])[0, 0])


def renumbered(tree: oracle.Tree, numbers: dict[str, str]) -> oracle.Tree:
    name, number = pairs_oracle.split(tree[0])
    label = name if number is None else f"{name}:{numbers[number]}"
    return (label, *(renumbered(child, numbers) for child in tree[1:]))


@given(st.lists(sentence_pairs(), min_size=1, max_size=4), st.sampled_from([1.0, 0.5, 0.25]))
def test_equals_enumeration(examples: list[SentencePair], decay: float) -> None:
    expected = [
        [float(pairs_oracle.kernel(a, b, Fraction(decay))) for b in examples] for a in examples
    ]
    for algorithm in EXACT:
        kernel = tk.TripartiteKernel(decay, normalize=False, algorithm=algorithm)
        pairs = as_pairs(examples)
        np.testing.assert_allclose(kernel(pairs), expected, rtol=1e-12)
        np.testing.assert_allclose(kernel(pairs, pairs[:]), expected, rtol=1e-12)
        np.testing.assert_allclose(kernel.diag(pairs), np.diagonal(expected), rtol=1e-12)


@given(sentence_pairs(), sentence_pairs())
def test_oracle_equals_the_formula_of_the_paper(a: SentencePair, b: SentencePair) -> None:
    decay = Fraction(2, 5)
    expected = pairs_oracle.kernel(a, b, decay)
    assert pairs_oracle.agreeing(a, b, decay) == expected
    assert pairs_oracle.inclusion_exclusion(a, b, decay) == expected
    assert pairs_oracle.maximum(a, b, decay) <= expected


@given(sentence_pairs(), sentence_pairs())
def test_maximum(a: SentencePair, b: SentencePair) -> None:
    pairs = as_pairs([a, b])
    best = tk.TripartiteKernel(0.5, normalize=False, algorithm="max")(pairs)
    expected = float(pairs_oracle.maximum(a, b, Fraction(1, 2)))
    assert best[0, 1] == pytest.approx(expected, rel=1e-12)
    itself = float(pairs_oracle.maximum(a, a, Fraction(1, 2)))
    assert best[0, 0] == pytest.approx(itself, rel=1e-12)
    exact = tk.TripartiteKernel(0.5, normalize=False)(pairs)
    assert (best <= exact * (1 + 1e-12)).all()


def test_constraints_of_the_paper() -> None:
    """Section 4.4: the alternatives of figure 5 and of figure 3.

    For figure 3 the paper has {(1, 1)} and {(1, 3), (3, 4), (2, 5)}: its NN NNS matches NN NN, and
    (3, 4), which contradicts neither, is in one of them only, so that a common rule would be lost.
    """

    def alternatives(a: tuple[str, str], b: tuple[str, str]) -> set[frozenset[tuple[int, int]]]:
        constraints = tk.TripartiteKernel().constraints(a, b)
        return {frozenset(c.placeholders) for c in constraints if c.is_alternative}

    assert alternatives(P1, P2) == {frozenset({(1, 1), (3, 4)}), frozenset({(1, 3), (3, 4)})}
    assert alternatives(PA, PB) == {frozenset({(1, 1), (2, 2)}), frozenset({(1, 1), (2, 3)})}
    shared = tk.TripartiteKernel().constraints(PA, PB)[2]
    assert shared.placeholders == ((1, 1),)
    assert (shared.is_alternative, shared.multiplicity) == (False, -1)


@given(sentence_pairs(), sentence_pairs(), st.sampled_from([1.0, 0.5]))
def test_constraints(a: SentencePair, b: SentencePair, decay: float) -> None:
    constraints = tk.TripartiteKernel(decay).constraints(a, b)
    total = sum(c.multiplicity * c.texts * c.hypotheses for c in constraints)
    assert total == pytest.approx(float(pairs_oracle.kernel(a, b, decay)), rel=1e-12)
    as_text = {frozenset((str(x), str(y)) for x, y in c.placeholders): c for c in constraints}
    for pairs, c in as_text.items():
        assert pairs_oracle.is_one_to_one(pairs)
        if c.is_alternative:
            assert c.texts * c.hypotheses > 0
            assert not any(pairs < other for other in as_text)
        for side, side_value in zip((0, 1), (c.texts, c.hypotheses), strict=True):
            expected = pairs_oracle.restricted(a[side], b[side], pairs, decay)
            assert side_value == pytest.approx(float(expected), rel=1e-12)
    # Whatever a common rule asks for is within one of the alternatives.
    largest = [pairs for pairs, c in as_text.items() if c.is_alternative]
    for induced in pairs_oracle.alternatives(a, b):
        assert any(induced <= pairs for pairs in largest)


@pytest.mark.parametrize("algorithm", EXACT)
def test_rooted_example_of_the_paper(algorithm: str) -> None:
    """Figure 4: four common rules under each of two constraints, one of them under both."""
    a, b = parsed(PA), parsed(PB)
    assert pairs_oracle.kernel(a, b, rooted=True) == 7
    first = frozenset({("1", "1"), ("2", "2")})
    second = frozenset({("1", "1"), ("2", "3")})
    assert pairs_oracle.alternatives(a, b) == {first, second}
    counts = pairs_oracle.multiplicities({first, second})
    assert counts == {first: 1, second: 1, first & second: -1, frozenset(): 0}
    expected = pairs_oracle.kernel(a, b)
    assert pairs_oracle.inclusion_exclusion(a, b) == expected
    assert value(PA, PB, decay=1.0, algorithm=algorithm) == expected


@pytest.mark.parametrize("plural", [False, True])
def test_sentences_of_the_paper(plural: bool) -> None:
    """Figure 3, and as the text of section 4.4.1 has it, where the milk is a plural too."""
    other = tuple(side.replace("NN:4", "NNS:4") for side in P2) if plural else P2
    a, b = parsed(P1), parsed(other)
    if plural:
        assert pairs_oracle.alternatives(a, b) == {
            frozenset({("1", "1"), ("3", "4"), ("2", "5")}),
            frozenset({("1", "3"), ("3", "4"), ("2", "5")}),
        }
    expected = float(pairs_oracle.agreeing(a, b, Fraction(2, 5)))
    for algorithm in EXACT:
        assert value(P1, other, algorithm=algorithm) == pytest.approx(expected, rel=1e-12)


@given(sentence_pairs(10), sentence_pairs(10), st.sampled_from([0.4, 1.0]))
def test_no_placeholders_gives_the_product(a: SentencePair, b: SentencePair, decay: float) -> None:
    pairs = as_pairs([a, b]).plain()
    subset = tk.SubsetTreeKernel(decay, normalize=False)
    expected = subset(pairs.texts) * subset(pairs.hypotheses)
    for algorithm in ALL:
        kernel = tk.TripartiteKernel(decay, normalize=False, algorithm=algorithm)
        np.testing.assert_allclose(kernel(pairs), expected, rtol=1e-12)


@given(sentence_pairs(10), sentence_pairs(10), st.permutations(["1", "2", "3"]))
def test_names_of_placeholders_do_not_matter(
    a: SentencePair, b: SentencePair, order: list[str]
) -> None:
    numbers = dict(zip(["1", "2", "3"], (str(10 ** int(n)) for n in order), strict=True))
    other = (renumbered(a[0], numbers), renumbered(a[1], numbers))
    for algorithm in ALL:
        kernel = tk.TripartiteKernel(algorithm=algorithm)
        before, after = kernel(as_pairs([a, b])), kernel(as_pairs([other, b]))
        np.testing.assert_allclose(before, after, rtol=1e-12)


def random_examples(count: int, seed: int, nodes: int = 25, most: int = 5) -> tk.Pairs:
    rng = random.Random(seed)
    labels = ["A", "B", "C", "x"]

    def tree(size: int) -> str:
        texts = dict.fromkeys(range(size), "")
        children: list[list[int]] = [[] for _ in range(size)]
        for node in range(1, size):
            children[rng.randrange(max(0, node - 4), node)].append(node)
        for node in reversed(range(size)):
            anchor = f":{rng.randint(1, most)}" if rng.random() < 0.3 else ""
            below = " ".join(texts[child] for child in children[node])
            texts[node] = f"({rng.choice(labels)}{anchor} {below})".replace(" )", ")")
        return texts[0]

    return tk.Pairs([tree(nodes) for _ in range(count)], [tree(nodes // 2) for _ in range(count)])


@pytest.mark.parametrize("algorithm", EXACT)
@pytest.mark.parametrize("count", [3, 15, 16, 17, 40])
def test_productions_with_many_placeholders(algorithm: Any, count: int) -> None:
    """They match if a renaming makes them equal: where one repeats a number, the other must too."""

    def production(numbers: list[int]) -> str:
        return "(R " + " ".join(f"X:{n}" for n in numbers) + ")"

    names = [*range(count), 0, count - 1]
    renamed = [7 * n + 1 for n in names]
    repeated = [1 if n == 0 else n for n in names]
    texts = [production(numbers) for numbers in (names, renamed, repeated)]
    pairs = tk.Pairs(texts, ["(H h)"] * 3)
    kernel = tk.TripartiteKernel(decay=0.5, normalize=False, algorithm=algorithm)
    expected = [[0.25, 0.25, 0], [0.25, 0.25, 0], [0, 0, 0.25]]
    np.testing.assert_allclose(kernel(pairs), expected)


@pytest.mark.parametrize("depth", [0, 1, 2, 10, 63, 64, 65, 70])
def test_what_lies_below_a_placeholder(depth: int) -> None:
    """Plain nodes down to some depth, and there the same placeholder, another, or none."""

    def below(node: str) -> str:
        return "(P " * depth + node + ")" * depth

    ends = ["(D d)", "(D:1 d)", "(D:2 d)", "(D:3 d)", "(E (D:1 d) (D:2 d))", "(E (D:2 d) (D:1 d))"]
    texts = [f"(A:{i % 2 + 1} (B b) {below(end)} (C:1 c))" for i, end in enumerate(ends)]
    hypotheses = [f"(H {text} (B:2 b))" for text in reversed(texts)]
    pairs = tk.Pairs(texts, hypotheses)
    matrices = [
        tk.TripartiteKernel(algorithm=name)(pairs) for name in ("auto", "inclusion-exclusion")
    ]
    np.testing.assert_allclose(matrices[0], matrices[1], rtol=1e-12)


def test_inclusion_and_exclusion_with_matches_found_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """The form that `benchmarks/bench_pairs.py` compares with."""
    anew: Any = "anew"
    algorithm = _native.PairsAlgorithm.inclusion_exclusion_anew
    monkeypatch.setitem(tripartite._ALGORITHMS, anew, algorithm)
    pairs = random_examples(40, seed=3)
    shared = tk.TripartiteKernel(algorithm="inclusion-exclusion")(pairs)
    assert np.array_equal(tk.TripartiteKernel(algorithm=anew)(pairs), shared)


def star(numbers: Any) -> str:
    """Many children that each have a placeholder below: any subset of them makes a fragment."""
    return "(R " + " ".join(f"(N{i} (X:{n} x{i}))" for i, n in enumerate(numbers)) + ")"


@pytest.mark.parametrize("count", [2, 5, 20, 60])
def test_many_placeholders_that_agree(count: int) -> None:
    """A pair against itself agrees in 2 ** count ways: any subset of the children."""
    decay = 0.4
    trees = [star(range(count))]
    result = tk.TripartiteKernel(decay, normalize=False)(tk.Pairs(trees, trees))[0, 0]
    # Fragments of one child: N alone, N with X, X alone. All constraints are parts of the identity.
    side = decay * (1 + decay * (1 + decay)) ** count + count * (decay * (1 + decay) + decay)
    assert result == pytest.approx(side**2, rel=1e-10)


def test_twenty_placeholders_that_contradict() -> None:
    """By a recurrence over a cycle of contradictions, and within seconds."""
    count, decay = 18, 0.4
    ids, moved = list(range(count)), [(i + 1) % count for i in range(count)]
    pairs = tk.Pairs([star(ids)] * 2, [star(ids), star(moved)])
    start = time.process_time()
    result = tk.TripartiteKernel(decay, normalize=False)(pairs)[0, 1]
    assert time.process_time() - start < 20
    # (i, i) of the texts contradicts (i, i+1) and (i-1, i) of the hypotheses: a cycle. A fragment
    # with the root chooses any children, each weighing `child`; without it, it is one child.
    child, bare = decay * (1 + decay), decay + decay * (1 + decay)
    both = decay**2 * independent_sets(2 * count, child)
    # One child on one side leaves the other side's root all but two of its children.
    one = 2 * count * bare * decay * (1 + child) ** (count - 2)
    neither = bare**2 * count * (count - 2)
    assert result == pytest.approx(both + one + neither, rel=1e-9)


def independent_sets(length: int, weight: float) -> float:
    """The weighted number of independent sets of a cycle, by the transfer matrix."""
    step = np.array([[1.0, 1.0], [weight, 0.0]])
    return float(np.trace(np.linalg.matrix_power(step, length)))


def test_too_many_ways() -> None:
    """What cannot be bounded is given up with a remedy, after seconds."""
    count = 40
    ids, moved = list(range(count)), [(i + 1) % count for i in range(count)]
    pairs = tk.Pairs([star(ids)] * 2, [star(ids), star(moved)])
    with pytest.raises(tk.KernelMemoryError, match="limited"):
        tk.TripartiteKernel()(pairs)
    assert tk.TripartiteKernel()(pairs.limited(5)).shape == (2, 2)
    with pytest.raises(tk.KernelMemoryError, match="limited"):
        tk.TripartiteKernel(algorithm="max")(pairs)


def test_contradictions_far_beyond_the_first_64() -> None:
    """Eight productions, each of which contradicts itself and those that share placeholders."""
    width, productions = 20, range(8)

    def tree(root: str, move: int) -> str:
        parts = [
            f"(R{p} " + " ".join(f"X:{10 * p + (i + move) % width}" for i in range(width)) + ")"
            for p in productions
        ]
        return f"({root} {' '.join(parts)})"

    kernel = tk.TripartiteKernel(normalize=False)
    value = kernel([(tree("A", 0), tree("A", 0))], [(tree("B", 0), tree("B", 1))])[0, 0]
    apart = sum(abs(p - q) >= 2 for p in productions for q in productions)
    assert value == pytest.approx(0.16 * apart)


def test_values_beyond_double() -> None:
    """At decay 1 the number of rules has hundreds of digits; normalised values are right."""
    deep = "(A " * 900 + "(B b) (B b)" + " (B b))" * 900
    other = "(A " * 900 + "(B b) (B c)" + " (B b))" * 900
    pairs = tk.Pairs([deep, other], [deep, deep])
    matrix = tk.TripartiteKernel(decay=1.0)(pairs)
    subset = tk.SubsetTreeKernel(decay=1.0)
    np.testing.assert_allclose(matrix, subset([deep, other]), rtol=1e-9)
    with pytest.raises(tk.KernelOverflowError):
        tk.TripartiteKernel(decay=1.0, normalize=False)(pairs)


def test_long_chain() -> None:
    """No recursion: a hundred thousand nodes deep, a placeholder on each hundredth."""
    labels = [f"N{i % 7919}" + (f":{i}" if i % 100 == 0 else "") for i in range(100_000)]
    text = "".join(f"({label} " for label in labels) + "(x)" + ")" * len(labels)
    pairs = tk.Pairs([text, "(A b)"], ["(A:1 b)", "(A:1 b)"])
    assert tk.TripartiteKernel()(pairs).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert pairs.n_placeholders.tolist() == [1001, 1]


def test_progress_and_interrupt() -> None:
    seen: list[tuple[int, int]] = []
    pairs = random_examples(60, seed=3, nodes=60, most=7)
    tk.TripartiteKernel(algorithm="max")(
        pairs.limited(5), progress=lambda done, total: seen.append((done, total))
    )
    assert all(done <= total for done, total in seen)
    many, told = tk.Pairs.concatenate([pairs] * 20), []

    def press(done: int, total: int) -> None:
        told.append((done, total))
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        tk.TripartiteKernel(algorithm="max")(many, progress=press)
    assert len(told) == 1
