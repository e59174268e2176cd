"""Mistakes that are drawn at random: a sign, a word or a number of some line, or a line left out.

The same seed draws the same ones from the same sources.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

from mutations.mutation import ROOT, Mutation

_SWAPPED = {
    "==": "!=",
    "!=": "==",
    "<=": "<",
    ">=": ">",
    "<": "<=",
    ">": ">=",
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "+=": "-=",
    "-=": "+=",
    "&&": "||",
    "||": "&&",
    "and": "or",
    "or": "and",
    "min": "max",
    "max": "min",
    "True": "False",
    "False": "True",
    "true": "false",
    "false": "true",
    "continue": "break",
    "break": "continue",
}
# Signs stand between blanks in both languages, unlike those of templates, pointers and slices.
_SIGN = re.compile(r"(?<= )(==|!=|<=|>=|\+=|-=|&&|\|\||[<>+\-*/])(?= )")
# zip(..., strict=True) can only be seen where something else is wrong already.
_WORD = re.compile(
    r"\b(?<!strict=)(and|or|min|max|True|False|true|false|continue|break)\b(?![\w.]*=)"
)
_NUMBER = re.compile(r"(?<![\w.\"'])(\d{1,4})(?![\w.\"'])")
_STATEMENT = re.compile(r"\s+[\w.\[\]>-]+ (?:\+=|-=|=) [^({\[]*;?\s*|\s+[\w.>-]+\([^{}]*\);?\s*")
_NO_CODE = re.compile(
    r"\s*(?:#|//|\*|import |from |@|template|static_assert|raise |throw |assert )"
)
_WITHIN_TEXT = re.compile(r'"[^"]*"|//.*|  #.*')

# Which tests look at a room; those of its own name come first where there are some.
_TESTS = {
    "cpp/bind": ("data", "io", "kernels", "search"),
    "cpp/core": ("data", "io", "kernels"),
    "cpp/distance": ("distance", "search"),
    "cpp/embedding": ("embeddings",),
    "cpp/explanation": ("explanation",),
    "cpp/gram": ("kernels",),
    "cpp/kernels": ("kernels", "learners"),
    "cpp/learners": ("learners",),
    "cpp/models": ("learners",),
    "cpp/search": ("search",),
    "cpp/structures": ("structures",),
}


def drawn(count: int, seed: int) -> list[Mutation]:
    """Return so many mistakes, no two in one line."""
    rng = random.Random(seed)
    files = [
        path
        for folder, pattern in (("src/treekernels", "*.py"), ("cpp", "*.[ch]pp"))
        for path in sorted((ROOT / folder).rglob(pattern))
        if not {"tests", "fuzz"} & set(path.relative_to(ROOT).parts)
    ]
    places = [(path, line) for path in files for line in _lines_of_code(path)]
    mistakes: list[Mutation] = []
    for path, line in rng.sample(places, len(places)):
        if len(mistakes) == count:
            break
        if (mistake := _mistake(rng, path, line)) is not None:
            mistakes.append(mistake)
    return mistakes


def _lines_of_code(path: Path) -> Iterator[int]:
    """Yield the numbers of lines that are neither comments nor texts."""
    inside = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        quotes = line.count('"""')
        if not inside and not quotes and line.startswith(" ") and not _NO_CODE.match(line):
            yield number
        inside ^= quotes % 2 == 1


def _mistake(rng: random.Random, path: Path, number: int) -> Mutation | None:
    """Return a mistake in a line, or None where there is nothing to change."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    line = lines[number]
    hidden = _WITHIN_TEXT.sub(lambda part: "\0" * len(part[0]), line)
    changed = [
        (match[0], line[: match.start()] + _SWAPPED[match[0]] + line[match.end() :])
        for pattern in (_SIGN, _WORD)
        for match in pattern.finditer(hidden)
    ]
    changed += [
        (match[0], f"{line[: match.start()]}{int(match[0]) + 1}{line[match.end() :]}")
        for match in _NUMBER.finditer(hidden)
    ]
    if _STATEMENT.fullmatch(line):
        indent = line[: len(line) - len(line.lstrip())]
        left_out = f"{indent}pass\n" if path.suffix == ".py" else f"{indent};\n"
        changed.append(("left out", left_out))
    if not changed:
        return None
    what, replacement = rng.choice(changed)
    # With the lines around it, as many as it takes to find this one.
    before = after = 0
    while text.count("".join(lines[number - before : number + after + 1])) != 1:
        before, after = min(before + 1, number), min(after + 1, len(lines) - number - 1)
    around = lines[number - before : number], lines[number + 1 : number + after + 1]
    file = path.relative_to(ROOT).as_posix()
    return Mutation(
        f"line {number + 1}, {what}",
        file,
        "".join([*around[0], line, *around[1]]),
        "".join([*around[0], replacement, *around[1]]),
        _tests_of(file),
    )


def _tests_of(file: str) -> tuple[str, ...]:
    """Return the folders of tests for the room of a file."""
    parts = Path(file).parts
    if parts[0] == "cpp":
        rooms = _TESTS["/".join(parts[:2])]
    else:
        room = parts[2] if len(parts) > 3 else ""
        rooms = (room,) if (ROOT / "tests" / room).is_dir() and room else ("io", "data")
    return ("-m", "not slow and not serial", *(f"tests/{room}" for room in rooms))
