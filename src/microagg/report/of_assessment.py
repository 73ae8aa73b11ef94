"""The report of what `assess` found about a masked file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from microagg.measure.copies import Copy
from microagg.measure.linkage import AtRisk
from microagg.measure.other_columns import OtherColumns
from microagg.measure.pair import Pair
from microagg.measure.registry import Finding
from microagg.measure.utility.utility import Utility
from microagg.report.audience import Audience
from microagg.report.page import Page, about, kinds_of, shared, software
from microagg.report.utility import utility_parts
from microagg.report.verdict import verdict_of_assessment


class AssessmentLike(Protocol):
    """What a report needs of an assessment."""

    @property
    def pair(self) -> Pair: ...
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


def page_of_assessment(
    found: AssessmentLike, files: Mapping[str, str] | None = None, *, audience: str = "internal"
) -> Page:
    """Return the report of what `assess` found."""
    pair = found.pair
    reader = Audience.of_assessed(audience, pair.anonymity.k)
    facts = [("Records", f"{pair.n:,}, matched by {found.matched_by}")]
    facts += [
        ("Quasi-identifiers", ", ".join(pair.keys)),
        *kinds_of(pair),
    ]
    if found.score is not None and found.loss_weight != 0.5 and not _doubted(found.findings):
        said = (
            f"{found.score:.3f} (lower is better), with a weight of {found.loss_weight:g} on loss"
        )
        facts.append(("Score of loss and risk together", said))
    named = reader.only_inside(dict(files or {}), {})
    facts += [(f"{what.capitalize()} file", name) for what, name in named.items()]
    k = pair.anonymity.k
    words = f"Each combination of quasi-identifiers belongs to at least {k:,} released records."
    if k == 1:
        words = "Some released records are unique on the quasi-identifiers (k = 1)."
    exposed = bool(found.other_columns.warnings())
    if exposed:
        words += " Columns that are released unchanged give more away: read the cautions."
    versions = dict(software())
    return Page(
        title="Assessment of a masked file",
        audience=audience,
        lead=f"{pair.n:,} released records were compared with their originals.",
        about=about(
            named.get("released", "tables in memory"), versions["Created"], versions["microagg"]
        ),
        verdict=verdict_of_assessment(
            pair, found.findings, found.other_columns, found.copies, reader
        ),
        done=["The masked file is judged as it is, whatever tool made it.", *found.not_judged],
        facts=facts,
        promises=[(k > 1 and not exposed, words)],
        warnings=found.warnings_for(audience),
        at_risk=found.at_risk.words() if reader.inside else (),
        provenance=list(versions.items()),
        **utility_parts(found.utility, reader),
        **shared(pair, found.findings, reader),
    )


def _doubted(findings: tuple[Finding, ...]) -> bool:
    return any(finding.doubtful for finding in findings if finding.measure.kind == "score")
