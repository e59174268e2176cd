"""Tiny files of the layout of the tree data sets, for tests where those are not at hand."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

NOUNS = ["dog", "cat", "child", "farmer", "market", "company", "share", "price"]
VERBS = ["saw", "fed", "sold", "bought", "named", "raised"]
PLACES = ["in", "on", "near"]


def make_data(folder: Path, sentences: int = 60) -> Path:
    """Write all files into a folder, and give it."""
    rng = random.Random(0)
    arguments, marked, boundary, trees = [], [], [], []
    for number in range(sentences):
        subject, thing, place, verb = parts(rng)
        trees.append(sentence(subject, thing, place, verb))
        name, voice = f"wsj_{number // 10:04}.{number % 10}", "VBN" if number % 4 == 0 else "VBD"
        predicate = f"({voice} {verb})"
        for label, tree in (
            ("ARG0", f"(S {subject} (VP {predicate}))"),
            ("ARG1", f"(VP {predicate} {thing})"),
            ("ARGM", f"(VP {predicate} {place})"),
        ):
            which = {"ARG0": subject, "ARG1": thing, "ARGM": place}[label]
            arguments.append((label, name, tree))
            kind, rest = which[1:].split(" ", 1)
            marked.append((label, name, tree.replace(which, f"({kind}-B {rest}")))
            boundary.append(("+1", name, tree))
            boundary.append(("-1", name, tree.replace(which, f"({kind} (NN {rng.choice(NOUNS)}))")))
        if voice == "VBN":
            boundary.append(("-1", name, f"(VP (VBD was) (VP {predicate}))"))
    for corpus in ("propbank", "ewt", "masc"):
        write(folder, f"{corpus}.args", arguments)
        write(folder, f"{corpus}.args.marked", marked)
        write(folder, f"{corpus}.boundary", boundary)
    write(folder, "framenet.args", [(*argument, "Frame") for argument in arguments])
    write(folder, "treebank", [(tree,) for tree in trees], end="trees.gz")
    for part in ("train", "test"):
        write(folder, f"qc.{part}", [question(rng) for _ in range(sentences)])
    for challenge in (1, 2, 3, 5):
        for part in ("dev", "test"):
            write_pairs(
                folder, f"rte{challenge}.{part}", [entailment(rng) for _ in range(sentences)]
            )
    for part in ("train", "trial", "test"):
        write_pairs(folder, f"sick.{part}", [relatedness(rng) for _ in range(sentences)])
    for year in ("05", "06"):
        write(folder, f"inex{year}.train", [document(rng) for _ in range(sentences)])
    write_programs(folder, rng, sentences)
    return folder


def parts(rng: random.Random) -> tuple[str, str, str, str]:
    nouns = [f"(NP (DT {rng.choice(['the', 'a'])}) (NN {rng.choice(NOUNS)}))" for _ in range(3)]
    return nouns[0], nouns[1], f"(PP (IN {rng.choice(PLACES)}) {nouns[2]})", rng.choice(VERBS)


def sentence(subject: str, thing: str, place: str, verb: str) -> str:
    return f"(S {subject} (VP (VBD {verb}) {thing} {place}))"


def question(rng: random.Random) -> tuple[str, str, str]:
    label, word = rng.choice([("HUM", "Who"), ("LOC", "Where"), ("NUM", "When")])
    subject, thing, _, verb = parts(rng)
    tree = f"(SBARQ (WHNP (WP {word})) (SQ (VBD did) {subject} (VP (VB {verb}) {thing})))"
    return label, "other", tree


def entailment(rng: random.Random) -> tuple[str, str, str]:
    label = rng.choice("01")
    one, two = rng.sample(NOUNS, 2)
    first, second = f"(NP:1 (NN:1 {one}))", f"(NP:2 (NN:2 {two}))"
    verb = rng.choice(VERBS)
    text = f"(S {first} (VP (VBD {verb}) {second} (PP (IN in) (NP (NN {rng.choice(NOUNS)})))))"
    hypothesis = (first, second) if label == "1" else (second, first)
    return label, text, f"(S {hypothesis[0]} (VP (VBD {verb}) {hypothesis[1]}))"


def relatedness(rng: random.Random) -> tuple[str, ...]:
    label, text, hypothesis = entailment(rng)
    kind = "ENTAILMENT" if label == "1" else rng.choice(["NEUTRAL", "CONTRADICTION"])
    return kind, text, hypothesis, f"{rng.uniform(1, 5):.1f}", str(rng.randrange(10_000))


def document(rng: random.Random) -> tuple[str, str]:
    label, kind = rng.choice([("1", "book"), ("2", "song")])
    return label, f"({kind} (title {rng.choice('ab')}) {'(p x) ' * rng.randint(1, 4)})"


def write_programs(folder: Path, rng: random.Random, count: int) -> None:
    """Write programs in C++ and Java, and pairs of the latter."""
    loops = ["while (n > 0) n--;", "for (int i = 0; i < n; i++) s += i;"]

    def program(frame: str) -> dict[str, str | int]:
        problem = rng.randrange(2)
        body = " ".join([loops[problem]] * rng.randint(1, 3))
        return {"problem": problem, "source": frame % (rng.randrange(9), body)}

    java = "class A { int f(int n) { int s = %d; %s return s; } }"
    cpp = "int f(int n) { int s = %d; %s return s; }"
    for name, frame in (("poj104.train", cpp), ("poj104.valid", cpp), ("gcj.java", java)):
        write_lines(folder, name, [program(frame) for _ in range(count)])
    pairs = [(program(java), program(java)) for _ in range(count)]
    found = [
        {"part": "test", "source_1": a["source"], "source_2": b["source"]}
        | {"plagiarized": int(a["problem"] == b["problem"])}
        for a, b in pairs
    ]
    write_lines(folder, "conplag.java", found)


def write_lines(folder: Path, name: str, rows: Iterable[object]) -> None:
    with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def write_pairs(folder: Path, name: str, pairs: Sequence[Sequence[str]]) -> None:
    """Write pairs with placeholders, and the same without."""
    write(folder, f"{name}.anchored", pairs)
    plain = [[column.replace(":1", "").replace(":2", "") for column in pair] for pair in pairs]
    write(folder, name, plain)


def write(folder: Path, name: str, rows: Iterable[Iterable[str]], end: str = "tsv.gz") -> None:
    with gzip.open(folder / f"{name}.{end}", "wt", encoding="utf-8") as file:
        file.writelines("\t".join(row) + "\n" for row in rows)
