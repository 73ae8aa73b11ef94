"""`Material`: what a report is made from. A section names the parts that it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from microagg.comparison.table import Comparison
from microagg.measure.copies import Copy
from microagg.measure.linkage import AtRisk
from microagg.measure.other_columns import OtherColumns
from microagg.measure.pair import Pair
from microagg.measure.registry import Finding
from microagg.measure.utility.utility import Utility
from microagg.pipeline.outcome import Outcome
from microagg.provenance import WrittenFile
from microagg.report.audience import Audience
from microagg.report.comparison import RiskUtilityMap
from microagg.report.summary import Summary


class AssessmentLike(Protocol):
    """What a report needs of an assessment."""

    @property
    def pair(self) -> Pair: ...
    @property
    def n(self) -> int: ...
    @property
    def findings(self) -> tuple[Finding, ...]: ...
    @property
    def other_columns(self) -> OtherColumns: ...
    @property
    def at_risk(self) -> AtRisk: ...
    @property
    def copies(self) -> tuple[Copy, ...]: ...
    @property
    def utility(self) -> Utility | None: ...
    @property
    def loss_weight(self) -> float: ...
    @property
    def score(self) -> float | None: ...
    @property
    def matched_by(self) -> str: ...
    @property
    def not_judged(self) -> tuple[str, ...]: ...
    def warnings_for(self, audience: str) -> tuple[str, ...]: ...


@dataclass(frozen=True, kw_only=True)
class Material:
    """What a report is made from; None is what this report does not have.

    Attributes
    ----------
    reader : Audience
        Who reads the report, and what may be shown.
    software : mapping of str to str
        When ("Created") and with which versions the report was made.
    outcome, summary : Outcome and Summary, optional
        Of a release, in the report of one.
    written : WrittenFile, optional
        The file of the release.
    assessment : Assessment, optional
        Of a masked file, in the report of one.
    files : mapping of str to str, optional
        The names of the files that were compared, by what they are.
    pair : Pair, optional
        The original and the released records.
    findings : tuple of Finding, optional
        What was measured of them.
    at_risk : AtRisk, optional
        The records that are most likely recognised.
    utility : Utility, optional
        What analysts can still learn about a target.
    comparison : Comparison, optional
        Of settings, in the report of one.
    choices : RiskUtilityMap, optional
        The map of a comparison.
    """

    reader: Audience
    software: Mapping[str, str]
    outcome: Outcome | None = None
    summary: Summary | None = None
    written: WrittenFile | None = None
    assessment: AssessmentLike | None = None
    files: Mapping[str, str] | None = None
    pair: Pair | None = None
    findings: tuple[Finding, ...] | None = None
    at_risk: AtRisk | None = None
    utility: Utility | None = None
    comparison: Comparison | None = None
    choices: RiskUtilityMap | None = None


def about(data_set: str, software: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return what a report is about: the data set, the date in words, and the version.

    Examples
    --------
    >>> about("people.csv", {"Created": "2026-11-16T10:46:45+00:00", "microagg": "0.2.0"})[1]
    ('Date', '16 November 2026, 10:46 UTC')
    """
    moment = datetime.fromisoformat(software["Created"]).astimezone(UTC)
    date = f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}, {moment:%H:%M} UTC"
    version = software["microagg"]
    return [("Data set", data_set), ("Date", date), ("Made with", f"microagg {version}")]


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
