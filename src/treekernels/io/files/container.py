"""The container of model files and checkpoints: plain data, from which nothing is ever executed.

The file is, in this order:

- 8 bytes ``TREEKERN``, and the version of the format as a 32-bit number (1);
- the length of the description as a 64-bit number, and the description, JSON in UTF-8, with blanks
  behind it, so that what follows begins at a multiple of 8;
- the arrays it speaks of, each at an offset that is a multiple of 8 from where they begin;
- the SHA-256 of all that stands before.

Numbers are little-endian. The description has the kind of object, the values, a table of the arrays
with type, shape and offset, and a SHA-256 of its own, so that the rest need not be read to trust
it. Values are those of JSON, and ``{"array": number}``, ``{"forest": [numbers]}``,
``{"pairs": [forests]}``, ``{"sets": forest, "offsets": array}``, ``{"sparse": [...]}``,
``{"named": matrix, "names": [...]}``, ``{"items": [[key, value], ...]}``, and what other rooms have
registered with `register_object`, such as ``{"kernel": name, "parameters": {...}}``.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.common.arrays import text_array
from treekernels.common.limits import get_limits, memory_limit
from treekernels.common.text import byte_count
from treekernels.data.forest import Forest
from treekernels.data.pairs import Pairs
from treekernels.data.tree_sets import TreeSets
from treekernels.data.vectors import NamedVectors
from treekernels.errors import DataError, ModelFileError
from treekernels.io.files.atomic import whole_file

_MAGIC = b"TREEKERN"
_VERSION = 1
_DTYPES = {"<f8", "<f4", "<u8", "<u4", "<u2", "|u1", "<i8", "<i4", "<i2", "|i1", "|b1"}
_FOREST_ARRAYS = 6
_HEAD = len(_MAGIC) + 12

MALFORMED = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""The errors that nonsense in a file may lead to."""

_OBJECTS: dict[str, tuple[type, Callable[[str, dict[str, Any]], Any]]] = {}


def register_object(tag: str, type_: type, make: Callable[[str, dict[str, Any]], Any]) -> None:
    """Let objects that are nothing but their parameters be part of a container.

    Parameters
    ----------
    tag : str
        What the file says of them, such as "kernel".
    type_ : type
        Their base class, which has `get_params`.
    make : callable
        Makes one from the name of its class and its parameters, or raises a ValueError.
    """
    _OBJECTS[tag] = (type_, make)


