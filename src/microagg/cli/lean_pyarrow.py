"""pyarrow for a short command: without pandas, and with one heap of the system for small files.

pyarrow looks for pandas when it first converts a value, and imports it where it is installed: 30 MB and
0.2 s. The process of a command has no frames of pandas except those that a file format reads on purpose,
and pyarrow imports pandas again to convert these. pyarrow's own allocator keeps 15 MB in reserve, which
makes large files faster but not small ones; neither do the heaps that the C library gives to each thread,
of one or two megabytes. In a process that is not a command's own, pyarrow is left
alone.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

SMALL = 16 * 2**20
"""Bytes up to which a file is small."""

M_ARENA_MAX = -8
"""A parameter of glibc's `mallopt`."""

_process = {"is_own": False}


def own_this_process() -> None:
    """Say that this process runs one command and nothing else."""
    _process["is_own"] = True


def import_lean(files: Iterable[Path]) -> None:
    """Import pyarrow to read or write some files, with as little else as possible."""
    if not _process["is_own"]:
        return
    if "pyarrow" not in sys.modules and all(map(_is_small, files)):
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
        _share_heap()
    if "pandas" not in sys.modules:
        _hide_pandas()


def _is_small(file: Path) -> bool:
    """Return whether a file is small or still to be written; a folder may hold anything."""
    try:
        return not file.is_dir() and (not file.exists() or file.stat().st_size <= SMALL)
    except OSError:
        return False


def _share_heap() -> None:
    """Let all threads share a heap, unless the user has set how many there are; only glibc knows more."""
    if "MALLOC_ARENA_MAX" not in os.environ:
        with suppress(AttributeError, OSError, TypeError):
            ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def _hide_pandas() -> None:
    """Let pyarrow look for pandas now, and not find it."""
    import pyarrow as pa

    hidden = _Hidden()
    sys.meta_path.insert(0, hidden)
    try:
        pa.scalar(0)
    finally:
        sys.meta_path.remove(hidden)


class _Hidden(MetaPathFinder):
    def find_spec(self, name: str, path: Any, target: Any = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("pandas is not needed here.", name=name)
