"""The compiled form of a kernel on disk: one file for each kernel and types of arguments.

A file opens with the digest of the rest, so that one that is empty, cut short or garbage is noticed before
it is run; the kernel is then compiled anew. Files are put in place when they are complete, so that several
processes can work in one folder. A process that finds another one compiling the same kernel waits for its
result.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from numba.core import config
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.environment import Environment, _rebuild_env, lookup_environment
from numba.core.serialize import dumps

from microagg.kernels.cache_folder import cache_folder, warn_once
from microagg.kernels.whole_program import add_runtime_symbols

DIGEST = 32
"""Bytes of the digest at the head of a file."""

PATIENCE = 300.0
"""Seconds to wait for another process that compiles the same kernel."""

LOOK_EVERY = 0.05


class KernelCache(_Cache):
    """What numba asks about the compiled forms of one kernel."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__.removeprefix('microagg.kernels.')}.{function.__name__}"

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(cache_folder() or "")

    def enable(self) -> None:
        """Do nothing: it is always enabled."""

    def disable(self) -> None:
        """Do nothing: it is always enabled."""

    def flush(self) -> None:
        """Do nothing: what has changed has another folder."""

    def file_of(self, sig: Any, target_context: Any) -> Path | None:
        """Return where the code for some types and this processor belongs; None without a folder."""
        folder = cache_folder()
        if folder is None:
            return None
        vectors = getattr(config, "USING_SVML", False)  # such code needs Intel's library to run
        key = f"{sig} {target_context.codegen().magic_tuple()} {vectors}"
        return folder / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:24]}.bin"

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """Return the code that was kept, None where there is none that is whole."""
        file = self.file_of(sig, target_context)
        try:
            if file is None or not file.exists():
                return None
            content = _own_content(file)
        except OSError as error:
            warn_once(f"A compiled kernel cannot be read from '{file}' ({error.strerror}).")
            return None
        if content is None:
            warn_once(f"The compiled kernel in '{file}' belongs to another user; it is not used.")
            return None
        body = content[DIGEST:]
        if hashlib.sha256(body).digest() != content[:DIGEST]:
            warn_once(f"The compiled kernel in '{file}' is damaged.", "It is compiled again.")
            return None
        add_runtime_symbols()
        return CompileResult._rebuild(target_context, *_Unpickler(BytesIO(body)).load())

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code; without a place for it, it is compiled again in the next run."""
        file = self.file_of(sig, data.target_context)
        if file is None:
            return
        body = dumps(data._reduce())
        try:
            _put(file, hashlib.sha256(body).digest() + body)
        except OSError as error:
            warn_once(f"A compiled kernel cannot be stored in '{file.parent}' ({error.strerror}).")

    @contextmanager
    def alone(self, sig: Any, target_context: Any, waiting: Callable[[], None]) -> Iterator[None]:
        """Hold off other processes that want the same code, or wait for the one that makes it.

        `waiting` is called again and again during a wait.
        """
        file = self.file_of(sig, target_context)
        if file is None or file.exists() or sys.platform == "win32":
            yield
            return
        path = file.with_suffix(".lock")
        try:
            lock: IO[bytes] | None = _opened_lock(path)
        except OSError:  # a folder that can only be read, or a link
            lock = None
        if lock is None:
            yield
            return
        with lock:
            _wait_for(lock, file, waiting)
            yield
            with suppress(OSError):
                path.unlink()


class _Unpickler(pickle.Unpickler):
    """Reads compiled code without importing the modules of numba that it was compiled from."""

    def find_class(self, module: str, name: str) -> Any:
        loaded = super().find_class(module, name)
        return _environment if loaded is _rebuild_env else loaded


def _environment(module: str, constants: list[Any], name: str) -> Any:
    """Return the environment of a compiled function: its constants.

    Only code that is interpreted looks into the names of its module, and kernels are not.
    """
    environment = lookup_environment(name)
    if environment is None:
        environment = Environment({"__name__": module})
        environment.consts[:] = constants
        environment.env_name = name
        Environment._memo[name] = environment
    return environment


def _own_content(file: Path) -> bytes | None:
    """Return what is in a file, None where another user could have written it: it would be executed.

    The folder was looked at when it was chosen. Its name may lead elsewhere since.
    """
    with file.open("rb") as stream:
        about = os.fstat(stream.fileno())
        if sys.platform != "win32" and (
            about.st_uid not in (os.getuid(), 0) or stat.S_IMODE(about.st_mode) & 0o022
        ):
            return None
        return stream.read()


def _opened_lock(path: Path) -> IO[bytes]:
    """Open or make an empty file, never through a link and without emptying what is there."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags, 0o600), "r+b")


def _wait_for(lock: IO[bytes], file: Path, waiting: Callable[[], None]) -> None:
    """Wait until the lock is free or the file is there; not for ever."""
    import fcntl

    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE and not file.exists():
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            waiting()
            time.sleep(LOOK_EVERY)
        except OSError:  # a file system without locks
            return


def _put(file: Path, content: bytes) -> None:
    """Write a whole file or none."""
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=".new-")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        Path(name).replace(file)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
