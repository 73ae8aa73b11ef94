"""`FileRelease`: what comes back when a file was protected piece by piece."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from microagg.report import text
from microagg.report.model import summarise


@dataclass(frozen=True)
class FileRelease:
    """Where a release lies, and all that is needed to judge it.

    Attributes
    ----------
    paths : mapping of str to Path
        "data", "groups", "provenance" and "summary".
    measures : mapping of str to float
        "k" as counted on the written values; "il", "sse" and "sst" of the written values.
    provenance : mapping
        Versions, arguments, fingerprint of the input, results.
    """

    paths: Mapping[str, Path]
    measures: Mapping[str, float]
    provenance: Mapping[str, Any] = field(repr=False)

    def summary(self) -> str:
        """Return what a person wants to know, as text."""
        return text.render(summarise(self.provenance))
