"""The nearest-point-next path from an end of the longest distance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.context import Context
from microagg.lazy import lazy
from microagg.prepare.prepared import Prepared

walks = lazy("microagg.kernels.path.walk")


def nearest_next(prepared: Prepared, context: Context) -> NDArray[np.int64]:
    """Return the rows from the lower of the two farthest apart on, always to the nearest left."""
    # a copy even of one column: kernels are compiled for arrays that can be written
    points = np.array(prepared.columns.T, order="C")
    ends = walks.first_of_farthest
    start = context.run("Finding the ends", prepared.n, ends, prepared.columns)
    order: NDArray[np.int64] = context.run("Finding a path", prepared.n, walks.walk, points, start)
    return order
