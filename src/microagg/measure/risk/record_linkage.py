"""The share of released records that lead to their own original if an intruder knows all keys."""

from __future__ import annotations

import numpy as np

from microagg.measure.linkage import Linkage, linkage_of
from microagg.measure.pair import Pair
from microagg.measure.registry import NotApplicable, measure

MOST = 4_000_000_000
"""The maximum number of comparisons; beyond it, a sample of the released records is used."""

MOST_ASIDE = 1_000_000_000
"""The same for the other linkages, which use all records of files with up to 31,000 records."""

WAYS = ("linkage", "linkage-mahalanobis", "linkage-reverse", "linkage-own-scale")
"""The linkages by distance; an intruder would use the one that links the most records."""

_SOURCE = "Pagliuca and Seri 1999; Fayyoumi 2008, sections 2.4.1 and 4.4"
_FORMULA = "100/n Σ_r P(own original of r is the nearest {}); ties are shared evenly"


@measure(
    "linkage",
    "Linked to the nearest original",
    kind="risk",
    summary="the share of released records whose nearest original is their own",
    formula=_FORMULA.format("by Euclidean distance on standardised columns"),
    source=_SOURCE,
    priority=1,
    head="linked %",
)
def linkage(pair: Pair) -> float:
    """Return the share of records linked by Euclidean distance, in percent."""
    return _linked(pair)[0]


@measure(
    "linkage-second",
    "Linked to one of the two nearest",
    kind="risk",
    summary="the share of released records whose nearest or second nearest original is their own",
    formula=_FORMULA.format("or second nearest by Euclidean distance on standardised columns"),
    source=_SOURCE,
)
def linkage_second(pair: Pair) -> float:
    """Return the share of records linked to the nearest or second nearest, in percent."""
    return _linked(pair)[1]


@measure(
    "linkage-mahalanobis",
    "Linked by Mahalanobis distance",
    kind="risk",
    summary="like linkage, with a distance that takes the correlations between columns into account",
    formula=_FORMULA.format("by Mahalanobis distance, covariances of the original"),
    source="Torra, Abowd and Domingo-Ferrer 2006",
)
def linkage_mahalanobis(pair: Pair) -> float:
    """Return the share of records linked by Mahalanobis distance, in percent."""
    if len(pair.of_kind("continuous", "ordinal")) < 2:
        raise NotApplicable("fewer than two quasi-identifiers have an order")
    return _share(pair, "linkage-mahalanobis", linkage_of(pair, mahalanobis=True), MOST)


@measure(
    "linkage-reverse",
    "Linked from the original",
    kind="risk",
    summary="the share of original records whose nearest released record is their own",
    formula="100/n Σ_x P(own release of x is the nearest by Euclidean distance on standardised "
    "columns); ties are shared evenly",
    source="distance-based linkage from the intruder's side; microagg",
)
def linkage_reverse(pair: Pair) -> float:
    """Return the share of original records that lead to their own released record, in percent."""
    return _share(pair, "linkage-reverse", linkage_of(pair, backwards=True), MOST_ASIDE)


@measure(
    "linkage-own-scale",
    "Linked after separate standardisation",
    kind="risk",
    summary="like linkage, with each file standardised separately, so that a change of units does "
    "not matter",
    formula=_FORMULA.format(
        "by Euclidean distance, each file scaled by its own mean and deviation"
    ),
    source="linkage after standardisation; microagg",
)
def linkage_own_scale(pair: Pair) -> float:
    """Return the share of records linked after separate standardisation, in percent."""
    if not pair.of_kind("continuous", "ordinal"):
        raise NotApplicable("no quasi-identifier has an order")
    return _share(pair, "linkage-own-scale", linkage_of(pair, own_scale=True), MOST_ASIDE)


def _share(pair: Pair, name: str, links: Linkage, most: int) -> float:
    """Return the share of records linked, in percent; a note states if it is an estimate."""
    sample = links.evenly(max(1, most // pair.n))
    first, _, rows = links.matches(None, sample, pair.progress)
    if sample is not None:
        pair.notes[name] = f"estimated from {rows.size:,} of {pair.n:,} records"
    return float(100 * first.sum() / rows.size)


def _linked(pair: Pair) -> tuple[float, float]:
    """Return the shares linked to the nearest, and to one of the two nearest, in percent."""
    return pair.once("linked shares", lambda: _link(pair))


def _link(pair: Pair) -> tuple[float, float]:
    """Compute `_linked`, and keep the risk of each record and the notes."""
    links = linkage_of(pair)
    sample = links.evenly(max(1, MOST // pair.n))
    first, second, rows = links.matches(None, sample, pair.progress)
    risk = np.full(pair.n, np.nan)
    risk[rows] = first
    pair.record_risk = risk
    if sample is not None:
        for name in ("linkage", "linkage-second"):
            pair.notes[name] = f"estimated from {rows.size:,} of {pair.n:,} records"
    return float(100 * first.sum() / rows.size), float(100 * second.sum() / rows.size)
