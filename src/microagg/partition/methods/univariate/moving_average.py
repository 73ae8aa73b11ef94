"""Moving-average: the optimal partition of values smoothed by a weighted moving average.

Reference: the thesis of Fayyoumi 2008, section 2.6.3.1 (its reference 115).

Idea: smooth the ranked values: each becomes a % of its predecessor plus b % of itself plus c % of
its successor. The smoothed values, which keep their ranks, are then partitioned by optimal-1d.

Cost: time O(n log n), memory O(n).

Where the paper is silent or wrong: the paper releases the smoothed values themselves. As the thesis
notes, no value is then shared by k records. Such a release protects nobody, so microagg does not
offer it. Instead, the smoothing decides where to cut, and group means are released; a single gap
matters less than in optimal-1d. The first and the last value have only one neighbour and take the place
of the other one themselves.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from microagg.constraints import AtLeast
from microagg.context import Context
from microagg.errors import ParameterError
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.rules.along_axis import on_axis
from microagg.prepare.prepared import Prepared
from microagg.prepare.project import Axis
from microagg.typing import Floats, Labels

kernels = lazy("microagg.kernels.line.optimal_1d")

Percent = Annotated[float, AtLeast(0)]


def smoothed(values: Floats, a: float, b: float, c: float) -> Floats:
    """Return a % of the value before, b % of each and c % of the one after; the order is kept.

    Examples
    --------
    >>> smoothed(np.array([0.0, 4.0, 8.0, 20.0]), 25, 50, 25)
    array([ 1.,  4., 10., 17.])
    """
    before = np.concatenate([values[:1], values[:-1]])
    after = np.concatenate([values[1:], values[-1:]])
    return (a * before + b * values + c * after) / 100


@method(
    "moving-average",
    summary="the optimal partition of smoothed values on an axis",
    reference="Fayyoumi 2008",
    time="O(n log n)",
)
def moving_average(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    axis: Axis = "pc1",
    a: Percent = 25.0,
    b: Percent = 50.0,
    c: Percent = 25.0,
) -> Grouping:
    """Group the records as described in the module docstring."""
    if abs(a + b + c - 100) > 1e-9:
        raise ParameterError(
            f"The weights 'a', 'b' and 'c' of moving-average must add up to 100. Got {a + b + c:g}.",
            hint="They are percentages, such as a=25, b=50, c=25.",
        )

    def group(values: Floats) -> Labels:
        means = smoothed(values, a, b, c)
        labels: Labels = context.run("Grouping", values.size, kernels.optimal_1d, means, k)
        return labels

    return on_axis(prepared, axis, group)
