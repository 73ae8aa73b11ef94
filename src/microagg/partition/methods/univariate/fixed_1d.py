"""Fixed-1d: groups of k consecutive values.

Reference: Defays and Nanopoulos 1993; the thesis of Fayyoumi 2008, section 2.6.3.1, after
Domingo-Ferrer and Mateo-Sanz 2002 (modal) and Domingo-Ferrer et al. 2002 (median).

Idea: rank the values and cut them into groups of k. If n is not a multiple of k, the n mod k extra
values join the group that contains the modal value, where values are dense and the cost is low.
Alternatively, they join the group of the median, or the last group.

Cost: time O(n log n), memory O(n).

Where the paper is silent or wrong: the modal value of continuous data is not defined. In microagg,
it is the most frequent value, or the lowest one if there are several. If no value occurs twice, it
is the middle of the k consecutive values that are closest together, or of the lowest such values if
there are several. The extra values are those that follow the first k values of the group; later
groups move up.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from microagg.context import Context
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.rules.along_axis import on_axis
from microagg.prepare.prepared import Prepared
from microagg.prepare.project import Axis
from microagg.typing import Floats, Labels


def modal_position(values: Floats, k: int) -> int:
    """Return where, among sorted values, the modal one lies: the middle of those equal to it.

    Examples
    --------
    >>> modal_position(np.array([1.0, 2.0, 2.0, 2.0, 3.0]), 2)
    2
    >>> modal_position(np.array([1.0, 4.0, 5.0, 9.0]), 2)
    2
    """
    _, first, counts = np.unique(values, return_index=True, return_counts=True)
    most = int(np.argmax(counts))
    if counts[most] > 1:
        return int(first[most] + counts[most] // 2)
    return int(np.argmin(values[k - 1 :] - values[: values.size - k + 1])) + k // 2


def fixed_sizes(values: Floats, k: int, extra: str) -> Labels:
    """Label sorted values: groups of k, one of them with the extra values."""
    n = values.size
    groups = n // k
    places = {"modal": modal_position(values, k), "median": n // 2, "last": n - 1}
    sizes = np.full(groups, k)
    sizes[min(places[extra] // k, groups - 1)] += n % k
    return np.repeat(np.arange(groups, dtype=np.int32), sizes)


@method(
    "fixed-1d",
    summary="k consecutive values on an axis; the remainder joins the densest group",
    reference="Defays and Nanopoulos 1993",
    time="O(n log n)",
)
def fixed_1d(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    axis: Axis = "pc1",
    extra: Literal["modal", "median", "last"] = "modal",
) -> Grouping:
    """Group the records as described in the module docstring."""
    return on_axis(prepared, axis, lambda values: fixed_sizes(values, k, extra))
