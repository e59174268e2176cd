"""Files of word vectors, of text and binary, read for the words that are asked for."""

from __future__ import annotations

import gzip
import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treekernels as tk

WORDS = ["the", "dog", "cat", "straße", "new york", "::", "dog"]
MATRIX = np.random.RandomState(0).normal(size=(7, 5)).astype(np.float32)
SINGLE = [word for word in WORDS if " " not in word]


def text(header: bool, words: list[str], end: str = "\n") -> bytes:
    lines = [f"{len(words)} 5"] if header else []
    for word in words:
        lines.append(" ".join([word, *(repr(float(x)) for x in MATRIX[WORDS.index(word)])]))
    return "".join(line + end for line in lines).encode()


def word2vec_binary(newline: bytes) -> bytes:
    parts = [
        word.encode() + b" " + MATRIX[WORDS.index(word)].tobytes() + newline for word in SINGLE
    ]
    return f"{len(SINGLE)} 5\n".encode() + b"".join(parts)


FORMS: dict[str, bytes] = {
    "word2vec.txt": text(True, WORDS),
    "glove.txt": text(False, WORDS),
    "trailing.vec": text(True, SINGLE, " \n"),
    "windows.txt": text(False, WORDS, "\r\n"),
    "packed.txt.gz": gzip.compress(text(True, WORDS)),
    "packed.glove.gz": gzip.compress(text(False, WORDS)),
    "plain.bin": word2vec_binary(b""),
    "lines.bin": word2vec_binary(b"\n"),
}


@pytest.mark.parametrize("name", FORMS)
def test_vectors_are_those_of_the_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(FORMS[name])
    vectors = tk.WordVectors(path)
    found = vectors.find(["dog", "straße", "nothing", "th"])
    assert sorted(found) == ["dog", "straße"]
    np.testing.assert_allclose(found["dog"], MATRIX[1], rtol=1e-6)  # the first one of two
    np.testing.assert_allclose(found["straße"], MATRIX[3], rtol=1e-6)
    np.testing.assert_allclose(vectors.find(["cat", "::"])["cat"], MATRIX[2], rtol=1e-6)
    if name in ("word2vec.txt", "glove.txt"):
        np.testing.assert_allclose(vectors.find(["new york"])["new york"], MATRIX[4], rtol=1e-6)
    again = pickle.loads(pickle.dumps(vectors))
    assert again == vectors
    np.testing.assert_array_equal(again.find(["the"])["the"], vectors.find(["the"])["the"])
    memory = tk.WordVectors(MATRIX, WORDS)
    assert vectors.similarity("dog::n", "Cat::n") == memory.similarity("dog::n", "Cat::n")


