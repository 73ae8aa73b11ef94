"""What measures found, in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from microagg.measure.registry import KINDS, Finding
from microagg.report.audience import Audience

TITLES = {
    "loss": "What was lost",
    "risk": "What is at risk",
    "anonymity": "What the groups hold",
    "score": "Loss and risk together",
}


_FIRST = ("il", "g-il", "linkage", "rld", "interval-disclosure", "g-dr", "k-anonymity")
"""What a reader looks for, before the rest."""


class Row(NamedTuple):
    """A measure in the annex of a report."""

    title: str
    name: str
    value: str
    direction: str
    range: str
    meaning: str
    note: str


def annex_of(
    findings: Iterable[Finding], n: int, audience: Audience
) -> tuple[list[tuple[str, list[Row]]], str]:
    """Return all measures by group, and which have no value."""
    found = list(findings)
    groups = [
        (title, [_row(f, n, audience) for f in group if f.value is not None])
        for title, group in by_kind(found).items()
    ]
    return [(title, rows) for title, rows in groups if rows], not_measured(found)


def _row(finding: Finding, n: int, audience: Audience) -> Row:
    one = finding.measure
    notes = [finding.note] if finding.note else []
    if finding.doubtful:
        notes.append("in doubt: read the cautions")
    value = audience.finding(finding, n, value_text(finding))
    direction, extent = one.direction, one.range
    return Row(one.title, one.name, value, direction, extent, sentence(finding), "; ".join(notes))


def value_text(finding: Finding) -> str:
    """Return the value with its unit, as a person reads it.

    Examples
    --------
    >>> from microagg.measure.registry import find
    >>> value_text(Finding(find("il"), 5.6922)), value_text(Finding(find("k-anonymity"), 3.0))
    ('5.692 %', '3')
    """
    value, unit = finding.value, finding.measure.unit
    if value is None:
        return "-"
    if unit:
        return f"{value:.3f} {unit}"
    return f"{value:.0f}" if value == round(value) else f"{value:.3f}"


def sentence(finding: Finding) -> str:
    """Return what the number is."""
    summary = finding.measure.summary
    return f"{summary[0].upper()}{summary[1:]}."


def by_kind(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """Return findings under the title of their kind, the best known first."""
    found = sorted(findings, key=lambda f: (KINDS.index(f.measure.kind), _rank(f)))
    groups: dict[str, list[Finding]] = {}
    for finding in found:
        groups.setdefault(TITLES[finding.measure.kind], []).append(finding)
    return groups


def _rank(finding: Finding) -> int:
    name = finding.measure.name
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)


def not_measured(findings: Iterable[Finding]) -> str:
    """Return which measures have no value, by reason, or nothing."""
    reasons: dict[str, list[str]] = {}
    for finding in findings:
        if finding.value is None:
            reasons.setdefault(finding.reason, []).append(finding.measure.name)
    said = [f"{', '.join(names)} ({reason})" for reason, names in reasons.items()]
    return f"Not measured: {'; '.join(said)}." if said else ""


def render(findings: Sequence[Finding], n: int, audience: Audience) -> str:
    """Return findings as text for a terminal, one paragraph a kind."""
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
