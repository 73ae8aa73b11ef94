"""`FileRelease`: the result of `protect_file`."""

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
    """The paths of a release, and everything needed to evaluate it.

    Attributes
    ----------
    paths : mapping of str to path
        The path of each file, on this machine or in object storage: "data", "groups", "provenance" and
        "summary".
    outcome : Outcome
        Everything that is known about the release.
    written : WrittenFile
        The data file and the SHA-256 of its bytes.
    """

    paths: Mapping[str, FilePath]
    outcome: Outcome = field(repr=False)
    written: WrittenFile = field(repr=False)

    @property
    def measures(self) -> Mapping[str, float]:
        """The measures of the written values: "k" as counted, "il", "sse" and "sst"."""
        return self.outcome.measures

    @cached_property
    def provenance(self) -> Mapping[str, Any]:
        """Versions, arguments, fingerprint of the input and results, as written to a file."""
        return document(self.outcome, self.written)

    def summary(self) -> str:
        """Return the summary of the release as text."""
        return text.render(summary_of(self.outcome))