def test_a_file_is_read_where_the_words_stand(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    rng = np.random.RandomState(1)
    matrix = rng.normal(size=(2000, 3)).round(4)
    lines = [f"w{i} {' '.join(map(str, row))}" for i, row in enumerate(matrix)]
    path.write_text("\n".join(lines))  # without an end of the last line
    vectors = tk.WordVectors(path)
    for place in (0, 1999, 77):
        found = vectors.find([f"w{place}"])[f"w{place}"]
        np.testing.assert_allclose(found, matrix[place], rtol=1e-6)


def fasttext_model(words: dict[str, Any], bucket: int, minn: int, maxn: int) -> bytes:
    """Write a model as fastText lays it out; the rows behind the words are those of parts."""
    dimensions, rng = 4, np.random.RandomState(3)
    out = struct.pack("<2i", 793712314, 12)
    out += struct.pack("<12id", dimensions, 5, 5, 1, 5, 1, 2, 2, bucket, minn, maxn, 100, 1e-4)
    out += struct.pack("<3i2q", len(words), len(words), 0, 100, -1)
    for word in words:
        out += word.encode() + b"\0" + struct.pack("<qb", 3, 0)
    matrix = np.vstack([*words.values(), *rng.normal(size=(max(0, bucket), dimensions))])
    out += struct.pack("<?2q", False, len(matrix), dimensions) + matrix.astype("<f4").tobytes()
    return out + struct.pack("<?2q", False, 0, dimensions)


def fnv(part: str) -> int:
    value = 2166136261
    for byte in part.encode():
        signed = byte - 256 if byte > 127 else byte
        value = ((value ^ (signed & 0xFFFFFFFF)) * 16777619) % 2**32
    return value


def test_fasttext_vectors_are_means_of_words_and_their_parts(tmp_path: Path) -> None:
    words = {"dög": np.arange(4.0), "cat": -np.ones(4)}
    path = tmp_path / "model.bin"
    path.write_bytes(fasttext_model(words, bucket=50, minn=3, maxn=4))
    parts = np.random.RandomState(3).normal(size=(50, 4)).astype(np.float32)

    def rows(*texts: str) -> Any:
        return [parts[fnv(part) % 50] for part in texts]

    found = tk.WordVectors(path).find(["dög", "at", "x"])
    expected = np.mean([words["dög"], *rows("<dö", "<dög", "dög", "dög>", "ög>")], axis=0)
    np.testing.assert_allclose(found["dög"], expected, rtol=1e-5)
    np.testing.assert_allclose(found["at"], np.mean(rows("<at", "<at>", "at>"), axis=0), rtol=1e-5)
    np.testing.assert_allclose(found["x"], np.mean(rows("<x>"), axis=0), rtol=1e-5)
    path.write_bytes(fasttext_model(words, bucket=0, minn=0, maxn=0))
    plain = tk.WordVectors(path).find(["dög", "at"])
    assert list(plain) == ["dög"]
    np.testing.assert_allclose(plain["dög"], np.arange(4.0))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "these are no word vectors"),
        (b"a text of words\n", "these are no word vectors"),
        (b"5 0\n", "one number at least"),
        (b"3 5\ndog \x00\x01", "cut off"),
        (word2vec_binary(b"")[:-1], "cut off"),
        (b"99999999999 5\n" + b"x" * 300, "cut off"),
        (gzip.compress(word2vec_binary(b""), mtime=0), "unpack this file first"),
        (struct.pack("<2i", 793712314, 11), "version 11"),
        (fasttext_model({"a": np.ones(4)}, 0, 0, 0)[:60], "cut off"),
        (fasttext_model({"a": np.ones(4)}, -5, 1, 3), "its parts do not fit together"),
        (fasttext_model({"a": np.ones(4)}, 5, 1, 10**6), "its parts do not fit together"),
        (fasttext_model({"dog": np.full(4, np.nan)}, 0, 0, 0), "not finite"),
        (b"1 2\ndog " + np.array([1, np.inf], "<f4").tobytes(), "not finite"),
        (gzip.compress(b"dog 1 2 3\n" * 9, mtime=0)[:-9], "damaged"),
        (fasttext_model({"a": np.ones(4)}, 0, 0, 0)[:-30], "cut off"),
    ],
)
def test_what_is_no_file_of_vectors_is_refused(content: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(tk.TreeKernelsError, match=reason):
        tk.WordVectors(path).find(["dog"])


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("dog 1 2 3\ncat 1 x 3\nrun 1 2\n")
    vectors = tk.WordVectors(path)
    assert list(vectors.find(["dog"])) == ["dog"]
    with pytest.raises(tk.ParseError, match=r"bad.txt, line 2.*the vector of 'cat'"):
        vectors.find(["cat"])


def test_gensim_vectors(tmp_path: Path) -> None:
    models = pytest.importorskip("gensim.models", reason="gensim is not installed")
    keyed = models.KeyedVectors(5)
    keyed.add_vectors(SINGLE[:-1], MATRIX[[WORDS.index(word) for word in SINGLE[:-1]]])
    vectors = tk.WordVectors(keyed)
    np.testing.assert_array_equal(vectors.find(["cat", "nothing"])["cat"], MATRIX[2])
    for name, binary in (("a.txt", False), ("a.bin", True)):
        keyed.save_word2vec_format(str(tmp_path / name), binary=binary)
        found = tk.WordVectors(tmp_path / name).find(SINGLE)
        assert sorted(found) == sorted(set(SINGLE))
        np.testing.assert_allclose(found["straße"], MATRIX[3], rtol=1e-5)


def test_fasttext_models_of_gensim(tmp_path: Path) -> None:
    fasttext = pytest.importorskip("gensim.models.fasttext", reason="gensim is not installed")
    sentences = [["the", "dög", "barks"], ["the", "cat", "sleeps"]] * 20
    model = fasttext.FastText(sentences, vector_size=6, min_count=1, bucket=200, epochs=1)
    path = str(tmp_path / "model.bin")
    fasttext.save_facebook_model(model, path)
    found = tk.WordVectors(path).find(["dög", "cats"])
    for word in ("dög", "cats"):
        np.testing.assert_allclose(found[word], model.wv[word], rtol=1e-4, atol=1e-6)
