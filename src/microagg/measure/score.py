"""SI: loss and risk in one number, and the Pareto-optimal settings."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from microagg.constraints import IsNumber, check
from microagg.measure.loss.global_loss import g_il
from microagg.measure.pair import Pair
from microagg.measure.registry import NotApplicable, measure
from microagg.measure.risk.global_risk import g_dr

LOSSES = ("il", "g-il")
"""The losses that the score of a comparison can use."""


@measure(
    "score",
    "Combined score",
    kind="score",
    summary="the weighted mean of the loss (g-il) and the risk (g-dr)",
    formula="SI = x G_IL + (1 - x) G_DR, x = 0.5",
    source="Fayyoumi 2008, equation 4.4 (SI)",
    high=float("inf"),
    unit="",
    parts=("g-dr", "rld", "interval-disclosure"),
)
def score(pair: Pair) -> float:
    """Return the scoring index with equal weights; a file with k = 1 has none."""
    if pair.anonymity.k == 1:
        raise NotApplicable("some records are unique on the quasi-identifiers")
    index = scoring_index(g_il(pair), g_dr(pair))
    if pair.categories:
        pair.notes["score"] = "its loss covers numeric columns only"
    return index


def scoring_index(loss: float, risk: float, weight: float = 0.5) -> float:
    """Return ``weight x loss + (1 - weight) x risk``.

    Examples
    --------
    >>> scoring_index(20.0, 10.0, weight=0.25)
    12.5
    """
    check("weight", weight, IsNumber(0, 1), "scoring_index")
    return weight * loss + (1 - weight) * risk


def pareto_front(losses: ArrayLike, risks: ArrayLike) -> list[int]:
    """Return the positions of the Pareto-optimal settings.

    Examples
    --------
    >>> pareto_front([1.0, 2.0, 3.0, 2.0], [9.0, 5.0, 6.0, 5.0])
    [0, 1, 3]
    """
    points = np.column_stack([np.asarray(losses, float), np.asarray(risks, float)])
    return [place for place, point in enumerate(points) if not _beaten(point, points)]


def _beaten(point: NDArray[np.float64], points: NDArray[np.float64]) -> bool:
    no_worse = np.all(points <= point, axis=1)
    better = np.any(points < point, axis=1)
    return bool(np.any(no_worse & better))
