"""`Prepared`: the read-only matrix that methods use, and the conversion back to the columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from microagg.constraints import OneOf, check
from microagg.data.number_checks import check_finite
from microagg.errors import DataError
from microagg.prepare.scale import SCALINGS, scaling_of, spread_of
from microagg.typing import Floats


@dataclass(frozen=True, eq=False)
class Prepared:
    """Scaled records, one packed array per attribute.

    Attributes
    ----------
    columns : float64[d, n]
        The scaled values, read-only and C-contiguous. A constant column is all zeros, so it
        has no weight.
    names : tuple of str
        The name of the column in each row of `columns`.
    center, scale : float64[d]
        The conversion back: value = columns * scale + center.
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
        """Return some of the records, with the scaling of all."""
        columns = np.ascontiguousarray(self.columns[:, rows])
        columns.flags.writeable = False
        return replace(self, columns=columns)

    def without_records(self) -> Prepared:
        """Return the scaling without records."""
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
        raise DataError("There are no records.", hint="Use data with at least k records.")
    out = np.empty((len(columns), n))
    center, by = np.zeros(len(columns)), np.ones(len(columns))
    for j, (name, column) in enumerate(zip(names, columns, strict=True)):
        column = np.ascontiguousarray(column)  # a column of a C-ordered array is read several times
        check_finite(str(name), column)
        spread = spread_of(column)
        (center[j],), (by[j],) = scaling_of(spread, scale, str(name))
        if spread.high > spread.low:
            by[j] /= np.sqrt((column_weights or {}).get(name, 1.0))
        np.subtract(column, center[j], out=out[j])
        out[j] /= by[j]
    for array in (out, center, by):
        array.flags.writeable = False
    return Prepared(out, tuple(names), center, by)
