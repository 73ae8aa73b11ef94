"""The page that tells what `assess` found about a masked file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from microagg.constraints import OneOf, check
from microagg.measure.linkage import AtRisk
from microagg.measure.other_columns import OtherColumns
from microagg.measure.pair import Pair
from microagg.measure.registry import Finding
from microagg.report.page import AUDIENCES, Page, kinds_of, shared, software, tiles


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
    check("audience", audience, OneOf(AUDIENCES), "write_report")
    pair, inside = found.pair, audience == "internal"
    facts = [("Records", f"{pair.n:,}, matched by {found.matched_by}")]
    facts += [
        ("Quasi-identifiers (what an intruder may know)", ", ".join(pair.keys)),
        *kinds_of(pair),
    ]
    if found.score is not None and found.loss_weight != 0.5 and not _doubted(found.findings):
        said = f"{found.score:.3f}, with a weight of {found.loss_weight:g} on loss"
        facts.append(("Score of loss and risk together", said))
    named = (files or {}).items() if inside else ()
    facts += [(f"{what.capitalize()} file", name) for what, name in named]
    k = pair.anonymity.k
    words = f"Each combination of the keys belongs to {k:,} released records or more (k = {k})."
    if k == 1:
        words = "Some released records are alone with their combination of the keys (k = 1)."
    exposed = bool(found.other_columns.warnings())
    if exposed:
        words += " Other columns are released unchanged and give more away: read the warnings."
    return Page(
        title="Assessment of a masked file",
        audience=audience,
        lead=f"{pair.n:,} released records were compared with their originals.",
        done=["The masked file is judged as it is, whatever tool made it.", *found.not_judged],
        facts=facts,
        promises=[(k > 1 and not exposed, words)],
        warnings=found.warnings_for(audience),
        at_risk=found.at_risk.words() if inside else (),
        provenance=software(),
        **shared(pair, found.findings, audience, k),
        tiles=tiles(pair, found.findings, unchanged=found.other_columns.released),
    )


def _doubted(findings: tuple[Finding, ...]) -> bool:
    return any(finding.doubtful for finding in findings if finding.measure.kind == "score")
