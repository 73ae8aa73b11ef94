"""What an unfinished release is known by: its input, its options and the software."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from microagg.pipeline import software as versions


def manifest_of(state: tuple[int, int], sha256: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what must be the same for unfinished work to be gone on with.

    `state` is the size of the input and when it was changed, of which the time need not be the same.
    """
    size, modified = state
    return {
        "modified": modified,
        "input": {"bytes": size, "sha256": sha256},
        "options": dict(options),
        "software": software(),
    }


def software() -> dict[str, str]:
    """Return all that the bytes of work and release depend on, this very code among it."""
    import pyarrow as pa

    return {**versions.software(), "pyarrow": pa.__version__, "source": _source_hash()}


def _source_hash() -> str:
    root, found = Path(__file__).parents[1], hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        found.update(str(path.relative_to(root)).encode())
        found.update(path.read_bytes())
    return found.hexdigest()
