"""Provenance: versions, arguments and files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from microagg.comparison.table import Comparison
from microagg.pipeline.outcome import Outcome
from microagg.provenance import WrittenFile, input_facts
from microagg.report.audience import Audience
from microagg.report.content import FactTable
from microagg.report.material import AssessmentLike
from microagg.report.section import section
from microagg.schema import SCHEMA_OPTIONS

TITLE, PLACE = "Provenance", 110


@section(TITLE, place=PLACE)
def of_release(
    outcome: Outcome,
    reader: Audience,
    software: Mapping[str, str],
    written: WrittenFile | None = None,
) -> Iterator[FactTable]:
    """Yield versions, arguments, input and the written file."""
    rows = [*software.items(), *_rows(outcome, reader, written)]
    yield FactTable(
        [(name.replace("_", " "), _in_words(value)) for name, value in rows if value != {}]
    )


@section(TITLE, place=PLACE)
def of_assessment(assessment: AssessmentLike, software: Mapping[str, str]) -> Iterator[FactTable]:
    """Yield the time and the versions of an assessment."""
    yield FactTable(list(software.items()))


@section(TITLE, place=PLACE)
def of_comparison(
    comparison: Comparison, software: Mapping[str, str], files: Mapping[str, str] | None = None
) -> Iterator[FactTable]:
    """Yield the time and the versions of a comparison."""
    named = [("File", name) for name in (files or {}).values()]
    yield FactTable([*software.items(), *named])


def _rows(
    outcome: Outcome, reader: Audience, written: WrittenFile | None
) -> Iterator[tuple[str, Any]]:
    arguments = outcome.settings.as_dict()
    for role in SCHEMA_OPTIONS:
        arguments.pop(role, None)
    for name in ("hierarchies", "distance_tables"):  # the columns will do
        if name in arguments:
            arguments[name] = list(getattr(outcome.settings, name))
    if written is not None:
        yield from (("Release file", written.name), ("Release SHA-256", written.sha256))
    for part, words in _PARTS.items():
        if (names := getattr(outcome.schema, part)) and (reader.inside or part != "orders"):
            yield words, names  # orders name categories
    yield "Kinds used", outcome.source.kinds or outcome.schema.kinds
    yield from ((f"Argument {name}", value) for name, value in arguments.items())
    if reader.inside:
        facts = input_facts(outcome.source)
        yield from (
            (f"Input {_INPUT.get(n, n)}", facts[n]) for n in facts if n not in ("columns", "kinds")
        )


_PARTS = {
    "identifiers": "Identifiers",
    "quasi_identifiers": "Quasi-identifiers",
    "confidential": "Confidential",
    "orders": "Orders of categories",
}


_INPUT = {
    "file_sha256": "file SHA-256",
    "quasi_identifiers_sha256": "quasi-identifiers SHA-256",
}


def _in_words(value: Any) -> str:
    """Return an argument as text."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_in_words(entry)}" for name, entry in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_in_words, value)) or "none"
    return "none" if value is None else str(value)
