"""What an unfinished release is known by: its input, its options and the software."""

from __future__ import annotations

import hashlib
import json
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


def read_manifest(path: Path) -> dict[str, Any] | None:
    """Return the manifest of unfinished work; None if the file is damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def changes_between(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Name what of two manifests differs; a file of another time may have the same content."""
    same = json.loads(json.dumps(now))
    changed = [part for part in ("input", "options", "software") if before.get(part) != same[part]]
    if "options" in changed:
        old, new = before.get("options", {}), same["options"]
        names = [name for name in {**new, **old} if old.get(name) != new.get(name)]
        changed[changed.index("options")] = f"options ({', '.join(names)})"
    return changed
