"""The results of measures as text and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from microagg.measure.registry import KINDS, Finding
from microagg.report.audience import Audience
from microagg.report.content import MeasureRow

TITLES = {
    "loss": "What was lost",
    "risk": "What is at risk",
    "anonymity": "What the groups reveal",
    "score": "Loss and risk in one number",
}


def annex_of(
    findings: Iterable[Finding], n: int, audience: Audience
) -> dict[str, list[MeasureRow]]:
    """Return all measures that have a value, by the title of their kind."""
    groups = {
        title: [_row(f, n, audience) for f in group if f.value is not None]
        for title, group in by_kind(findings).items()
    }
    return {title: rows for title, rows in groups.items() if rows}


def _row(finding: Finding, n: int, audience: Audience) -> MeasureRow:
    one = finding.measure
    notes = [finding.note] if finding.note else []
    if finding.doubtful:
        notes.append("doubtful: read the cautions")
    value = audience.finding(finding, n, value_text(finding))
    return MeasureRow(
        title=one.title,
        name=one.name,
        value=value,
        direction=one.direction,
        range=one.range,
        meaning=sentence(finding),
        note="; ".join(notes),
    )


def value_text(finding: Finding) -> str:
    """Return the value with its unit.

    Examples
    --------
    >>> from microagg.measure.registry import find
    >>> value_text(Finding(find("il"), 5.6922)), value_text(Finding(find("k"), 3.0))
    ('5.692 %', '3')
    """
    value, unit = finding.value, finding.measure.unit
    if value is None:
        return "-"
    if unit:
        return f"{value:.3f} {unit}"
    return f"{value:.0f}" if value == round(value) else f"{value:.3f}"


def sentence(finding: Finding) -> str:
    """Return a sentence that explains the number."""
    summary = finding.measure.summary
    return f"{summary[0].upper()}{summary[1:]}."


def by_kind(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """Return findings by the title of their kind, the most common first."""
    groups: dict[str, list[Finding]] = {}
    for finding in sorted(
        findings, key=lambda f: (KINDS.index(f.measure.kind), f.measure.priority)
    ):
        groups.setdefault(TITLES[finding.measure.kind], []).append(finding)
    return groups


def not_measured(findings: Iterable[Finding]) -> str:
    """Return a sentence about the measures without a value, by reason, or an empty text."""
    reasons: dict[str, list[str]] = {}
    for finding in findings:
        if finding.value is None:
            reasons.setdefault(finding.reason, []).append(finding.measure.name)
    listed = [f"{', '.join(names)} ({reason})" for reason, names in reasons.items()]
    return f"Not measured: {'; '.join(listed)}." if listed else ""


def render(findings: Sequence[Finding], n: int, audience: Audience) -> str:
    """Return findings as text for a terminal, one paragraph per kind."""
    lines: list[str] = []
    for title, group in by_kind(findings).items():
        lines += [title]
        for finding in group:
            if finding.value is None:
                continue
            row = _row(finding, n, audience)
            lines.append(f"  {f'{row.title} ({row.name})':<62} {row.value:>11}  {row.direction}")
            lines.append(f"      {row.meaning}")
            lines += [f"      ({row.note})"] if row.note else []
        missing = not_measured(group)
        lines += [f"  {missing}"] if missing else []
        lines.append("")
    return "\n".join(lines)
