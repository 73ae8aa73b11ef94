"""Equivalence classes of a released frame: records that share all values of some columns.

Each set of columns is numbered once; k, l-diversity, t-closeness and the exposure by unchanged
columns all count on these numbers. A missing value is a value like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.arrow_types import type_name
from microagg.data.categories import decoded
from microagg.data.frames import Frame
from microagg.errors import DataError
from microagg.measure.exact import coded
from microagg.typing import Codes


class EquivalenceClasses:
    """The equivalence classes of one frame, numbered once for each set of columns.

    Parameters
    ----------
    data : DataFrame
        The released records.

    Examples
    --------
    >>> import pyarrow as pa
    >>> classes = EquivalenceClasses(pa.table({"age": [30, 41, 30]}))
    >>> classes.of(["age"]).tolist(), classes.sizes(["age"]).tolist()
    ([0, 1, 0], [2, 1])
    """

    def __init__(self, data: Any) -> None:
        self.frame = data if isinstance(data, Frame) else Frame(data)
        self._numbers: dict[tuple[str, ...], Codes] = {}
        self._values: dict[tuple[str, str | None], tuple[Codes, bool]] = {}

    def of(self, columns: Sequence[str]) -> Codes:
        """Number the records so that those with equal values in `columns` have equal numbers."""
        key = tuple(columns)
        if key not in self._numbers:
            numbers = classes_of(self.frame.select(list(columns)))
            numbers.flags.writeable = False
            self._numbers[key] = numbers
        return self._numbers[key]

    def sizes(self, columns: Sequence[str]) -> Codes:
        """Return the number of records in each class."""
        return np.bincount(self.of(columns))

    def values(self, name: str, kind: str | None) -> tuple[Codes, bool]:
        """Return the codes of a confidential column, and whether their order is meaningful."""
        if (name, kind) not in self._values:
            self._values[name, kind] = coded(self.frame, name, kind)
        return self._values[name, kind]


def classes_of(table: Any) -> Codes:
    """Number the rows of a pyarrow Table so that equal rows have equal numbers."""
    import pyarrow as pa

    classes, all_differ = np.zeros(table.num_rows, dtype=np.int64), False
    for name, column in zip(table.column_names, table.columns, strict=True):
        if all_differ and pa.types.is_primitive(column.type):
            continue
        codes = codes_of(name, column)
        if all_differ:  # further columns cannot separate them, but must be readable
            continue
        if not _separates(codes, classes):
            continue
        classes = np.unique(classes * (codes.max() + 1) + codes, return_inverse=True)[1]
        all_differ = _all_differ(classes)
    return classes


def classes_of_numbers(columns: Sequence[NDArray[np.float64]]) -> Codes:
    """Number the records of some columns of numbers; NaN is a number like any other."""
    classes = np.zeros(columns[0].size, dtype=np.int64)
    for column in columns:
        if _all_differ(classes):
            break
        if not _separates(column, classes):
            continue
        codes = np.unique(column, return_inverse=True)[1]
        classes = np.unique(classes * (codes.max() + 1) + codes, return_inverse=True)[1]
    return classes


def classes_of_codes(columns: NDArray[np.int32]) -> Codes:
    """Number the records of codes, int32[d, n], in the order of the first column, then the next.

    Examples
    --------
    >>> classes_of_codes(np.array([[1, 0, 1], [-1, 2, -1]], dtype=np.int32)).tolist()
    [1, 0, 1]
    """
    classes = np.zeros(columns.shape[1], dtype=np.int64)
    for column in columns:
        if not _separates(column, classes):
            continue
        codes = column.astype(np.int64) - int(column.min())
        classes = np.unique(classes * (codes.max() + 1) + codes, return_inverse=True)[1]
    return classes


def _separates(values: NDArray[Any], classes: Codes) -> bool:
    """Return whether a column has different values in a class; if not, the classes stay the same.

    This check is much faster than numbering all pairs of a class and a value: in a release, the first
    columns usually distinguish all groups.
    """
    member = np.empty(int(classes.max(initial=-1)) + 1, dtype=np.int64)
    member[classes] = np.arange(classes.size)  # one record of each class
    return not np.array_equal(values, values[member[classes]], equal_nan=values.dtype.kind == "f")


def _all_differ(classes: Codes) -> bool:
    """Return whether every class has a single record."""
    return classes.size > 1 and int(classes.max()) + 1 == classes.size


def codes_of(name: str, column: Any) -> Codes:
    """Number the values of an Arrow column; missing values have a separate number."""
    import pyarrow as pa

    column = decoded(column)  # encoding categories would leave missing values without a number
    try:
        # Distinguishes 0.0 from -0.0, which look different in a written file.
        encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    except pa.ArrowNotImplementedError:
        pass
    else:
        codes: Codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        return codes
    raise DataError(
        f"Column '{name}' contains {type_name(column.type)}, which cannot be compared.",
        hint="Leave it out of the quasi-identifiers.",
    )


def refined(classes: Codes, codes: Codes) -> Codes:
    """Split classes by one more column, by hashing: numbers are in the order of appearance."""
    import pyarrow as pa

    pairs = pa.array(classes * (int(codes.max(initial=0)) + 1) + codes)
    indices = pairs.dictionary_encode().indices
    split: Codes = indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return split
