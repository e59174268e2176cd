"""Models in files: the same after loading, and one clear error for anything that is not a model."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import os
import pickletools
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import treekernels as tk
from helpers import sentences
from treekernels import persistence

TEXTS, KINDS = sentences(30)
VALUES = [float(len(text)) for text in TEXTS]
VECTORS = np.random.RandomState(0).normal(size=(30, 3))
COLUMNS = {
    "tree": tk.Forest(TEXTS),
    "vector": VECTORS,
    "sparse": csr_matrix(VECTORS > 0, dtype=float),
}
SUM = (
    tk.SubsetTreeKernel(0.3, leaf_weight=0.5, on="tree")
    + 0.1 * tk.LinearKernel(on="vector")
    + 0.1 * tk.RBFKernel(on="sparse")
    + 0.5
)

LEARNERS: dict[str, tuple[Any, Any, Any]] = {
    "svc": (tk.TreeSVC("sst", random_state=0), TEXTS, KINDS),
    "svc-two": (tk.TreeSVC(tk.SubtreeKernel(), random_state=0), TEXTS, np.arange(30) % 2),
    "svc-gram": (tk.TreeSVC(tk.SubsetTreeKernel() ** 2, class_weight="balanced"), TEXTS, KINDS),
    "svc-columns": (tk.TreeSVC(SUM), COLUMNS, KINDS),
    "svc-weights": (tk.TreeSVC("sst", class_weight={0: 1.0, 1: 2.5}), TEXTS, np.arange(30) % 2),
    "svc-bool": (tk.TreeSVC("sst"), TEXTS, np.arange(30) % 2 == 0),
    "svr": (tk.TreeSVR(tk.SubsetTreeKernel(leaf_weight=1), random_state=0), TEXTS, VALUES),
    "vote": (tk.TreePerceptron("sst", average="vote", random_state=0), TEXTS, KINDS),
    "vote-columns": (tk.TreePerceptron(SUM, average="vote", random_state=0), COLUMNS, KINDS),
    "mean": (
        tk.TreePerceptron("sst", average="mean", random_state=0),
        TEXTS,
        np.array(KINDS, object),
    ),
    "standard": (tk.TreePerceptron("sst", solver="standard", random_state=0), TEXTS, KINDS),
    "last": (
        tk.TreePassiveAggressive(tk.SubtreeKernel(leaf_weight=0.2), random_state=3),
        TEXTS,
        (np.arange(30) % 3).astype(np.int8),
    ),
    "support": (tk.TreePassiveAggressive(tk.PartialTreeKernel(), random_state=0), TEXTS, KINDS),
}
SMALL = [("(A b)", "x"), ("(A c)", "y"), ("(A (B b))", "x"), ("(B)", "z")]


def scores(learner: Any, X: Any) -> Any:
    return getattr(learner, "decision_function", learner.predict)(X)


def saved(learner: Any, path: Path) -> bytes:
    tk.save(learner, path)
    return path.read_bytes()


def small(name: str) -> Any:
    """Return a fitted learner of few trees, so that its file is small."""
    trees, labels = zip(*SMALL, strict=True)
    learners = {
        "svc": tk.TreeSVC(tk.SubsetTreeKernel(leaf_weight=0.5), random_state=0),
        "subtree": tk.TreeSVC(tk.SubtreeKernel(), random_state=0),
        "vote": tk.TreePerceptron("sst", average="vote", random_state=0),
        "support": tk.TreePassiveAggressive(tk.PartialTreeKernel() + 0.5, random_state=0),
    }
    return learners[name].fit(list(trees), list(labels))


@pytest.mark.parametrize("name", LEARNERS)
def test_round_trip(name: str, tmp_path: Path) -> None:
    learner, X, y = LEARNERS[name]
    learner = copy.deepcopy(learner).fit(X, y)
    data = saved(learner, tmp_path / "model.tkm")
    loaded = tk.load(tmp_path / "model.tkm")
    assert type(loaded) is type(learner)
    assert repr(loaded.get_params()) == repr(learner.get_params())
    assert np.array_equal(scores(loaded, X), scores(learner, X))
    assert np.array_equal(loaded.predict(X), learner.predict(X))
    assert loaded.predict(X).dtype == learner.predict(X).dtype
    assert loaded.n_model_nodes_ == learner.n_model_nodes_
    if hasattr(learner, "support_examples_"):
        assert np.array_equal(loaded.support_, learner.support_)
        assert repr(loaded.support_examples_) == repr(learner.support_examples_)
    assert saved(loaded, tmp_path / "again.tkm") == data


def test_probabilities_are_saved(tmp_path: Path) -> None:
    learner = tk.TreeSVC("sst", probability=True, random_state=0).fit(TEXTS, KINDS)
    saved(learner, tmp_path / "model.tkm")
    loaded = tk.load(tmp_path / "model.tkm")
    assert np.array_equal(loaded.predict_proba(TEXTS), learner.predict_proba(TEXTS))


def test_file_is_data_and_no_pickle(tmp_path: Path) -> None:
    learner, X, y = LEARNERS["vote-columns"]
    data = saved(copy.deepcopy(learner).fit(X, y), tmp_path / "model.tkm")
    assert data.startswith(b"TREEKERN")
    (length,) = struct.unpack_from("<Q", data, 12)
    assert json.loads(data[20 : 20 + length])["kind"] == "TreePerceptron"
    assert hashlib.sha256(data[:-32]).digest() == data[-32:]
    for start in (0, 20, 20 + length):
        with pytest.raises(Exception, match=r".*"):
            list(pickletools.genops(data[start:]))
    source = Path(persistence.__file__).read_text()
    assert not any(word in source for word in ("pickle", "eval(", "exec(", "allow_pickle"))


def test_unfitted_and_foreign_objects_are_refused(tmp_path: Path) -> None:
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        tk.save(tk.TreeSVC("sst"), tmp_path / "model.tkm")
    with pytest.raises(TypeError, match="only"):
        tk.save({"a": 1}, tmp_path / "model.tkm")
    foreign = tk.TreePerceptron(tk.MappingKernel(list, lambda p, q: 1.0)).fit(TEXTS, KINDS)
    with pytest.raises(TypeError, match="cannot be saved as data"):
        tk.save(foreign, tmp_path / "model.tkm")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_file_can_be_read_by_whom_other_files_can(tmp_path: Path) -> None:
    saved(small("svc"), tmp_path / "model.tkm")
    (tmp_path / "other").touch()
    mode = (tmp_path / "model.tkm").stat().st_mode
    assert mode == (tmp_path / "other").stat().st_mode


def test_missing_file_is_the_systems_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        tk.load(tmp_path / "nothing.tkm")


def test_truncated_anywhere(tmp_path: Path) -> None:
    path = tmp_path / "model.tkm"
    data = saved(small("support"), path)
    (length,) = struct.unpack_from("<Q", data, 12)
    regions = {*range(60), *range(0, len(data), 97), 20 + length, len(data) - 32, len(data) - 1}
    for size in regions:
        path.write_bytes(data[:size])
        with pytest.raises(tk.ModelFileError, match=r"model\.tkm"):
            tk.load(path)
    path.write_bytes(data + b"\0")
    with pytest.raises(tk.ModelFileError):
        tk.load(path)


def test_other_version(tmp_path: Path) -> None:
    path = tmp_path / "model.tkm"
    data = bytearray(saved(small("svc"), path))
    data[8] = 2
    path.write_bytes(data)
    with pytest.raises(tk.ModelFileError, match="version 2"):
        tk.load(path)


class Files:
    """The bytes of small models, made once."""

    def __init__(self) -> None:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            names = ["svc", "subtree", "vote", "support"]
            self.data = {name: saved(small(name), Path(folder) / "m") for name in names}


FILES = Files().data


def described(data: bytes) -> tuple[Any, bytes]:
    """Return the description of a file and its arrays."""
    (length,) = struct.unpack_from("<Q", data, 12)
    return json.loads(data[20 : 20 + length]), data[20 + length : -32]


def sealed(description: Any, body: bytes) -> bytes:
    """Make a file with a checksum that fits."""
    text = description if isinstance(description, bytes) else json.dumps(description).encode()
    whole = b"TREEKERN" + struct.pack("<IQ", 1, len(text)) + text + body
    return whole + hashlib.sha256(whole).digest()


@settings(max_examples=60)
@given(st.sampled_from(sorted(FILES)), st.data())
def test_altered_bytes(name: str, data: st.DataObject) -> None:
    import tempfile

    content = bytearray(FILES[name])
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] ^= data.draw(st.integers(1, 255))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.tkm"
        path.write_bytes(content)
        if bytes(content) != FILES[name]:
            with pytest.raises(tk.ModelFileError):
                tk.load(path)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to each value of nested lists and dicts."""
    found = [path] if path else []
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            found += places(value[key], (*path, key))
    return found


