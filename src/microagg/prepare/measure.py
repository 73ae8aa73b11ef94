"""`ColumnMeasure`: the contribution of one column to the distance of mixed records."""

from __future__ import annotations

from dataclasses import dataclass

from microagg.typing import Floats


@dataclass(frozen=True, eq=False)
class ColumnMeasure:
    """The contribution of one column to the distance: scaled numbers, or a distance for each pair of codes.

    Attributes
    ----------
    center, scale : float
        Of numbers: embedded = (value - center) / scale, the column's weight included.
    strength : float
        The distance of two different categories, including the weight.
    table : float64[m, m], optional
        The same for each pair, if the distances differ.
    average : float
        The mean distance of a record to the single value that replaces all, including the weight.
    share : float
        The column's share in a distance, before all are made 1 together.
    """

    center: float = 0.0
    scale: float = 1.0
    strength: float = 0.0
    table: Floats | None = None
    average: float = 0.0
    share: float = 0.0
