"""Unit anonymity: the number of different units that share the rarest combination of quasi-identifiers."""

from __future__ import annotations

from microagg.measure.pair import Pair
from microagg.measure.registry import NotApplicable, measure
from microagg.measure.units import units_of


@measure(
    "k-units",
    "Fewest units in a group",
    kind="anonymity",
    summary="the number of different units, such as patients, whose released records share the "
    "combination of quasi-identifiers that has fewest",
    formula="min over combinations of released quasi-identifiers of the number of different values of "
    "the unit column among the records that have it; missing units do not count",
    source="k-anonymity of Samarati and Sweeney 1998, counted in units instead of records",
    low=0.0,
    high=float("inf"),
    better="higher",
    unit="",
    compares_values=False,
    sums=True,
)
def k_units(pair: Pair) -> float:
    """Return the minimum number of units; the unit column need not be in the release."""
    if pair.units is None:
        raise NotApplicable("no unit column is named")
    return float(units_of(pair.released_classes, pair.units).min())