@pytest.mark.parametrize(
    ("part", "place", "value"),
    [
        ("indices", 0, 3),
        ("indices", -1, 10**6),
        ("indices", 0, -1),
        ("indptr", 1, 10**6),
        ("indptr", 1, -1),
        ("indptr", 0, 1),
        ("indptr", 2, 0),
    ],
)
def test_sparse_arrays_that_point_outside(
    part: str, place: int, value: int, tmp_path: Path
) -> None:
    """Nothing but the file says how far they reach, and compiled code follows them."""
    kernel = tk.SubsetTreeKernel(on="tree") + tk.RBFKernel(on="sparse")
    path = tmp_path / "model.tkm"
    description, body = described(saved(tk.TreeSVC(kernel).fit(COLUMNS, KINDS), path))
    (*_, where) = [way for way in places(description) if way[-1] == "sparse"]
    sparse = description
    for key in where:
        sparse = sparse[key]
    number = sparse[{"data": 0, "indices": 1, "indptr": 2}[part]]["array"]
    entry = description["arrays"][number]
    array = np.frombuffer(body, entry["dtype"], entry["shape"][0], entry["offset"]).copy()
    array[place] = value
    first, last = entry["offset"], entry["offset"] + array.nbytes
    altered = body[:first] + array.tobytes() + body[last:]
    path.write_bytes(sealed(description, altered))
    with pytest.raises(tk.ModelFileError, match="not what a model consists of"):
        tk.load(path)


