"""One run at a time in a folder."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

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
    descriptor = _acquire(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)  # while it is locked: afterwards it may be another's
        os.close(descriptor)


def _acquire(path: Path) -> int:
    """Return the descriptor of the lock file, locked."""
    while True:
        descriptor = _opened(path)
        if not _locked(descriptor):
            os.close(descriptor)
            raise FileError(
                f"Another run is at work in '{path.parent}'.",
                hint="Wait until it has ended, or name another folder.",
            )
        if _is_at(path, descriptor):
            return descriptor
        os.close(descriptor)  # of a run that has removed it meanwhile: others will make another


def _opened(path: Path) -> int:
    """Open the lock file, or create it; never through a link, which could lead to any file."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK, errno.EISDIR):
            raise _not_ours(path) from None
        raise
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode) or state.st_nlink > 1 or state.st_size > 0:
        os.close(descriptor)
        raise _not_ours(path)
    return descriptor


def _not_ours(path: Path) -> FileError:
    return FileError(
        f"'{path}' is not a lock of microagg but another file or a link.",
        hint="Remove it, or name another folder.",
    )


def _locked(descriptor: int) -> bool:
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False
