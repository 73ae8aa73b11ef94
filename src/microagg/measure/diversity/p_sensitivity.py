"""p-sensitivity: every confidential column has p different values in every group."""

from __future__ import annotations

from microagg.measure.diversity.l_diversity import fewest_values
from microagg.measure.diversity.within_classes import confidential_counts
from microagg.measure.pair import Pair
from microagg.measure.registry import NotApplicable, measure


@measure(
    "p-sensitivity",
    "Fewest in groups of two or more",
    kind="anonymity",
    summary="the p of p-sensitive k-anonymity: different values of each confidential column in "
    "every group of at least two records",
    formula="min over classes and confidential columns of the number of different values; it "
    "needs k-anonymity of at least 2",
    source="Truta and Vinay 2006",
    low=1.0,
    high=float("inf"),
    better="higher",
    unit="",
    any_order=True,
    compares_values=False,
)
def p_sensitivity(pair: Pair) -> float:
    """Return p."""
    if pair.anonymity.k < 2:
        raise NotApplicable("the release is not 2-anonymous")
    return fewest_values(confidential_counts(pair))
