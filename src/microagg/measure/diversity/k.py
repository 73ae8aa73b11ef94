"""k: the number of released records that share the rarest combination of quasi-identifiers."""

from __future__ import annotations

from microagg.measure.pair import Pair
from microagg.measure.registry import measure


@measure(
    "k",
    "Smallest group",
    kind="anonymity",
    summary="the number of released records that share the rarest combination of quasi-identifiers",
    formula="min over combinations of released quasi-identifiers of the number of records that have it",
    source="Samarati and Sweeney 1998",
    low=1.0,
    high=float("inf"),
    better="higher",
    unit="",
    any_order=True,
    compares_values=False,
    sums=True,
    priority=1,
)
def k(pair: Pair) -> float:
    """Return k, counted on the released values; a missing value is a value like any other."""
    return float(pair.anonymity.k)
