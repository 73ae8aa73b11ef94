"""`Material`: the input of a report. A section names the parts that it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from microagg.comparison.table import Comparison
from microagg.measure.at_risk import AtRisk
from microagg.measure.copies import Copy
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
    """The parts of an assessment that a report needs."""

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
    """The input of a report; parts that the report does not have are None.

    Attributes
    ----------
    reader : Audience
        The audience, which determines what may be shown.
    software : mapping of str to str
        The time ("Created") and the software versions of the report.
    outcome, summary : Outcome and Summary, optional
        The outcome and the summary, in the report of a release.
    written : WrittenFile, optional
        The file of the released data.
    assessment : Assessment, optional
        The assessment, in the report of a masked file.
    files : mapping of str to str, optional
        The names of the files that were compared, by their roles.
    pair : Pair, optional
        The original and the released records.
    findings : tuple of Finding, optional
        The measures.
    at_risk : AtRisk, optional
        The records that are most likely to be re-identified.
    utility : Utility, optional
        How well a target can still be analysed.
    comparison : Comparison, optional
        The comparison, in the report of one.
    choices : RiskUtilityMap, optional
        The risk-utility map of a comparison.
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
