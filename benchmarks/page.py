"""The page of benchmarks: each command that measures writes its own part, between two marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def table_of(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table.

    Examples
    --------
    >>> table_of(["k", "loss"], [["3", "14.5"]])
    ['| k | loss |', '| --- | --- |', '| 3 | 14.5 |']
    """
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def write_part(name: str, lines: Iterable[str], page: Path = PAGE) -> None:
    """Put lines between the two marks of a part of a page."""
    start, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    text = page.read_text(encoding="utf-8")
    head, tail = text.split(start)[0], text.split(end)[1]
    page.write_text("\n".join([head + start, "", *lines, "", end + tail]), encoding="utf-8")
