"""How many released records lead to their own original, when an intruder knows every key."""

from __future__ import annotations

import numpy as np

from microagg.measure.linkage import Linkage, linkage_of
from microagg.measure.pair import Pair
from microagg.measure.registry import NotApplicable, measure

MOST = 4_000_000_000
"""Comparisons of records to make, at most; beyond, a sample of the released records is taken."""

MOST_ASIDE = 1_000_000_000
"""The same for the linkages beside the usual one: all records up to 31,000 of them."""

WAYS = ("linkage", "linkage-mahalanobis", "linkage-reverse", "linkage-own-scale")
"""The linkages by distance: an intruder takes the one that finds most."""

_SOURCE = "Pagliuca and Seri 1999; Fayyoumi 2008, sections 2.4.1 and 4.4"
_FORMULA = "100/n Σ_r P(own original of r is the nearest {}); ties are shared evenly"


@measure(
    "linkage",
    "Recognised as the nearest",
    kind="risk",
    summary="the share of released records whose nearest original is their own",
    formula=_FORMULA.format("by Euclidean distance on standardised columns"),
    source=_SOURCE,
    priority=1,
    head="linked %",
)
def linkage(pair: Pair) -> float:
    """Return the share of records linked by Euclidean distance, in percent."""
    _link(pair)
    return pair.measured["linkage"]


@measure(
    "linkage-second",
    "Recognised among the two nearest",
    kind="risk",
    summary="the share of released records whose nearest or second nearest original is their own",
    formula=_FORMULA.format("or second nearest by Euclidean distance on standardised columns"),
    source=_SOURCE,
)
def linkage_second(pair: Pair) -> float:
    """Return the share of records linked to the nearest or second nearest, in percent."""
    _link(pair)
    return pair.measured["linkage-second"]


@measure(
    "linkage-mahalanobis",
    "Recognised by relations between columns",
    kind="risk",
    summary="the same as linkage, with a distance that uses the correlations between columns",
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
    "Recognised from the original",
    kind="risk",
    summary="the share of original records whose nearest released record is their own",
    formula="100/n Σ_x P(own release of x is the nearest by Euclidean distance on standardised "
    "columns); ties are shared evenly",
    source="distance-based linkage from the intruder's side; microagg",
)
def linkage_reverse(pair: Pair) -> float:
    """Return the share of originals that find their own release, in percent."""
    return _share(pair, "linkage-reverse", linkage_of(pair, backwards=True), MOST_ASIDE)


@measure(
    "linkage-own-scale",
    "Recognised in other units",
    kind="risk",
    summary="the same as linkage, with each file standardised separately, so that a change of units "
    "does not matter",
    formula=_FORMULA.format(
        "by Euclidean distance, each file scaled by its own mean and deviation"
    ),
    source="linkage after standardisation; microagg",
)
def linkage_own_scale(pair: Pair) -> float:
    """Return the share of records linked when units do not matter, in percent."""
    if not pair.of_kind("continuous", "ordinal"):
        raise NotApplicable("no quasi-identifier has an order")
    return _share(pair, "linkage-own-scale", linkage_of(pair, own_scale=True), MOST_ASIDE)


def _share(pair: Pair, name: str, links: Linkage, most: int) -> float:
    """Return the share of records linked, in percent; a note says when it is an estimate."""
    sample = links.evenly(max(1, most // pair.n))
    first, _, rows = links.matches(None, sample, pair.progress)
    if sample is not None:
        pair.notes[name] = f"estimated from {rows.size:,} of {pair.n:,} records"
    return float(100 * first.sum() / rows.size)


def _link(pair: Pair) -> None:
    links = linkage_of(pair)
    sample = links.evenly(max(1, MOST // pair.n))
    first, second, rows = links.matches(None, sample, pair.progress)
    pair.measured["linkage"] = float(100 * first.sum() / rows.size)
    pair.measured["linkage-second"] = float(100 * second.sum() / rows.size)
    risk = np.full(pair.n, np.nan)
    risk[rows] = first
    pair.record_risk = risk
    if sample is not None:
        for name in ("linkage", "linkage-second"):
            pair.notes[name] = f"estimated from {rows.size:,} of {pair.n:,} records"
