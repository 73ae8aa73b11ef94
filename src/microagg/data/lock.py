"""One process at a time in a folder: others are refused, or wait for a moment."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from microagg.data.open_folder import OpenFolder, by_name
from microagg.data.uninterrupted import Uninterrupted
from microagg.errors import FileError

LOCK = ".microagg-lock"

PATIENCE = 30.0
"""Seconds that a commit waits for another one in the same folder, which takes milliseconds."""


@contextmanager
def alone_in(folder: Path) -> Iterator[OpenFolder]:
    """Hold other processes off a folder, or raise when one is at work there; yield the folder.

    A folder that does not exist is made, and removed if it is empty in the end: one that its owner made
    may have permissions of its own. The lock goes with the process, however
    that ends. Where the system has no such locks (Windows), none is taken.
    """
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with OpenFolder(folder) as opened, by_name():
            lock = _Lock(opened.inside / LOCK)
            try:
                try:
                    with Uninterrupted() as signals:
                        lock.acquire(0.0, signals)
                    yield opened
                finally:
                    lock.release()
            finally:
                lock.release()  # again, because a signal may strike before the first one has begun
    finally:
        if is_new:
            with Uninterrupted(), contextlib.suppress(OSError):
                folder.rmdir()


@contextmanager
def committing(folders: Iterable[OpenFolder], signals: Uninterrupted) -> Iterator[None]:
    """Hold other processes off some folders for as long as files get their names there.

    Signals must be deferred meanwhile; they are let through while another process holds a lock.
    """
    # In one order, so that no two processes wait for each other.
    locks = [_Lock(each.inside / LOCK) for each in sorted(folders, key=lambda each: each.name)]
    try:
        for lock in locks:
            lock.acquire(PATIENCE, signals)
        yield
    finally:
        for lock in locks:
            lock.release()


class _Lock:
    """A file that one process at a time holds locked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self, patience: float, signals: Uninterrupted) -> None:
        """Make and lock the file, or raise if another process holds it for longer."""
        if sys.platform != "win32":
            self._descriptor = _acquired(self.path, time.monotonic() + patience, signals)

    def release(self) -> None:
        """Remove the file, if it is locked."""
        with Uninterrupted():
            if self._descriptor is not None:
                self.path.unlink(missing_ok=True)  # while locked: afterwards it may be another's
                os.close(self._descriptor)
                self._descriptor = None


def _acquired(path: Path, deadline: float, signals: Uninterrupted) -> int:
    """Return the descriptor of the lock after acquiring it."""
    while True:
        descriptor = _opened(path)
        locked = False
        try:
            locked = _locked(descriptor)
            if locked and _is_at(path, descriptor):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        signals.let_through()
        # A lock that its owner has removed meanwhile is none: the next turn makes another.
        if not locked and time.monotonic() >= deadline:
            raise _busy(path)
        if not locked:
            time.sleep(0.01)


def _opened(path: Path) -> int:
    """Open or make the lock, which is an empty file: never through a link, never truncated."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, 0o600)
    except PermissionError:
        if path.exists():  # another user's
            raise _busy(path) from None
        raise
    except OSError:
        if path.is_symlink() or path.is_dir():
            raise _in_the_way(path) from None
        raise
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode) or state.st_size or state.st_nlink > 1:
        os.close(descriptor)
        raise _in_the_way(path)
    return descriptor


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


def _busy(path: Path) -> FileError:
    return FileError(
        f"Another run is using '{path.parent}'.",
        hint=f"Wait until it has ended, or choose another folder. If no other run exists, remove '{path}'.",
    )


def _in_the_way(path: Path) -> FileError:
    return FileError(
        f"'{path}' exists, but it is not a lock file of microagg.",
        hint="Remove it, or name another folder.",
    )
