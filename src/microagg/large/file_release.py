"""`FileRelease`: what comes back when a file was protected piece by piece."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from microagg.data.remote import FilePath
from microagg.pipeline.outcome import Outcome
from microagg.provenance import WrittenFile, document
from microagg.report import text
from microagg.report.summary import summary_of


@dataclass(frozen=True, eq=False)
class FileRelease:
    """Where a release lies, and all that is needed to judge it.

    Attributes
    ----------
    paths : mapping of str to path
        Where they are, on this machine or in object storage: "data", "groups", "provenance" and "summary".
    outcome : Outcome
        All that is known of the release.
    written : WrittenFile
        The data file and the SHA-256 of its bytes.
    """

    paths: Mapping[str, FilePath]
    outcome: Outcome = field(repr=False)
    written: WrittenFile = field(repr=False)

    @property
    def measures(self) -> Mapping[str, float]:
        """The figures of the written values: "k" as counted, "il", "sse" and "sst"."""
        return self.outcome.measures

    @cached_property
    def provenance(self) -> Mapping[str, Any]:
        """Versions, arguments, fingerprint of the input, results: the outcome as a file keeps it."""
        return document(self.outcome, self.written)

    def summary(self) -> str:
        """Return what a person wants to know, as text."""
        return text.render(summary_of(self.outcome))
