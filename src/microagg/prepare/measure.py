"""`ColumnMeasure`: how one column enters the distance of mixed records."""

from __future__ import annotations

from dataclasses import dataclass

from microagg.typing import Floats


@dataclass(frozen=True, eq=False)
class ColumnMeasure:
    """How one column enters the distance: scaled numbers, or a distance for each pair of codes.

    Attributes
    ----------
    center, scale : float
        Of numbers: embedded = (value - center) / scale, the column's weight included.
    strength : float
        What two different categories add, the weight included.
    table : float64[m, m], optional
        The same for each pair, where they are not all alike.
    average : float
        The mean distance of a record to the value that stands for all, the weight included.
    share : float
        The column's share in a distance, before all are made 1 together.
    """

    center: float = 0.0
    scale: float = 1.0
    strength: float = 0.0
    table: Floats | None = None
    average: float = 0.0
    share: float = 0.0
