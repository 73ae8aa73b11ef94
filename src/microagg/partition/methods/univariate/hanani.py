"""Hanani: cuts that move until the variance within groups stops falling.

Reference: Hanani 1979, applied to microaggregation by Defays and Nanopoulos 1993; the thesis of
Fayyoumi 2008, section 2.6.3.1.

Idea: cuts separate the ranked values into groups of k to 2k-1. Starting from a random partition,
each cut in turn moves to where the two neighbouring groups have the smallest sum of squares, until
no cut moves. The result is a local minimum, so the search starts `restarts` times and keeps the
best result.

Cost: time O(restarts x n x sweeps), with a few dozen sweeps; memory O(n).

Where the paper is silent or wrong: neither original was available, and the thesis gives no
algorithm. microagg implements its description for values on a line. The number of groups is fixed
by the random start, so the restarts also choose it. `optimal-1d` loses less in less time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np

from microagg.constraints import AtLeast
from microagg.context import Context, Ticker
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.rules.along_axis import on_axis
from microagg.partition.rules.random_cuts import random_cuts
from microagg.prepare.prepared import Prepared
from microagg.prepare.project import Axis
from microagg.typing import Floats, Labels, Rows

cuts_1d = lazy("microagg.kernels.line.cuts_1d")


def best_of_restarts(
    n: int,
    k: int,
    rng: np.random.Generator,
    restarts: int,
    settle: Callable[[Rows, Ticker], float],
    ticker: Ticker,
) -> Labels:
    """Optimise random cuts several times and label by those with the least loss, the first in a tie.

    ticker[0] counts the starts.
    """
    best, least = np.array([0, n]), np.inf
    for done in range(restarts if n >= 2 * k else 0):
        if ticker[1] != 0:
            break
        cuts = random_cuts(n, k, rng)
        loss = settle(cuts, ticker)
        if loss < least:
            best, least = cuts, loss
        ticker[0] = done + 1
    return np.repeat(np.arange(best.size - 1, dtype=np.int32), np.diff(best))


@method(
    "hanani",
    summary="cuts on an axis that move until the sum of squares stops falling",
    reference="Defays and Nanopoulos 1993",
    time="O(n) per restart and sweep",
    deterministic=False,
)
def hanani(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    axis: Axis = "pc1",
    restarts: Annotated[int, AtLeast(1)] = 10,
) -> Grouping:
    """Group the records as described in the module docstring."""

    def group(values: Floats) -> Labels:
        def settle(cuts: Rows, ticker: Ticker) -> float:
            return float(cuts_1d.settle(values, k, cuts, ticker))

        arguments = (values.size, k, context.rng, restarts, settle)
        labels: Labels = context.run("Moving cuts", restarts, best_of_restarts, *arguments)
        return labels

    return on_axis(prepared, axis, group)
