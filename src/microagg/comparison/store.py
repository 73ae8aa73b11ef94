"""The cache file of `compare`: finished trials as lines of JSON, after a line that names the file.

A file that does not begin with that line may contain data, and is never changed.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from microagg.comparison.trial import Choice, Trial
from microagg.data.open_folder import is_ours
from microagg.errors import FileError

HEADER = b'{"microagg_cache": 1}\n'
"""The first line of every cache file."""

_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class TrialStore:
    """Finished trials in a file that only its owner can read; trials of other records are ignored.

    Raises
    ------
    FileError
        The file is not a cache, is a link, or cannot be read or written.
    """

    def __init__(self, path: str | Path | None, fingerprint: str) -> None:
        self._path = None if path is None else Path(path)
        self._fingerprint = fingerprint
        kept = () if self._path is None else self._read(self._path)
        self._trials = {trial.choice: trial for trial in kept}

    def get(self, choice: Choice) -> Trial | None:
        """Return the trial of a choice, or None if it is not stored."""
        return self._trials.get(choice)

    def keep(self, trial: Trial) -> None:
        """Add a trial to the file."""
        if self._path is None:
            return
        line = json.dumps({"of": self._fingerprint, "trial": trial.to_json()})
        try:
            with _opened(self._path) as stream:
                # A line that was cut off when the work was stopped must not swallow this one.
                stream.seek(-1, os.SEEK_END)
                whole = stream.read(1) == b"\n"
                stream.write((line if whole else f"\n{line}").encode() + b"\n")
        except OSError as error:
            raise FileError(
                f"The cache file '{self._path}' cannot be written: {error.strerror}."
            ) from None

    def _read(self, path: Path) -> Iterator[Trial]:
        if not os.path.lexists(path):
            return
        try:
            with _opened(path) as stream:
                stream.seek(len(HEADER))
                lines = stream.read().splitlines()
        except OSError as error:
            raise FileError(
                f"The cache file '{path}' cannot be used: {error.strerror}.",
                hint="Name another file.",
            ) from None
        for line in lines:
            try:
                kept = json.loads(line)
                if kept["of"] == self._fingerprint:
                    yield Trial.from_json(kept["trial"])
            except (ValueError, KeyError, TypeError, RecursionError):
                continue  # a line that was cut off


def _opened(path: Path) -> Any:
    """Open a cache file for reading and appending, or create one; refuse any other file."""
    try:
        descriptor = os.open(path, _FLAGS | _SAFE, 0o600)
    except OSError:
        if path.is_symlink() or path.is_dir():
            raise _foreign(path) from None
        raise
    stream = os.fdopen(descriptor, "r+b", buffering=0)
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode) or state.st_nlink > 1 or not _is_at(path, state):
            raise _foreign(path)
        if os.name == "posix" and state.st_size and not is_ours(state.st_uid, path.parent):
            raise _foreign(path)  # who made it could read what is added, or have put results there
        if state.st_size == 0:
            stream.write(HEADER)
        elif stream.read(len(HEADER)) != HEADER:
            raise _foreign(path)
    except BaseException:
        stream.close()
        raise
    return stream


def _is_at(path: Path, state: os.stat_result) -> bool:
    """Return whether a path leads to a file without a link."""
    try:
        return os.path.samestat(path.lstat(), state)
    except FileNotFoundError:
        return False


def _foreign(path: Path) -> FileError:
    return FileError(
        f"'{path}' is not a cache file that microagg created for you, so it was not changed.",
        hint="Name a file that does not exist yet, or one that an earlier comparison made.",
    )
