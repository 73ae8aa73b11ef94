"""Commands without pandas: pyarrow imports it, where it is installed, to look for its frames.

It looks once, when it first converts a value; pandas takes 30 MB and 0.2 s. The process of a command has no
frames of pandas except those that a file format reads on purpose, and pyarrow imports pandas again to
convert these. In a process that is not a command's own, pyarrow is left alone.
"""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from typing import Any

_process = {"is_own": False}


def own_this_process() -> None:
    """Say that this process runs one command and nothing else."""
    _process["is_own"] = True


def hide_pandas_from_pyarrow() -> None:
    """Let pyarrow look for pandas now, and not find it."""
    if not _process["is_own"] or "pandas" in sys.modules:
        return
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
