"""One run at a time in a folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO

from microagg.errors import FileError

LOCK = ".microagg-lock"


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold other processes off a folder, or raise when one is at work there.

    The folder is made, and removed if it is empty in the end. The lock goes with the process, however
    that ends. Where the system has no such locks (Windows), none is taken.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with nullcontext() if sys.platform == "win32" else _lock(folder / LOCK):
            yield
    finally:
        with suppress(OSError):
            folder.rmdir()


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    held = _held(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)  # while it is held: afterwards it may be another's
        held.close()


def _held(path: Path) -> IO[str]:
    """Return the lock, open and held."""
    while True:
        held = path.open("w")
        if not _locked(held):
            held.close()
            raise FileError(
                f"Another run is at work in '{path.parent}'.",
                hint="Wait until it has ended, or name another folder.",
            )
        if _is_at(path, held):
            return held
        held.close()  # of a run that has removed it meanwhile: others will make another


def _locked(held: IO[str]) -> bool:
    import fcntl

    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(path: Path, held: IO[str]) -> bool:
    try:
        return os.path.samestat(os.fstat(held.fileno()), path.stat())
    except FileNotFoundError:
        return False
