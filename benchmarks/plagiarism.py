"""Programs in Java changed as people change what they hand in as their own, for benchmarks.

Each change edits the text where the syntax tree says so. The programs need not compile afterwards,
but they parse.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import tree_sitter
import tree_sitter_java

__all__ = ["CHANGES", "TEMPLATE", "split_over_files"]

_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_java.language()))
_Edits = list[tuple[int, int, bytes]]

TEMPLATE = """
import java.util.*;

/** Given to everybody: reads numbers, and keeps count of them. */
class CourseReader {
    private final Scanner scanner;
    private int count = 0;

    CourseReader(Scanner scanner) {
        this.scanner = scanner;
    }

    int[] readNumbers(int howMany) {
        int[] numbers = new int[howMany];
        for (int i = 0; i < howMany; i++) {
            if (!scanner.hasNextInt()) {
                throw new IllegalStateException("number " + i + " is missing");
            }
            numbers[i] = scanner.nextInt();
            count += 1;
        }
        return numbers;
    }

    Map<String, List<Integer>> readTable() {
        Map<String, List<Integer>> table = new HashMap<>();
        while (scanner.hasNext()) {
            String key = scanner.next();
            if (!table.containsKey(key)) {
                table.put(key, new ArrayList<>());
            }
            do {
                table.get(key).add(scanner.nextInt());
                count++;
            } while (scanner.hasNextInt());
        }
        return table;
    }

    static long checksum(int[] numbers, long modulus) {
        long sum = 17;
        for (int number : numbers) {
            sum = (sum * 31 + (number ^ (number >>> 7))) % modulus;
        }
        return sum < 0 ? sum + modulus : sum;
    }

