"""What an unfinished release is known by: its input, its options and the software."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from microagg.large.dataset import FileState, SourceFiles
from microagg.pipeline import software as versions


def manifest_of(
    data: SourceFiles, state: Sequence[FileState], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what must be the same for unfinished work to be continued.

    `state` is the size of each file of the input and its times. Where only the times differ, the content
    decides.
    """
    names = [data.relative(file).as_posix() for file in range(len(data.files))]
    return {
        "modified": [list(times) for _, *times in state],
        "input": [[name, size] for name, (size, *_) in zip(names, state, strict=True)],
        "options": dict(options),
        "software": software(),
    }


def software() -> dict[str, str]:
    """Return all that the bytes of work and release depend on, this very code among it."""
    import pyarrow as pa

    return {**versions.software(), "pyarrow": pa.__version__, "source": _source_hash()}


def _source_hash() -> str:
    root, digest = Path(__file__).parents[1], hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
