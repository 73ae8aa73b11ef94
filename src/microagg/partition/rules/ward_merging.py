"""What k-Ward, kWD, kWR and kWDR share: the groups of fewer than k that merge first."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from microagg.constraints import AtLeast
from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.registry import Function
from microagg.partition.rules.along_axis import on_axis
from microagg.prepare.prepared import Prepared
from microagg.prepare.project import Axis
from microagg.typing import Floats, Labels

kernels = lazy("microagg.kernels.line.k_ward_1d")

Parts = Annotated[int, AtLeast(2)]
"""The number of parts into which a section is divided: J in the thesis."""

Theta = Annotated[float, AtLeast(0)] | Literal["dynamic"]
"""The minimum share of the SST of a section that must remain within its parts for it to be divided."""


def whole(*, neighbours: bool) -> Function:
    """Return the method that merges all values on an axis, over all pairs or over neighbours."""

    def run(prepared: Prepared, k: int, context: Context, *, axis: Axis = "pc1") -> Grouping:
        def group(values: Floats) -> Labels:
            return _merged(values, np.array([0, values.size]), k, neighbours, context)

        return on_axis(prepared, axis, group)

    return run


def in_pieces(*, neighbours: bool) -> Function:
    """Return the method that divides the values on an axis into pieces first."""

    def run(
        prepared: Prepared,
        k: int,
        context: Context,
        *,
        axis: Axis = "pc1",
        parts: Parts = 2,
        theta: Theta = "dynamic",
    ) -> Grouping:
        pieces = 0

        def group(values: Floats) -> Labels:
            nonlocal pieces
            limit = -1.0 if isinstance(theta, str) else float(theta)
            at_most = min(parts, values.size // (2 * k) + 1)  # more parts divide nothing
            options = (values, k, at_most, limit)
            bounds = context.run("Dividing", values.size, kernels.pieces, *options)
            pieces = bounds.size - 1
            return _merged(values, bounds, k, neighbours, context)

        grouping = on_axis(prepared, axis, group)
        return replace(grouping, facts=replace(grouping.facts, pieces=pieces))

    return run


def _merged(
    values: Floats, bounds: NDArray[np.int64], k: int, neighbours: bool, context: Context
) -> Labels:
    labels: Labels = context.run(
        "Grouping", values.size, kernels.k_ward_1d, values, bounds, k, neighbours
    )
    return labels
