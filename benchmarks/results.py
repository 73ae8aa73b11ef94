"""What runs have found, a line of JSON each: a run that was ended goes on where it stood."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def kept(path: Path) -> list[dict[str, Any]]:
    """Return what was found so far; a line that a kill has cut off is no result."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def keep(path: Path, result: dict[str, Any]) -> None:
    """Add a result."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    cut_off = bool(before) and not before.endswith("\n")
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" * cut_off + json.dumps(result) + "\n")