def write_container(path: str | os.PathLike[str], kind: str, content: Any) -> None:
    """Write any data of the kinds described above, atomically."""
    import hashlib
    import json

    arrays: list[NDArray[Any]] = []
    value = _encode(content, arrays)
    table = []
    offset = 0
    for array in arrays:
        table.append({"dtype": array.dtype.str, "shape": array.shape, "offset": offset})
        offset += -(-array.nbytes // 8) * 8
    description: dict[str, Any] = {"kind": kind, "content": value, "arrays": table}
    text = json.dumps({**description, "sha256": _checksum(description)}).encode()
    text += b" " * (-(_HEAD + len(text)) % 8)
    digest = hashlib.sha256()
    with whole_file(path) as file:

        def put(data: bytes) -> None:
            digest.update(data)
            file.write(data)

        put(_MAGIC + struct.pack("<IQ", _VERSION, len(text)) + text)
        for array in arrays:
            data = array.tobytes()
            put(data + b"\0" * (-len(data) % 8))
        file.write(digest.digest())


def read_container(path: str | os.PathLike[str]) -> tuple[str, Any]:
    """Return what `write_container` has written: the kind, and the content."""
    _check_size(path)
    data = memoryview(Path(path).read_bytes())
    length = _description_length(path, data)
    _check_digest(path, data)
    try:
        return _content(_description(data, length), data[_HEAD + length : -32], copy=True)
    except MALFORMED as error:
        raise ModelFileError(f"{path}: not what a model consists of ({error})") from error


def map_container(path: str | os.PathLike[str], *, verify: bool = False) -> tuple[str, Any]:
    """Return the same with arrays that are mapped into memory, and cannot be changed.

    Only the description is read and checked, unless `verify` says that all of the file should be.
    """
    data = memoryview(b"")
    if os.path.getsize(path):
        mapped: Any = np.memmap(path, np.uint8, mode="r")
        data = memoryview(mapped)
    length = _description_length(path, data)
    if verify:
        _check_digest(path, data)
    try:
        description = _description(data, length)
        checksum = description.pop("sha256", None)
        if _checksum(description) != checksum:
            raise ValueError("the checksum of its description does not fit")
        ends = (int(entry["offset"]) + _size(entry) for entry in description["arrays"])
        if _HEAD + length + -(-max(ends, default=0) // 8) * 8 + 32 != len(data):
            raise ValueError("it is cut off, or longer than it should be")
        return _content(description, data[_HEAD + length : -32], copy=False)
    except MALFORMED as error:
        raise ModelFileError(f"{path}: cut off or altered ({error})") from error


def _description(data: memoryview, length: int) -> dict[str, Any]:
    import json

    if length > len(data) - _HEAD - 32:
        raise ValueError("the description is longer than the file")
    description: dict[str, Any] = json.loads(bytes(data[_HEAD : _HEAD + length]))
    return description


def _checksum(description: dict[str, Any]) -> str:
    import hashlib  # here and below, so that kernels are quick to import
    import json

    return hashlib.sha256(json.dumps(description).encode()).hexdigest()


def _content(description: dict[str, Any], body: memoryview, *, copy: bool) -> tuple[str, Any]:
    arrays = _read_arrays(description["arrays"], body, copy=copy)
    return str(description["kind"]), _decode(description["content"], arrays)


def _check_digest(path: str | os.PathLike[str], data: memoryview) -> None:
    """Raise an error if the checksum at the end of a file is not that of what stands before."""
    import hashlib

    digest = hashlib.sha256()
    for first in range(0, len(data) - 32, 1 << 20):  # in parts, so that Ctrl-C is noticed
        digest.update(data[first : min(first + (1 << 20), len(data) - 32)])
    if digest.digest() != data[-32:]:
        raise ModelFileError(f"{path}: cut off or altered (the checksum does not fit)")


def _description_length(path: str | os.PathLike[str], data: memoryview) -> int:
    """Return how long the description is, if the file begins as it should."""
    if bytes(data[: len(_MAGIC)]) != _MAGIC:
        raise ModelFileError(f"{path}: not a model of treekernels")
    if len(data) < _HEAD + 32:
        raise ModelFileError(f"{path}: cut off after {len(data)} bytes")
    version, length = struct.unpack_from("<IQ", data, len(_MAGIC))
    if version != _VERSION:
        raise ModelFileError(
            f"{path}: written in version {version} of the format; this program reads {_VERSION}"
        )
    return int(length)


def is_container(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins as those that are written here."""
    with Path(path).open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def _check_size(path: str | os.PathLike[str]) -> None:
    """Raise an error for what is too large to be read, or is not a file."""
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        return  # the system's own error will do
    if not stat.S_ISREG(status.st_mode):
        raise ModelFileError(f"{path}: a pipe or device, and not a file")
    most, what = memory_limit(get_limits().model_bytes)
    if status.st_size > most:
        raise ModelFileError(
            f"{path}: has {byte_count(status.st_size)}, {what}; tk.set_limits(model_bytes=...) "
            "allows more"
        )


class _Arrays:
    """The arrays of a file, each of which is used once.

    They lie one behind the other, so that all of them take no more memory than the file.
    """

    def __init__(self, arrays: list[NDArray[Any]]) -> None:
        self._arrays: dict[int, NDArray[Any]] = dict(enumerate(arrays))

    def __getitem__(self, number: Any) -> NDArray[Any]:
        if isinstance(number, bool) or not isinstance(number, int):
            raise ValueError("an array without a number")
        if number not in self._arrays:
            raise ValueError("an array that is not there, or is used twice")
        return self._arrays.pop(number)


def _read_arrays(entries: list[dict[str, Any]], body: memoryview, *, copy: bool) -> _Arrays:
    arrays, end = [], 0
    for entry in entries:
        if int(entry["offset"]) < end:
            raise ValueError("an array overlaps with another")
        array = _read_array(entry, body)
        if not array.flags.aligned and not copy:
            raise ValueError("an array begins where none can be read")
        arrays.append(array.copy() if copy else array)
        end = int(entry["offset"]) + arrays[-1].nbytes
    return _Arrays(arrays)


def _read_array(entry: dict[str, Any], body: memoryview) -> NDArray[Any]:
    first = int(entry["offset"])
    last = first + _size(entry)
    if not 0 <= first <= last <= len(body):
        raise ValueError("an array lies outside of the file")
    array: NDArray[Any] = np.frombuffer(body[first:last], np.dtype(entry["dtype"]))
    return array.reshape([int(size) for size in entry["shape"]])


def _size(entry: dict[str, Any]) -> int:
    """Return the bytes of an array, if it is of a known type."""
    if entry["dtype"] not in _DTYPES:
        raise ValueError(f"an array of type {entry['dtype']!r}")
    count = 1
    for size in entry["shape"]:
        if int(size) < 0:
            raise ValueError("an array of negative size")
        count *= int(size)  # a Python number, which cannot overflow
    return int(count * np.dtype(entry["dtype"]).itemsize)


def _encode(value: Any, arrays: list[NDArray[Any]]) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.bool_ | np.integer | np.floating | np.str_):
        return _encode(value.item(), arrays)
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return np.dtype(value).name
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    for tag, (type_, _) in _OBJECTS.items():
        if isinstance(value, type_):
            parameters = value.get_params(deep=False)  # type: ignore[attr-defined]
            return {tag: type(value).__name__, "parameters": _encode(parameters, arrays)}
    if isinstance(value, Pairs):
        return {"pairs": [_encode(side, arrays) for side in (value.texts, value.hypotheses)]}
    if isinstance(value, TreeSets):
        return {"sets": _encode(value.trees, arrays), "offsets": _encode(value.offsets, arrays)}
    if isinstance(value, Forest):
        label_text, *rest = value.__getstate__()
        text = np.frombuffer(label_text, np.uint8)
        return {"forest": [_encode(part, arrays)["array"] for part in (text, *rest)]}
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "OU":
            return {
                "strings": [_plain_value(item) for item in value.ravel()],
                "kind": value.dtype.kind,
            }
        little_endian = np.ascontiguousarray(value, value.dtype.newbyteorder("<"))
        if little_endian.dtype.str not in _DTYPES:
            raise DataError(f"an array of type {value.dtype} cannot be saved")
        arrays.append(little_endian)
        return {"array": len(arrays) - 1}
    if isinstance(value, NamedVectors):
        return {"named": _encode(value.matrix, arrays), "names": list(value.names)}
    if hasattr(value, "tocsr"):
        matrix = value.tocsr()
        parts = [matrix.data, matrix.indices, matrix.indptr]
        return {"sparse": [_encode(part, arrays) for part in parts], "shape": list(matrix.shape)}
    if isinstance(value, dict):
        items = [[_plain_key(key), _encode(item, arrays)] for key, item in value.items()]
        return {"items": items}
    if isinstance(value, list | tuple):
        return [_encode(item, arrays) for item in value]
    raise DataError(f"{value!r} is of type {type(value).__name__}, which cannot be saved as data")


def _plain_key(key: Any) -> Any:
    """Return the key of a dictionary: a plain value, or a list for a tuple of plain values."""
    if isinstance(key, str):
        return key
    return [_plain_value(part) for part in key] if isinstance(key, tuple) else _plain_value(key)


def _plain_value(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise DataError(f"{value!r} cannot be saved as data")


def _decode(value: Any, arrays: _Arrays) -> Any:
    if isinstance(value, list):
        return [_decode(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return arrays[value["array"]]
    if "items" in value:
        return {
            tuple(key) if isinstance(key, list) else key: _decode(item, arrays)
            for key, item in value["items"]
        }
    if "strings" in value:
        items = value["strings"]
        if value["kind"] == "U":
            return text_array(items)
        result = np.empty(len(items), dtype=object)
        result[:] = items
        return result
    if "pairs" in value:
        return Pairs(*(_decode(side, arrays) for side in value["pairs"]))
    if "sets" in value:
        trees, offsets = _decode(value["sets"], arrays), _decode(value["offsets"], arrays)
        if not isinstance(trees, Forest):
            raise ValueError("sets of something other than trees")
        return TreeSets.from_offsets(trees, offsets)
    if "forest" in value:
        if len(value["forest"]) != _FOREST_ARRAYS:
            raise ValueError("a forest of another form")
        text, *rest = (arrays[number] for number in value["forest"])
        forest = Forest.__new__(Forest)
        forest.__setstate__((text.tobytes(), *rest))
        return forest
    if "named" in value:
        named = NamedVectors(_decode(value["named"], arrays), [str(n) for n in value["names"]])
        if len(set(named.names)) != len(named.names) or len(named.names) != named.shape[1]:
            raise ValueError("the features do not have a name each")
        return named
    if "sparse" in value:
        from scipy.sparse import csr_matrix

        parts = tuple(_decode(part, arrays) for part in value["sparse"])
        matrix = csr_matrix(parts, shape=tuple(value["shape"]))
        matrix.check_format(full_check=True)
        return matrix
    for tag, (_, make) in _OBJECTS.items():
        if tag in value:
            return make(str(value[tag]), _decode(value["parameters"], arrays))
    raise ValueError("a value of an unknown kind")