def test_checkpoint_is_not_a_model(tmp_path: Path) -> None:
    persistence.write_container(tmp_path / "checkpoint", "checkpoint of TreeSVC", {"a": 1})
    with pytest.raises(tk.ModelFileError, match="not a model"):
        tk.load(tmp_path / "checkpoint")


PINNED = """
c-qxeONbmr7@pmYB3=a11SF8zHXts;+TGLL(-
R^?3@e5O4KZFEhfU2)%}i%{x`uwN$!<3IAP3PXhzAuEeB|Ikk0A<D2Vqe{$OaDqSBVb@9&#{;B)7zRO=qfi9^0!377R82_kZ
=*_dmK0ADWw+pF8yIL?)9l@6WKcth61kuI$MwhkXbSf*^1f;l5_mhwPt{%PKYGh0qHLXIXJV*a^tLa#`sDA9P>{{eX}p&wc{
vvuY)mEh}IV`k=|;bRh5)2G&}z*6t#Q1kGi=$aNVCyQtQp!8B&Jq3=PL#TI{w$mgTZd=KwekkHoF{<U+}0EV<Qn>k*GHE^6z
)LE0I;6l(?co{m)R>)AD!yfWGz;%{rRYE_43`AakEr8oZz7w`Oya9eU3V7+fg`=n%^ixTJt0<tc8o&);rLwZZ>!&AjIq0K$R
13FMhyBP4Lf~!c@FH*{D5@}23@L1wvZ|UGsbp2v|EQ?F-@tsfQXra8e^3_%RD{xUJo3d1QRV}$jyenEvXB*-
fk7*3G+Zh50J$Uy8m@uJ#~dm{^5SF>O_Eu2$!h@l*ByjD5yc$JF&dOML|LLi;|Jsgg$JWuF@*Z4TPKl&7!fHNvxaG#1=}+61
xvSzTm*!5`f{j6%hdBli-F`g=uf|c>a4tFc|<^y$rPy)OeN(dv2xiwxh<D9MWP-
#&NBkOPo`>5*5VF6PqM4PU0wd&IHbdp+ZJ5|Rp`o|BJF9Snj0l*R3j0o5tSN|sS%ypaG}}=rP>&&+HkGfAhCn)&{ayT@G(NX
sjMv(9)J^BfMul~9`8ar6elA3l#l@h%r4V0P*9^mUR7eM?BbZbH?k$NDUt0Y*^tNuiEP-
TL)&s_b#!c5wPqM;q-a*U=tVt2Z^+VhnXjvMD!!qrsrY76&*+vGY$Hum3mdW>SxY;wr|PR^q$zz-
Pc>u3baPNFSfdMX=<*<_<2tL#{QL$z|Bz1}Cu`%8%1UkDQ`Jo0nh^V>*r&w4Ey0--zDZ$EWCpK^A^WKKQ^KAaa396*A-
{Y3eErxH=dRx8zjFbLy_6ZV=3DF6PP}-rl&~@1uO#p*I4ytI&yRopin|))!p1w`uH_?_evNTq3*F!L_D$-
?iF@%Fotx)#y=N2p&kFr(3H@tA_m{nWtp2U8JX_ykv6qJ7=BKZHfAWuSV!yEQ$8W73d#-
d>zp(ND{d*Ya|L_C4e!yZM+n==jwCm)lOW9`*TrMSS{K)G|4?ep4T8s-
Dzx~jirQMI6k8xoOd_94$r{;S%KU;0L@6MC3@tNy4zL=i=CB}t~KLY0t?A*CldY{$j>)v@hwSC97-
+%k7#OLrw?7sV+H#74mo_TWb<=YRu@$~equTE7?cTZn^_>=9^KOK4X`kR)LIrGwmzX3`#DCh
"""


def test_file_of_the_first_version_of_the_format(tmp_path: Path) -> None:
    """A file that was written once must be read for ever, with the same scores."""
    (tmp_path / "model.tkm").write_bytes(zlib.decompress(base64.b85decode("".join(PINNED.split()))))
    model = tk.load(tmp_path / "model.tkm")
    assert model.classes_.tolist() == ["x", "y", "z"]
    trees, labels = zip(*SMALL, strict=True)
    assert model.predict(list(trees)).tolist() == list(labels)
    expected = [
        [0.0801776695, -0.025, -0.0551776695],
        [-0.3120710678, 0.275, 0.0370710678],
        [0.2218688672, -0.025, -0.1968688672],
        [-0.0120710678, -0.25, 0.2620710678],
    ]
    np.testing.assert_allclose(model.decision_function(list(trees)), expected, atol=1e-9)
    model.partial_fit(["(C c)"], ["z"])
    assert model.t_ == 5
