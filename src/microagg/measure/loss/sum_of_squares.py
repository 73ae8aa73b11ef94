"""IL of any masked file: squared differences to the original, as a share of its spread."""

from __future__ import annotations

import numpy as np

from microagg.measure.pair import Pair
from microagg.measure.registry import NotApplicable, measure


@measure(
    "il",
    kind="loss",
    summary="the squared change of the records as a share of the spread between them",
    formula="100 SSE / SST on columns standardised with the original's mean and deviation",
    source="Domingo-Ferrer and Mateo-Sanz 2002",
    high=float("inf"),
    good=10.0,
    poor=40.0,
)
def il(pair: Pair) -> float:
    """Return the information loss in percent; a missing value stands at the mean."""
    require_numbers(pair)
    before = np.nan_to_num(pair.standardised(pair.original), nan=0.0)
    after = np.nan_to_num(pair.standardised(pair.released), nan=0.0)
    sse, sst = float(np.sum((before - after) ** 2)), float(np.sum(before**2))
    if not sst:
        raise NotApplicable("the original does not vary")
    return 100 * sse / sst


def require_numbers(pair: Pair) -> None:
    """Say that there is no answer when no key holds numbers."""
    if not pair.names:
        raise NotApplicable("no key column holds numbers")
