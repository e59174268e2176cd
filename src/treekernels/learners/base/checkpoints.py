"""Checkpoint: a file from which an interrupted `fit` goes on.

The name of the file comes from the user, and may be that of anything. A file that is there is
looked at before anything is learned, and neither written over nor removed unless it is a checkpoint
of the same learner, parameters and data.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any

from treekernels.errors import CheckpointError, ModelFileError
from treekernels.io.files.container import read_container, write_container

_Identity = tuple[int, int, int, int]


class Checkpoint:
    """The state of one problem in one file.

    Parameters
    ----------
    path : path
    learner : str
        The name of its class.
    parameters, data : str
        Digests of all that the result depends on.
    """

    def __init__(self, path: Any, learner: str, parameters: str, data: str) -> None:
        self.path = Path(path).resolve()  # of a link, the file that it leads to
        self.kind = f"checkpoint of {learner}"
        self.parameters = parameters
        self.data = data
        self._own: _Identity | None = None  # the file as it was written or read by this object

    def read(self) -> Any:
        """Return the state in the file, or None if there is no file.

        Raises
        ------
        CheckpointError
            When the file is anything else than a checkpoint of this problem.
        """
        if not self.path.exists():
            return None
        identity = self._identity()
        try:
            kind, content = read_container(self.path)
        except ModelFileError as error:
            raise self._refusal(f"is not a checkpoint ({error})") from error
        if kind != self.kind:
            raise self._refusal(f"holds {kind!r}, and not a {self.kind}")
        if content["parameters"] != self.parameters:
            raise self._refusal("is of a learner with other parameters")
        if content["data"] != self.data:
            raise self._refusal("is of other data")
        self._own = identity
        return content["state"]

    def write(self, state: Any) -> None:
        """Write the state, in the place of a state of the same problem or of nothing."""
        if not self._is_ours():
            self.read()  # says what else is there
        content = {"parameters": self.parameters, "data": self.data, "state": state}
        write_container(self.path, self.kind, content)
        self._own = self._identity()

    def remove(self) -> None:
        """Remove the file, if there is one and it is as it was written or read here."""
        if self._is_ours():
            self.path.unlink(missing_ok=True)
            self._own = None

    def _is_ours(self) -> bool:
        """Whether nobody else has put a file there, be it while we were learning."""
        return not self.path.exists() or self._own == self._identity()

    def _identity(self) -> _Identity:
        status = os.stat(self.path)
        return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns

    def _refusal(self, reason: str) -> CheckpointError:
        return CheckpointError(
            f"checkpoint={str(self.path)!r}: the file {reason}; it was left as it is: "
            "give the name of another file, or remove it"
        )


def parameter_digest(parameters: dict[str, Any]) -> str:
    """Return a text that is another one for other parameters, and the same in another process.

    Functions, of which a kernel may be made, count by their names and what they do.
    """
    digest = hashlib.sha256()
    for name, value in sorted(parameters.items()):
        text = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))  # where an object lies in memory
        digest.update(f"{name}={text};".encode())
        code = getattr(value, "__code__", None)
        if code is not None:
            digest.update(code.co_code + repr(code.co_names).encode())
    return digest.hexdigest()
