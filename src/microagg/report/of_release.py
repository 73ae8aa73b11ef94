"""The page that tells what `protect` did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from microagg.constraints import OneOf, check
from microagg.data.frames import Frame
from microagg.errors import DataError
from microagg.mask.registry import masking_called
from microagg.measure.anonymity import anonymity
from microagg.measure.linkage import most_at_risk
from microagg.measure.pair import Pair, pair_of
from microagg.measure.registry import evaluate
from microagg.prepare.column import fingerprint
from microagg.prepare.options import Options
from microagg.prepare.read import read_columns
from microagg.report.comparison import choices_of
from microagg.report.confidential_limits import beside_means, beyond_words, found_words
from microagg.report.model import Summary, summarise
from microagg.report.page import FACES, Page, kinds_of, shared, tiles
from microagg.report.text import (
    along,
    bound_words,
    groups_words,
    no_promise,
    promise_words,
    set_apart,
    strata_role,
)


class ReleaseLike(Protocol):
    """What a report needs of a release."""

    @property
    def data(self) -> Any: ...
    @property
    def schema(self) -> Any: ...
    @property
    def partition(self) -> Any: ...
    @property
    def rows(self) -> Any: ...
    @property
    def provenance(self) -> Mapping[str, Any]: ...


def paired(original: Any, release: ReleaseLike) -> tuple[Any, Pair]:
    """Return the originals of the released records, and both as a pair compared as in `protect`."""
    roles = release.schema
    options = Options.from_arguments(release.provenance["arguments"])
    _require_same_records(Frame(original), release, options)
    if release.rows is not None:
        original = Frame(original).rows(release.rows).to_native()
    columns = (roles.quasi_identifiers, roles.confidential, roles.kinds, roles.orders)
    return original, pair_of(original, release.data, *columns, options)


def _require_same_records(original: Frame, release: ReleaseLike, options: Options) -> None:
    """Raise when these are not the records that were protected, in the same order."""
    source, roles = release.provenance["input"], release.schema
    original.require(roles.quasi_identifiers, "quasi_identifiers")
    same = original.n == source["rows"]
    if same and "quasi_identifiers_sha256" in source:
        columns = read_columns(original, roles, options)[0]
        if release.rows is not None:
            columns = {n: c.filled(c.values[release.rows]) for n, c in columns.items()}
        same = fingerprint(columns) == source["quasi_identifiers_sha256"]
    if not same:
        raise DataError(
            "The original is not what the release was made from, or its rows are in another order: "
            "the number of records or the SHA-256 of the quasi-identifiers differs.",
            hint="Give the frame that was protected, with its rows in the same order.",
        )


def page_of_release(
    original: Any,
    release: ReleaseLike,
    *,
    face: str = "internal",
    comparison: Any = None,
) -> Page:
    """Return the report of what `protect` did, with the map of a comparison if there is one."""
    check("face", face, OneOf(FACES), "write_report")
    original, pair = paired(original, release)
    findings = evaluate(pair)
    summary = summarise(release.provenance)
    numbers = None if release.rows is None else release.rows + 1
    return Page(
        title="Release report",
        face=face,
        lead=_lead(summary),
        done=_done(summary),
        facts=[*_roles(summary), *kinds_of(pair), *_synthetic(original, release, summary)],
        promises=_promises(summary, release.data),
        provenance=_provenance(release.provenance, face),
        warnings=[*summary.cautions, *_kept(summary)],
        at_risk=most_at_risk(pair, numbers).words() if face == "internal" else (),
        **({} if comparison is None else choices_of(comparison)),
        **shared(pair, findings, face, summary.k_promised),
        tiles=tiles(pair, findings, summary.k_promised),
    )


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
        *set_apart(summary),
        "Whoever knows these values of a person finds at least "
        f"{summary.k_promised} records that fit equally well.",
        *bound_words(summary),
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
        strata_role(summary): summary.strata,
        "Kept as it is (weights of the records)": summary.weights,
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
    for name in ("hierarchies", "distance_tables"):  # the columns will do
        if name in arguments:
            arguments[name] = list(arguments[name])
    roles, source = arguments.pop("schema"), provenance["input"]
    told = [("Created", provenance["created"]), *provenance["software"].items()]
    for part, said in _PARTS.items():
        if roles.get(part) and (face == "internal" or part != "orders"):  # which name categories
            told.append((said, roles[part]))
    told.append(("Kinds as taken", source.get("kinds", roles["kinds"])))
    told += [(f"Argument {name}", value) for name, value in arguments.items()]
    if face == "internal":
        shown = (name for name in source if name not in ("columns", "kinds"))
        told += [(f"Input {name}", source[name]) for name in shown]
    return [(name.replace("_", " "), _in_words(value)) for name, value in told if value != {}]


_PARTS = {
    "identifiers": "Identifiers",
    "quasi_identifiers": "Quasi-identifiers",
    "confidential": "Confidential",
    "orders": "Orders of categories",
}


def _in_words(value: Any) -> str:
    """Return an argument as a person writes it."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_in_words(entry)}" for name, entry in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_in_words, value)) or "none"
    return "none" if value is None else str(value)
