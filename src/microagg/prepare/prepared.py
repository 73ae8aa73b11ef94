"""`Prepared`: the read-only matrix that a method sees, and the way back to the columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from microagg.constraints import OneOf, check
from microagg.data.frames import check_finite
from microagg.errors import DataError
from microagg.prepare.scale import SCALINGS

Floats = NDArray[np.float64]

SMALLEST = 1e-150
"""Squares of smaller differences would vanish."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """Scaled records, one packed array per attribute.

    Attributes
    ----------
    columns : float64[d, n]
        The scaled values, read-only and C-contiguous. A constant column is all zeros, so it
        has no weight.
    names : tuple of str
        The column each row of `columns` comes from.
    center, scale : float64[d]
        The way back: value = columns * scale + center.
    """

    columns: Floats
    names: tuple[str, ...]
    center: Floats
    scale: Floats

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.columns.shape[1])

    @property
    def d(self) -> int:
        """Number of attributes."""
        return int(self.columns.shape[0])

    def subset(self, rows: NDArray[np.int64]) -> Prepared:
        """Return some of the records, scaled as all are."""
        columns = np.ascontiguousarray(self.columns[:, rows])
        columns.flags.writeable = False
        return replace(self, columns=columns)

    def without_records(self) -> Prepared:
        """Return the way of scaling alone."""
        return replace(self, columns=self.columns[:, :0].copy())  # a view would keep them all

    def only(self, names: Sequence[str]) -> Prepared:
        """Return the same records with some of the attributes."""
        rows = [self.names.index(name) for name in names]
        arrays = (self.columns[rows], self.center[rows], self.scale[rows])
        for array in arrays:
            array.flags.writeable = False
        columns, center, scale = arrays
        return replace(self, columns=columns, names=tuple(names), center=center, scale=scale)

    def apply(self, columns: Iterable[Floats]) -> Floats:
        """Scale other values of the same attributes in the same way, as float64[d, m]."""
        return np.stack(
            [
                (column - center) / scale
                for column, center, scale in zip(columns, self.center, self.scale, strict=True)
            ]
        )


def check_width(name: str, width: float) -> None:
    """Raise when the values of a column differ by too little for their squares."""
    if width < SMALLEST:
        raise DataError(
            f"The values of column '{name}' differ by less than {SMALLEST:g}.",
            hint="Give the column in a smaller unit.",
        )


def prepare(
    columns: Sequence[Floats],
    names: Sequence[str],
    *,
    scale: str = "zscore",
    column_weights: Mapping[str, float] | None = None,
) -> Prepared:
    """Scale finite float64 columns of equal length into one matrix.

    A column's weight multiplies its part of a squared distance; it is 1 if not given.

    Examples
    --------
    >>> prepare([np.array([1.0, 3.0]), np.array([7.0, 7.0])], ["a", "b"]).columns
    array([[-1.,  1.],
           [ 0.,  0.]])
    """
    check("scale", scale, OneOf(tuple(SCALINGS)), "prepare")
    n = len(columns[0])
    if n == 0:
        raise DataError("There are no records.", hint="Give data with at least k records.")
    out = np.empty((len(columns), n))
    center, spread = np.zeros(len(columns)), np.ones(len(columns))
    for j, column in enumerate(columns):
        check_finite(str(names[j]), column)
        width = column.max() - column.min()
        if width == 0:  # its computed deviation need not be exactly 0
            center[j] = column[0]
        else:
            check_width(str(names[j]), width)
            center[j], spread[j] = SCALINGS[scale](column, None)
            spread[j] /= np.sqrt((column_weights or {}).get(names[j], 1.0))
        np.subtract(column, center[j], out=out[j])
        out[j] /= spread[j]
    for array in (out, center, spread):
        array.flags.writeable = False
    return Prepared(out, tuple(names), center, spread)
