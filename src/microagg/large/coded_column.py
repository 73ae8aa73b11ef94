"""Categories of a column of a large file: the number of each value, and the value of each number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from microagg.data import categories as coded
from microagg.errors import DataError
from microagg.typing import Floats


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """Categories by their values.

    Attributes
    ----------
    values : Arrow array
        Each value once.
    codes : float64[m]
        The number of each.
    by_code : Arrow array
        A value for each number, of the type of the column.
    """

    values: Any
    codes: Floats
    by_code: Any

    @classmethod
    def of(cls, column: Any, codes: Floats, kind: Any) -> CodedColumn:
        """Return the categories of an Arrow array with each value once; blanks have no number."""
        import pyarrow as pa

        present = np.flatnonzero(~np.isnan(codes))
        plain = column.dictionary_decode() if pa.types.is_dictionary(kind) else column
        place = np.zeros(int(codes[present].max(initial=-1)) + 1, dtype=np.int64)
        place[codes[present].astype(np.int64)] = present
        taken = plain.take(pa.array(place)) if present.size else plain.slice(0, 0)
        if pa.types.is_dictionary(kind):
            indices = pa.array(range(len(taken)), kind.index_type)
            taken = pa.DictionaryArray.from_arrays(indices, taken, ordered=kind.ordered)
        return cls(plain.take(pa.array(present)), codes[present], taken)

    def numbers(self, column: Any) -> Floats:
        """Return the number of each record's category, NaN if missing."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = coded.with_nulls(coded.decoded(column))
        if not self.codes.size:
            return np.full(len(column), np.nan)
        values = coded.with_nulls(pa.chunked_array([self.values])).combine_chunks()
        places = pc.index_in(column, value_set=values)
        place = np.asarray(places.fill_null(-1).to_numpy(), dtype=np.int64)
        if bool((place < 0).any() and (np.asarray(column.is_valid()) & (place < 0)).any()):
            raise DataError("A category is not among those of the input.", hint="Try again.")
        return np.where(place < 0, np.nan, self.codes[place])

    def taken(self, numbers: Floats) -> Any:
        """Return the values of numbers, null where NaN."""
        import pyarrow as pa

        blank = np.isnan(numbers)
        return self.by_code.take(pa.array(np.where(blank, 0, numbers).astype(np.int64), mask=blank))