    int count() {
        return count;
    }
}
"""


def _nodes(source: bytes) -> list[Any]:
    found, stack = [], [_PARSER.parse(source).root_node]
    while stack:
        node = stack.pop()
        found.append(node)
        stack.extend(reversed(node.children))
    return found


def _edited(source: bytes, edits: _Edits) -> bytes:
    """Apply edits from the end; one inside another is dropped."""
    first = len(source) + 1
    for begin, end, text in sorted(edits, key=lambda edit: (edit[0], -edit[1]), reverse=True):
        if end <= first:
            source = source[:begin] + text + source[end:]
            first = begin
    return source


def renamed(source: bytes, rng: random.Random) -> bytes:
    """Give other names to everything that is declared, and other values to literals."""
    nodes = _nodes(source)
    kinds = ("variable_declarator", "formal_parameter", "method_declaration", "class_declaration")
    names = set()
    for node in nodes:
        name = node.child_by_field_name("name") if node.type in kinds else None
        if name is not None and name.text != b"main":
            names.add(name.text)
    new = {name: b"%s%d" % (rng.choice([b"value", b"my", b"tmp", b"x"]), i)
           for i, name in enumerate(sorted(names))}  # fmt: skip
    return _edited(
        source,
        [
            (node.start_byte, node.end_byte, new[node.text])
            for node in nodes
            if node.type in ("identifier", "type_identifier") and node.text in new
        ],
    )


def functions_reordered(source: bytes, rng: random.Random) -> bytes:
    """Shuffle the members of classes."""
    return _shuffled(source, rng, "class_body", lambda node: node.is_named, whole=True)


def statements_reordered(source: bytes, rng: random.Random) -> bytes:
    """Swap neighbours among the declarations and simple statements of a block, half of them."""
    simple = ("local_variable_declaration", "expression_statement")
    edits: _Edits = []
    for block in _nodes(source):
        if block.type != "block":
            continue
        below = [child for child in block.children if child.is_named]
        place = 0
        while place + 1 < len(below):
            one, other = below[place : place + 2]
            if one.type in simple and other.type in simple and rng.random() < 0.5:
                edits.append((one.start_byte, one.end_byte, other.text))
                edits.append((other.start_byte, other.end_byte, one.text))
                place += 1
            place += 1
    return _edited(source, edits)


def _shuffled(
    source: bytes, rng: random.Random, kind: str, wanted: Callable[[Any], bool], *, whole: bool
) -> bytes:
    edits: _Edits = []
    for body in _nodes(source):
        if body.type == kind:
            members = [child for child in body.children if wanted(child)]
            texts = [member.text for member in members]
            rng.shuffle(texts)
            edits += [
                (member.start_byte, member.end_byte, text)
                for member, text in zip(members, texts, strict=True)
            ]
    # Classes may be in others: only the outermost are shuffled.
    return _edited_outermost(source, edits) if whole else _edited(source, edits)


def _edited_outermost(source: bytes, edits: _Edits) -> bytes:
    kept: _Edits = []
    for edit in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if not kept or edit[0] >= kept[-1][1]:
            kept.append(edit)
    return _edited(source, kept)


def loops_changed(source: bytes, rng: random.Random) -> bytes:
    """Write every innermost for loop as a while loop, and every such while loop as a for loop."""
    edits: _Edits = []
    for node in _nodes(source):
        if node.type not in _LOOPS or _has_loop(node):
            continue
        body = node.child_by_field_name("body")
        inside = body.text.strip().removeprefix(b"{").removesuffix(b"}")
        if node.type == "while_statement":
            condition = node.child_by_field_name("condition").text[1:-1]
            text = b"for (; %s; ) { %s }" % (condition, inside)
        else:
            fields = [node.child_by_field_name(name) for name in ("init", "condition", "update")]
            first, condition, step = (b"" if part is None else part.text for part in fields)
            first = first.rstrip(b";") + b";" if first else b""
            step = step + b";" if step else b""
            text = b"{ %s while (%s) { %s %s } }" % (first, condition or b"true", inside, step)
        edits.append((node.start_byte, node.end_byte, text))
    return _edited(source, edits)


_LOOPS = ("for_statement", "while_statement")


def _has_loop(loop: Any) -> bool:
    """Whether there is another loop inside."""
    stack = list(loop.child_by_field_name("body").children)
    while stack:
        node = stack.pop()
        if node.type in _LOOPS:
            return True
        stack.extend(node.children)
    return False


_DEAD = [
    "int unused{n} = {n} * 7 % 13;",
    "if (Math.abs({n}) > 1000000) {{ System.err.println(\"never {n}\"); }}",
    "for (int k{n} = 0; k{n} < 0; k{n}++) {{ System.err.print(k{n} + {n}); }}",
    "String note{n} = \"step \" + {n}; note{n} = note{n}.trim();",
    "long started{n} = System.nanoTime(); started{n} += {n};",
]  # fmt: skip


def dead_code(source: bytes, rng: random.Random) -> bytes:
    """Put statements that do nothing behind a third of the others."""
    kinds = ("local_variable_declaration", "expression_statement", "if_statement")
    edits: _Edits = []
    for node in _nodes(source):
        if node.type in kinds and node.parent.type == "block" and rng.random() < 1 / 3:
            text = rng.choice(_DEAD).format(n=rng.randrange(1000)).encode()
            edits.append((node.end_byte, node.end_byte, b"\n" + text))
    return _edited(source, edits)


def half_taken(source: bytes, rng: random.Random) -> bytes:
    """Keep every other member of the outermost class, the largest first."""
    body = next((node for node in _nodes(source) if node.type == "class_body"), None)
    members = [] if body is None else [child for child in body.children if child.is_named]
    members.sort(key=lambda member: member.end_byte - member.start_byte)
    dropped = members[0::2][: max(0, len(members) - 1)] if len(members) > 1 else []
    return _edited(source, [(node.start_byte, node.end_byte, b"") for node in dropped])


def everything(source: bytes, rng: random.Random) -> bytes:
    """Change names, order, loops, and add dead code."""
    for change in (renamed, functions_reordered, statements_reordered, loops_changed, dead_code):
        source = change(source, rng)
    return source


CHANGES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "names and literals": renamed,
    "order of functions": functions_reordered,
    "order of statements": statements_reordered,
    "loops": loops_changed,
    "dead code": dead_code,
    "half of it taken": half_taken,
    "all of these": everything,
}


def split_over_files(source: bytes, rng: random.Random) -> dict[str, bytes]:
    """Give every member of the outermost class a file of its own, in random order."""
    body = next((node for node in _nodes(source) if node.type == "class_body"), None)
    members = [] if body is None else [child for child in body.children if child.is_named]
    if len(members) < 2:
        return {"Main.java": source}
    texts = [member.text for member in members]
    rng.shuffle(texts)
    return {
        f"Part{number}.java": b"class Part%d {\n%s\n}\n" % (number, text)
        for number, text in enumerate(texts)
    }
