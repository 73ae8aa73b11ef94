"""The numbers and words of an HTML report, without any markup; and its two audiences.

The internal audience sees everything. The external audience sees nothing that describes single records
or small cells: no row numbers, no cloud of records, no counts below k or 5, no ends of a column's
range, no fingerprint of the input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from microagg.measure.pair import Pair
from microagg.measure.registry import Finding
from microagg.measure.risk.record_linkage import WAYS
from microagg.report.charts import Point
from microagg.report.distributions import (
    Distribution,
    columns_left_out,
    correlation_of,
    correlations_left_out,
    distributions_of,
    group_cloud,
    group_sizes,
)

AUDIENCES = ("internal", "external")
FEWEST = 5
"""Counts below this, or below k, are not shown to others."""

Choice = tuple[str, float, float, bool] | Point
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
    audience: str
    lead: str
    tiles: Sequence[Tile]
    done: Sequence[str]
    facts: Sequence[tuple[str, str]]
    promises: Sequence[tuple[bool, str]]
    findings: Sequence[Finding]
    provenance: Sequence[tuple[str, str]]
    warnings: Sequence[str] = ()
    columns: Sequence[Distribution] = ()
    columns_words: str = ""
    correlation: tuple[list[str], list[list[float]], list[list[float]]] | None = None
    correlation_words: str = ""
    sizes: Sequence[tuple[str, int]] = ()
    sizes_words: str = ""
    sizes_remark: str = ""
    cloud: Sequence[tuple[float, float, float, float]] = ()
    cloud_remark: str = ""
    at_risk: Sequence[str] = ()
    choices: Sequence[Choice] = ()
    choice_words: str = ""
    choice_loss: str = "g-il"
    choice_table: Sequence[Sequence[str]] = ()


def shared(pair: Pair, findings: tuple[Finding, ...], audience: str, k: int) -> dict[str, Any]:
    """Return the parts that both reports have."""
    inside = audience == "internal"
    least = 0 if inside else max(k, FEWEST)
    sizes, words, remark = group_sizes(pair)
    lines, cloud_remark = group_cloud(pair) if inside else ([], "")
    return {
        "findings": findings,
        "columns": distributions_of(pair, least),
        "columns_words": columns_left_out(pair),
        "correlation": correlation_of(pair),
        "correlation_words": correlations_left_out(pair),
        "sizes": sizes if inside else [],
        "sizes_words": words,
        "sizes_remark": remark,
        "cloud": lines,
        "cloud_remark": cloud_remark,
    }


def tiles(
    pair: Pair, findings: Sequence[Finding], asked: int | None = None, unchanged: int = 0
) -> list[Tile]:
    """Return the numbers that stand above all, but for those in doubt.

    `asked` is the k that was promised, `unchanged` how many columns are released as they are and
    not judged.
    """
    values = {f.measure.name: f.value for f in findings if f.value is not None and not f.doubtful}
    k = pair.anonymity.k
    below = asked is not None and k < asked
    some = f" on {len(pair.keys)} of {len(pair.keys) + unchanged} columns" if unchanged else ""
    what = "k on the quasi-identifiers" if asked is not None else "k of all keys together"
    whole = f"k{some}" if some else what
    said = f"{whole}: below the {asked} asked for" if below else whole
    found = [Tile(f"{pair.n:,}", "records"), Tile(f"{k:,}", said, below)]
    if "il" in values:
        found.append(Tile(f"{values['il']:.1f} %", "information loss, of the spread"))
    linked = [values[name] for name in WAYS if name in values]
    if linked:
        found.append(Tile(f"{max(linked):.1f} %", f"records linked by distance{some}, at most"))
    return found


def kinds_of(pair: Pair) -> list[tuple[str, str]]:
    """Return which keys were taken for which kind, in words."""
    words = {
        "continuous": "Counted as numbers",
        "ordinal": "Counted as categories in an order",
        "nominal": "Counted as categories without an order",
    }
    found = [(said, ", ".join(map(str, pair.of_kind(kind)))) for kind, said in words.items()]
    if pair.weights is not None:
        found.append(("Weights of records", f"{pair.options.weights}; they count in what was lost"))
    return [(said, names) for said, names in found if names]


def software() -> list[tuple[str, str]]:
    """Return when and with what a page was made."""
    from datetime import UTC, datetime
    from importlib.metadata import version

    created = datetime.now(UTC).isoformat(timespec="seconds")
    return [("Created", created), ("microagg", version("microagg"))]
