"""How many released records lead to their own original, when an intruder knows every key."""

from __future__ import annotations

import numpy as np

from microagg.measure.linkage import linkage_of
from microagg.measure.pair import Pair
from microagg.measure.registry import NotApplicable, measure

MOST = 4_000_000_000
"""Comparisons of records to make, at most; beyond, a sample of the released records is taken."""

_SOURCE = "Pagliuca and Seri 1999; Fayyoumi 2008, sections 2.4.1 and 4.4"
_FORMULA = "100/n Σ_r P(own original of r is the nearest {}); ties are shared evenly"


@measure(
    "linkage",
    kind="risk",
    summary="the share of released records whose nearest original is their own",
    formula=_FORMULA.format("by Euclidean distance on standardised columns"),
    source=_SOURCE,
    good=10.0,
    poor=30.0,
)
def linkage(pair: Pair) -> float:
    """Return the share of records linked by Euclidean distance, in percent."""
    _link(pair)
    return pair.found["linkage"]


@measure(
    "linkage-second",
    kind="risk",
    summary="the share of released records whose nearest or second nearest original is their own",
    formula=_FORMULA.format("or second nearest by Euclidean distance on standardised columns"),
    source=_SOURCE,
    good=20.0,
    poor=50.0,
)
def linkage_second(pair: Pair) -> float:
    """Return the share of records linked to the nearest or second nearest, in percent."""
    _link(pair)
    return pair.found["linkage-second"]


@measure(
    "linkage-mahalanobis",
    kind="risk",
    summary="the same as linkage with a distance that knows how columns go together",
    formula=_FORMULA.format("by Mahalanobis distance, covariances of the original"),
    source="Torra, Abowd and Domingo-Ferrer 2006",
    good=10.0,
    poor=30.0,
)
def linkage_mahalanobis(pair: Pair) -> float:
    """Return the share of records linked by Mahalanobis distance, in percent."""
    if len(pair.names) < 2:
        raise NotApplicable("fewer than two key columns hold numbers")
    links = linkage_of(pair, mahalanobis=True)
    sample = links.evenly(max(1, MOST // pair.n))
    first, _, rows = links.matches(None, sample, pair.progress, "Linking (Mahalanobis)")
    return float(100 * first.sum() / rows.size)


def _link(pair: Pair) -> None:
    links = linkage_of(pair)
    sample = links.evenly(max(1, MOST // pair.n))
    first, second, rows = links.matches(None, sample, pair.progress)
    pair.found["linkage"] = float(100 * first.sum() / rows.size)
    pair.found["linkage-second"] = float(100 * second.sum() / rows.size)
    risk = np.zeros(pair.n)
    risk[rows] = first
    pair.record_risk = risk
    if sample is not None:
        pair.notes["linkage"] = f"estimated from {rows.size:,} of {pair.n:,} released records"
