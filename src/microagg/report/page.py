"""The numbers and words of an HTML report, without any markup; and its two faces.

The internal face holds everything. The external face holds nothing that describes single records
or small cells: no row numbers, no cloud of records, no counts below k or 5, no ends of a column's
range, no fingerprint of the input.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from microagg.constraints import OneOf, check
from microagg.mask.registry import masking_called
from microagg.measure.anonymity import anonymity
from microagg.measure.linkage import most_at_risk
from microagg.measure.pair import Pair, pair_of
from microagg.measure.registry import Finding, evaluate
from microagg.measure.risk.record_linkage import WAYS
from microagg.report.beyond import beside_means, beyond_words, found_words
from microagg.report.distributions import (
    Distribution,
    correlation_of,
    distributions_of,
    group_cloud,
    group_sizes,
)
from microagg.report.model import Summary, summarise
from microagg.report.text import along, bound_words, groups_words, no_promise, promise_words

FACES = ("internal", "external")
FEWEST = 5
"""Counts below this, or below k, are not shown to others."""

Choice = tuple[str, float, float, bool]
"""A choice on the risk-utility map: its name, loss, risk, and whether nothing beats it."""


class Tile(NamedTuple):
    """A large number with its label; an alarming one is marked."""

    value: str
    label: str
    alarming: bool = False


@dataclass(frozen=True)
class Page:
    """All that a report shows."""

    title: str
    face: str
    lead: str
    tiles: Sequence[Tile]
    done: Sequence[str]
    facts: Sequence[tuple[str, str]]
    promises: Sequence[tuple[bool, str]]
    findings: Sequence[Finding]
    provenance: Sequence[tuple[str, str]]
    notes: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    columns: Sequence[Distribution] = ()
    correlation: tuple[list[str], list[list[float]], list[list[float]]] | None = None
    sizes: Sequence[tuple[int, int]] = ()
    sizes_words: str = ""
    sizes_remark: str = ""
    cloud: Sequence[tuple[float, float, float, float]] = ()
    cloud_remark: str = ""
    worst_rows: Sequence[int] = ()
    certain: int = 0
    choices: Sequence[Choice] = ()
    choice_words: str = ""
    choice_loss: str = "G_IL"
    choice_table: Sequence[Sequence[str]] = ()


class ReleaseLike(Protocol):
    """What a report needs of a release."""

    @property
    def data(self) -> Any: ...
    @property
    def schema(self) -> Any: ...
    @property
    def partition(self) -> Any: ...
    @property
    def provenance(self) -> Mapping[str, Any]: ...


class AssessmentLike(Protocol):
    """What a report needs of an assessment."""

    @property
    def pair(self) -> Pair: ...
    @property
    def findings(self) -> tuple[Finding, ...]: ...
    @property
    def notes(self) -> Mapping[str, str]: ...
    @property
    def warnings(self) -> tuple[str, ...]: ...
    @property
    def worst_rows(self) -> tuple[int, ...]: ...
    @property
    def certain(self) -> int: ...
    @property
    def matched_by(self) -> str: ...


def page_of_release(
    original: Any,
    release: ReleaseLike,
    *,
    face: str = "internal",
    choices: Sequence[Choice] = (),
    choice_words: str = "",
) -> Page:
    """Return the report of what `protect` did."""
    check("face", face, OneOf(FACES), "write_report")
    schema = release.schema
    pair = pair_of(
        original, release.data, schema.quasi_identifiers, schema.confidential, schema.kinds
    )
    findings = evaluate(pair)
    summary = summarise(release.provenance)
    worst, certain = most_at_risk(pair) if face == "internal" else ((), 0)
    return Page(
        title="Release report",
        face=face,
        lead=_lead(summary),
        done=_done(summary),
        facts=[*_roles(summary), *_synthetic(original, release, summary)],
        promises=_promises(summary, release.data),
        provenance=_provenance(release.provenance, face),
        warnings=[*summary.cautions, *_kept(summary)],
        worst_rows=worst,
        certain=certain,
        choices=choices,
        choice_words=choice_words,
        **_shared(pair, findings, face, summary.k_promised),
        tiles=_tiles(pair, findings, summary.k_promised),
    )


def page_of_assessment(
    found: AssessmentLike, files: Mapping[str, str] | None = None, *, face: str = "internal"
) -> Page:
    """Return the report of what `assess` found."""
    check("face", face, OneOf(FACES), "write_report")
    pair, inside = found.pair, face == "internal"
    facts = [("Records", f"{pair.n:,}, matched by {found.matched_by}")]
    facts += [("Keys (what an intruder may know)", ", ".join(pair.keys))]
    named = (files or {}).items() if inside else ()
    facts += [(f"{what.capitalize()} file", name) for what, name in named]
    k = pair.anonymity.k
    words = f"Each combination of the keys belongs to {k:,} released records or more (k = {k})."
    if k == 1:
        words = "Some released records are alone with their combination of the keys (k = 1)."
    return Page(
        title="Assessment of a masked file",
        face=face,
        lead=f"{pair.n:,} released records were compared with their originals.",
        done=["The masked file is judged as it is, whatever tool made it."],
        facts=facts,
        promises=[(k > 1, words)],
        warnings=found.warnings if inside else (),
        worst_rows=found.worst_rows if inside else (),
        certain=found.certain,
        provenance=software(),
        **_shared(pair, found.findings, face, k),
        tiles=_tiles(pair, found.findings),
    )


def _shared(pair: Pair, findings: tuple[Finding, ...], face: str, k: int) -> dict[str, Any]:
    """Return the parts that both reports have."""
    inside = face == "internal"
    least = 0 if inside else max(k, FEWEST)
    sizes, words, remark = group_sizes(pair)
    lines, cloud_remark = group_cloud(pair) if inside else ([], "")
    return {
        "findings": findings,
        "notes": dict(pair.notes),
        "columns": distributions_of(pair, least),
        "correlation": correlation_of(pair),
        "sizes": sizes if inside else [],
        "sizes_words": words,
        "sizes_remark": remark,
        "cloud": lines,
        "cloud_remark": cloud_remark,
    }


def _tiles(pair: Pair, findings: Sequence[Finding], asked: int | None = None) -> list[Tile]:
    values = {f.measure.name: f.value for f in findings if f.value is not None}
    k = pair.anonymity.k
    below = asked is not None and k < asked
    whole = "k of the whole record" if asked is not None else "k of all keys together"
    said = f"{whole}: below the {asked} asked for" if below else whole
    tiles = [Tile(f"{pair.n:,}", "records"), Tile(f"{k:,}", said, below)]
    wanted = {"il": "information loss, of the spread", "categories-changed": "change of categories"}
    tiles += [
        Tile(f"{values[name]:.1f} %", label) for name, label in wanted.items() if name in values
    ]
    linked = [values[name] for name in WAYS if name in values]
    if linked:
        tiles.append(Tile(f"{max(linked):.1f} %", "records linked by distance, at most"))
    return tiles


def _lead(summary: Summary) -> str:
    start = f"{summary.rows:,} records were protected by microaggregation"
    if summary.synthetic:
        return f"{start} and synthetic records in each group: read the warnings."
    if not summary.as_a_whole:
        return f"{start} that makes no groups of whole records: read the warnings."
    return (
        f"{start}: each one's quasi-identifiers were replaced by those of a group of at least "
        f"{summary.k_promised}."
    )


def _done(summary: Summary) -> list[str]:
    ending = [summary.ending] if summary.ending else []
    if summary.synthetic:
        return [
            f"The method {summary.method} put similar records into {groups_words(summary)}. In each "
            "group, the records were replaced by synthetic ones with the same means and covariances.",
            *ending,
        ]
    if not summary.as_a_whole:
        return [
            f"The values of the quasi-identifiers were replaced by {_by(summary)}.",
            *ending,
        ]
    some = set(summary.grouped_on) != set(summary.replaced)
    on = f", similar in {', '.join(map(str, summary.grouped_on))}," if some else ""
    stands = "the mean of the group" if summary.by_means else "one value that stands for the group"
    return [
        f"{_method(summary)} put similar records{on} into {groups_words(summary)}. In each "
        f"group, the quasi-identifiers were replaced by {stands}.",
        *ending,
        "Whoever knows these values of a person finds at least "
        f"{summary.k_promised} records that fit equally well.",
        *([bound_words(summary)] if summary.lower_bound is not None else []),
    ]


def _method(summary: Summary) -> str:
    """Return the method as a subject, with the axis along which it works if there is one."""
    way = along(summary)
    return f"The method {summary.method}{way}," if way else f"The method {summary.method}"


def _by(summary: Summary) -> str:
    """Return what replaced values without groups of whole records."""
    if masking_called(summary.method) is not None:
        return f"the masking {summary.method}"
    return f"{summary.method}{along(summary)}"


def _roles(summary: Summary) -> list[tuple[str, str]]:
    roles = {
        "Removed (identifiers)": summary.removed,
        "Replaced (quasi-identifiers)": _replaced(summary),
        "Kept as they are (confidential)": summary.confidential,
        "Kept as they are (strata that groups do not cross)": summary.strata,
        "Kept as they are (weights of the records)": summary.weights,
        "Kept as they are (no role given)": summary.unchanged,
        "Kept as it is (index of the frame)": summary.index,
    }
    return [(role, ", ".join(map(str, names))) for role, names in roles.items() if names]


def _replaced(summary: Summary) -> list[str]:
    if summary.by_means:
        return [str(name) for name in summary.replaced]
    return [f"{name} ({summary.aggregate[name]})" for name in summary.replaced]


def _kept(summary: Summary) -> list[str]:
    if not summary.unchanged and not summary.index:
        return []
    return [
        "Some columns have no role and were released as they are. Check that none of them can "
        "identify a person."
    ]


def _promises(summary: Summary, released: Any) -> list[tuple[bool, str]]:
    """Return each promise with what is counted on the released values now."""
    checked = []
    if not summary.promises and not summary.beyond:
        words = no_promise(summary)
        nothing = "Nothing is promised" if words == "nothing" else f"Promised: {words}"
        checked.append((False, f"{nothing}."))
    for columns, k in summary.promises:
        found = anonymity(released, columns).k
        words = promise_words(summary, columns, k)
        checked.append((found >= k, f"Promised: {words}. Counted on the released values: {found}."))
    for promise, _ in summary.beyond:
        value = promise.achieved(released)
        said = f"Promised: {beyond_words(promise)}. Counted on the released values: "
        checked.append((promise.holds(value), f"{said}{found_words(promise, value)}."))
    return checked


def _synthetic(original: Any, release: ReleaseLike, summary: Summary) -> list[tuple[str, str]]:
    """Return synthetic records beside plain means, where the release has such."""
    if not summary.synthetic:
        return []
    return beside_means(original, release.data, release.partition, summary.replaced)


def _provenance(provenance: Mapping[str, Any], face: str) -> list[tuple[str, str]]:
    arguments = {**provenance["arguments"]}
    arguments.pop("schema", None)
    rows = [("Created", str(provenance["created"]))]
    rows += [(name, str(version)) for name, version in provenance["software"].items()]
    for name in ("hierarchies", "distance_tables"):  # the columns will do
        if name in arguments:
            arguments[name] = ", ".join(map(str, arguments[name]))
    rows += [(f"Argument {name}", str(value)) for name, value in arguments.items()]
    if face == "internal":
        source = provenance["input"]
        rows += [(f"Input {name}", str(source[name])) for name in source if name != "columns"]
    return rows


def software() -> list[tuple[str, str]]:
    """Return when and with what a page was made."""
    from datetime import UTC, datetime
    from importlib.metadata import version

    created = datetime.now(UTC).isoformat(timespec="seconds")
    return [("Created", created), ("microagg", version("microagg"))]
