"""Code as trees by tree-sitter, against the same by definition."""

from __future__ import annotations

from typing import Any

import pytest

import treekernels as tk
from oracles.code_syntax import code_tree
from treekernels import readers
from treekernels.io.readers.code.treesitter import parse_code

JAVA = """
/** é */ @A(x = 1)
class Sum<T extends Comparable<T>> implements I {
    int f(final int[] numbers, String... rest) throws E {
        int sum = 0, b = -1; // adds up
        for (int number : numbers) { sum += number; i++; }
        try (Reader r = open("a\\n" + 'c')) { return sum > 2.5 ? ~sum : (int) sum >>> 1; }
        catch (E | F e) { Arrays.sort(numbers, (x, y) -> this.y = x instanceof T); }
    }
}
"""
JAVASCRIPT = """
// é
async function* f(a, {b, c: [d]}, ...e) { yield `x${a ?? b}y` in /r+/g; delete a.b?.c; }
class A extends B { static #x = typeof 1; get y() { return !this.#x && new.target; } }
for (const [k, v] of Object.entries(x)) { if (!(k in v)) continue; else a = k, b **= void 0; }
"""
OPTIONS: list[dict[str, Any]] = [
    {},
    {"tokens": True, "comments": True},
    {"operators": False, "literals": False},
    {"names": "foreign", "literals": False},
    {"names": "none", "comments": True},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize(("language", "source"), [("java", JAVA), ("javascript", JAVASCRIPT)])
def test_trees_are_those_of_the_definition(
    language: str, source: str, options: dict[str, Any]
) -> None:
    pytest.importorskip(f"tree_sitter_{language}", reason="tree-sitter is not installed")
    # Whole, cut off in the middle, with a part missing, and with nothing that belongs there.
    for text in (source, source[: len(source) // 2], source.replace(")", "", 1), "\\ \0 )", ""):
        root = parse_code(text.encode(), language, True, "a source")
        expected = tk.Forest.from_trees([code_tree(root, **options)])
        assert readers.from_tree_sitter(root, **options) == expected[0]
        assert readers.from_code(text, language, errors=True, **options) == expected[0]
