"""What parsers have said, kept in a folder, so that no text is parsed a second time.

There is a folder in it for each parser and version. What a run has parsed is written to a new file
there, which appears when it is whole: so any number of processes may read and write at once. Each
line has the digest of a text, a checksum, and the sentences of that text. They are kept before they
get a shape, so that another shape needs no parser. A line or file that is damaged, or that another
version wrote, is passed over: its text is parsed again.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from treekernels.errors import ParameterError
from treekernels.io.files.atomic import write_lines
from treekernels.io.reading.trees.dependencies import Token
from treekernels.io.sentences.sentence import Document, Sentence

_VERSION = 1


class Cache:
    """The texts that one parser has parsed.

    Parameters
    ----------
    folder : path
        Where everything is; it is made if it is not there.
    key : str
        What a parser and its version are told apart by.
    """

    def __init__(self, folder: str | os.PathLike[str], key: str) -> None:
        if not isinstance(folder, str | os.PathLike):
            raise ParameterError(f"cache is the name of a folder, and not {folder!r:.60}")
        name = hashlib.sha256(f"{_VERSION} {key}".encode()).hexdigest()[:24]
        self._folder = Path(folder) / name
        self._folder.mkdir(parents=True, exist_ok=True)

    def load(self, texts: Iterable[str]) -> dict[str, Document]:
        """Return the sentences of those texts that have been parsed before."""
        wanted = {_digest(text): text for text in texts}
        found: dict[str, Document] = {}
        for path in sorted(self._folder.glob("*.gz")):
            if len(found) < len(wanted):
                self._load_file(path, wanted, found)
        return found

    def _load_file(self, path: Path, wanted: Mapping[str, str], found: dict[str, Document]) -> None:
        # Another process may have removed it, and it may be cut off or be something else.
        with suppress(OSError, EOFError, zlib.error), gzip.open(path) as file:
            for line in file:
                digest, _, rest = line.partition(b" ")
                text = wanted.get(digest.decode("ascii", "replace"))
                if text is None or text in found:
                    continue
                checksum, _, content = rest.rstrip(b"\n").partition(b" ")
                if checksum == b"%08x" % zlib.crc32(digest + content):
                    with suppress(ValueError, TypeError):
                        found[text] = _document_of(json.loads(content))

    def add(self, documents: Mapping[str, Document]) -> None:
        """Keep the sentences of some texts."""
        if documents:
            lines = [_line(text, document) for text, document in documents.items()]
            digests = "".join(sorted(map(_digest, documents)))
            write_lines(self._folder / f"{_digest(digests)[:32]}.gz", lines)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _line(text: str, document: Document) -> str:
    sentences = [[s.text, s.tree, [list(token) for token in s.tokens]] for s in document]
    content = json.dumps(sentences)
    digest = _digest(text)
    return f"{digest} {zlib.crc32((digest + content).encode()):08x} {content}"


def _document_of(content: Any) -> Document:
    """Return the sentences in an entry, or raise a ValueError or TypeError if it has none."""
    document = []
    for text, tree, tokens in content:
        words = tuple(Token(*token) for token in tokens)
        fields = [field for word in words for field in word[:5]]
        if not _are(str, [text, *fields, *([] if tree is None else [tree])]):
            raise ValueError("a part of a sentence is not a text")
        heads = [word.head for word in words]
        if not _are(int, heads) or not all(-1 <= head < len(words) for head in heads):
            raise ValueError("a head is not a word")
        document.append(Sentence(text, tree, words))
    return document


def _are(kind: type, values: Collection[Any]) -> bool:
    return all(type(value) is kind for value in values)
