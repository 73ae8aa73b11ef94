"""What measures found, in plain words."""

from __future__ import annotations

from collections.abc import Iterable

from microagg.measure.registry import KINDS, Finding

TITLES = {
    "loss": "What was lost",
    "risk": "What is at risk",
    "anonymity": "What the groups hold",
    "score": "Loss and risk together",
}


_FIRST = ("il", "g-il", "linkage", "rld", "interval-disclosure", "g-dr", "k-anonymity")
"""What a reader looks for, before the rest."""


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


def judgement(finding: Finding) -> str:
    """Return whether the value is good, by which rule of thumb.

    Examples
    --------
    >>> from microagg.measure.registry import find
    >>> judgement(Finding(find("il"), 5.6922))
    'Good: at most 10 % is good, 40 % or more is poor.'
    """
    if not finding.verdict:
        return ""
    one = finding.measure
    most, more = ("at most", "or more") if one.better == "lower" else ("at least", "or less")
    good, poor = (f"{limit:g} {one.unit}".strip() for limit in (one.good, one.poor))
    rule = f"{most} {good} is good, {poor} {more} is poor."
    return f"{finding.verdict.capitalize()}: {rule}"


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


def render(findings: Iterable[Finding]) -> str:
    """Return findings as text for a terminal, one paragraph a kind."""
    lines: list[str] = []
    for title, group in by_kind(findings).items():
        lines += [title]
        for finding in group:
            if finding.value is None:
                continue
            verdict = f"  {finding.verdict}" if finding.verdict else ""
            label = f"{finding.measure.title} ({finding.measure.name})"
            lines.append(f"  {label:<60} {value_text(finding):>11}{verdict}")
            lines.append(f"      {sentence(finding)}")
            lines += [f"      ({finding.note})"] if finding.note else []
        missing = not_measured(group)
        lines += [f"  {missing}"] if missing else []
        lines.append("")
    return "\n".join(lines)
