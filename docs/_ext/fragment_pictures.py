"""Pictures of a tree and of all its fragments under a kernel, drawn when the pages are built.

The fragments are listed by the oracles of the test suite (`tests/oracles`), which know
nothing of the formulas of the fast kernels, and drawn by `treekernels.drawing`.

    ```{fragments} subset
    :with: (NP (D the) (N cat))

    (NP (D the) (N dog))
    ```

draws the tree, the one to compare it with, and the fragments of the first; those that the second
has too are marked.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import treekernels as tk
from oracles import kernels as oracle
from oracles import pairs as pairs_oracle
from treekernels.drawing import svg_of_several

Tree = oracle.Tree
_FEATURES = {
    "subtree": oracle.subtree_features,
    "subset": oracle.subset_features,
    "partial": oracle.partial_features,
    "elastic": oracle.elastic_features,
    "ordered": oracle.ordered_features,
}
_LARGE = 1000  # as decay, makes the coefficients of a polynomial the digits of a number


def features(kind: str, tree: Tree) -> dict[Tree, str]:
    """Give the fragments of a tree, each with its weight as a formula in HTML."""
    if kind == "paths":
        return dict.fromkeys(paths(tree), "")
    enumerate_ = _FEATURES[kind]
    two = {"vertical_decay": 3} if kind == "partial" else {}
    weights = enumerate_(tree, decay=2, **two)
    sides = enumerate_(tree, decay=_LARGE)
    found = {}
    for fragment, weight in weights.items():
        side = _polynomial(int(sides[fragment].side))
        shared = _powers(int(weight.shared))
        found[fragment] = f"{shared} · {side}" if side != "1" else shared
    return found


def paths(tree: Tree) -> list[Tree]:
    """Give the ways down from any node to any node below it, as trees without branches."""
    here = [(tree[0], *tail) for child in tree[1:] for tail in [(path,) for path in _ways(child)]]
    below = [path for child in tree[1:] for path in paths(child)]
    return [(tree[0],), *here, *below]


def _ways(tree: Tree) -> list[Tree]:
    return [(tree[0],), *((tree[0], way) for child in tree[1:] for way in _ways(child))]


def _powers(number: int) -> str:
    """Write 2**a * 3**b as powers of lambda and mu."""
    texts = []
    for prime, letter in ((3, "μ"), (2, "λ")):
        exponent = 0
        while number % prime == 0:
            number //= prime
            exponent += 1
        if exponent:
            texts.append(letter if exponent == 1 else f"{letter}<sup>{exponent}</sup>")
    return "".join(texts) or "1"


def _polynomial(number: int) -> str:
    """Write the digits of a number to the base of 1000 as a polynomial of lambda."""
    terms = []
    exponent = 0
    while number:
        number, digit = divmod(number, _LARGE)
        power = ["", "λ"][exponent] if exponent < 2 else f"λ<sup>{exponent}</sup>"
        if digit:
            terms.append(f"{digit if digit > 1 or not power else ''}{power}")
        exponent += 1
    return terms[0] if len(terms) == 1 else f"({' + '.join(terms)})"


def _svg(trees: Iterable[Tree], title: str) -> str:
    return svg_of_several(tk.Forest.from_trees(list(trees)), title=title)


def _card(picture: str, weight: str, shared: bool) -> str:
    label = f"<figcaption>{weight}</figcaption>" if weight else ""
    return f'<figure class="fragment{" shared" if shared else ""}">{picture}{label}</figure>'


def _size(fragment: Tree) -> tuple[int, str]:
    return len(oracle.nodes(fragment)), oracle.to_brackets(fragment)


class Fragments(SphinxDirective):
    """A tree (or a sentence pair, on two lines) and all its fragments."""

    required_arguments = 1
    has_content = True
    option_spec = {"with": directives.unchanged}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """Draw them."""
        kind = self.arguments[0]
        texts = [line for line in self.content if line.strip()]
        draw = self._rules if kind == "rules" else self._fragments
        return [nodes.raw("", draw(kind, texts), format="html")]

    def _fragments(self, kind: str, texts: list[str]) -> str:
        tree = oracle.parse(texts[0])
        found = features(kind, tree)
        trees, shared = [tree], {}
        if "with" in self.options:
            trees.append(oracle.parse(self.options["with"]))
            shared = features(kind, trees[1])
        cards = [
            _card(_svg([one], oracle.to_brackets(one)), found[one], one in shared)
            for one in sorted(found, key=_size)
        ]
        count = f"{len(found)} fragments"
        if shared:
            count += f", {len(found.keys() & shared.keys())} of them shared"
        titles = " and ".join(oracle.to_brackets(one) for one in trees)
        return _page(_svg(trees, titles), count, cards)

    def _rules(self, kind: str, texts: list[str]) -> str:
        pair = (oracle.parse(texts[0]), oracle.parse(texts[1]))
        found = pairs_oracle.rules(pair)
        cards = []
        for text, hypothesis in sorted(found, key=lambda rule: [_size(side) for side in rule]):
            weight = pairs_oracle.productions(text) + pairs_oracle.productions(hypothesis)
            cards.append(
                _card(_arrow(*map(_with_variables, (text, hypothesis))), _powers(2**weight), False)
            )
        return _page(_arrow(*pair), f"{len(found)} rewrite rules", cards)


def _with_variables(tree: Tree) -> Tree:
    """Write placeholders as variables, as `treekernels.explain` does."""
    name, number = pairs_oracle.split(tree[0])
    label = name if number is None else f"{name}:{'XYZ'[int(number)]}"
    return (label, *map(_with_variables, tree[1:]))


def _arrow(text: Tree, hypothesis: Tree) -> str:
    sides = [_svg([side], oracle.to_brackets(side)) for side in (text, hypothesis)]
    return f'<div class="rule">{sides[0]}<span>→</span>{sides[1]}</div>'


def _page(whole: str, count: str, cards: list[str]) -> str:
    return (
        f'<div class="fragments"><div class="whole">{whole}</div>'
        f'<p class="count">{escape(count)}</p><div class="cards">{"".join(cards)}</div></div>'
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("fragments", Fragments)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
