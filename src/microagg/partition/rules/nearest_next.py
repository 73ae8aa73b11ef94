"""The nearest-point-next path from an end of the longest distance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.prepare.prepared import Prepared
from microagg.progress import Progress


def nearest_next(prepared: Prepared, progress: Progress) -> NDArray[np.int64]:
    """Return the rows from the lower of the two farthest apart on, always to the nearest left."""
    from microagg.kernels.path.walk import first_of_farthest, walk

    # a copy even of one column: kernels are compiled for arrays that can be written
    points = np.array(prepared.columns.T, order="C")
    start = progress.run("Finding the ends", prepared.n, first_of_farthest, prepared.columns)
    order: NDArray[np.int64] = progress.run("Finding a path", prepared.n, walk, points, start)
    return order
