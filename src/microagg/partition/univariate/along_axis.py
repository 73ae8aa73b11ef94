"""What the univariate methods share: records ranked on one axis, and grouped in that order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from microagg.partition.registry import Labels
from microagg.prepare.prepared import Prepared
from microagg.prepare.project import project

Floats = NDArray[np.float64]


def along_axis(prepared: Prepared, axis: str, group: Callable[[Floats], Labels]) -> Labels:
    """Sort the records' positions on an axis, label them with `group`, and come back to the rows.

    The sort is stable: of equal positions the lowest row comes first.
    """
    values = project(prepared, axis)
    order = np.argsort(values, kind="stable")
    labels = np.empty(values.size, dtype=np.int32)
    labels[order] = group(values[order])
    return labels
