"""A column as codes, ranks and intervals, with which columns of different types are compared."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from microagg.data import dates
from microagg.data.categories import decoded
from microagg.data.date_formats import recognise
from microagg.data.frames import Frame
from microagg.data.numerals import not_numbers, to_numbers
from microagg.measure.exact import numbered
from microagg.typing import Codes, Floats

ORDERED = 5
"""The number of distinct values below which the order adds nothing to the categories."""


class ColumnValues:
    """A column of the sample as codes, and as numbers if it has an order."""

    def __init__(self, frame: Frame, name: str) -> None:
        self.name = str(name)
        self._column = decoded(frame.arrow(name))

    @cached_property
    def codes(self) -> Codes:
        """The values as numbers; all missing values have the same number."""
        numbers = self.numbers
        if numbers is not None:
            return np.unique(numbers, return_inverse=True)[1].astype(np.int64)
        return numbered(self._column)

    @cached_property
    def distinct(self) -> int:
        """The number of distinct values."""
        return int(self.codes.max()) + 1

    @cached_property
    def numbers(self) -> Floats | None:
        """The values as numbers, NaN if missing; None for categories."""
        return as_numbers(self._column)

    @cached_property
    def ranks(self) -> Floats | None:
        """The ranks of numbers, with mean ranks for ties and NaN if missing; None for categories."""
        if self.numbers is None or self.distinct < ORDERED:
            return None
        present = ~np.isnan(self.numbers)
        _, index, count = np.unique(self.numbers[present], return_inverse=True, return_counts=True)
        out = np.full(present.size, np.nan)
        out[present] = (np.cumsum(count) - (count + 1) / 2)[index]
        return out

    def intervals(self, count: int) -> Codes:
        """Return amounts with many values in intervals of equal frequency, and other columns as codes."""
        if self.ranks is None or self.distinct <= count:
            return self.codes
        parts = np.floor(self.ranks * count / self.ranks.size)
        return np.where(np.isnan(parts), count, np.nan_to_num(parts)).astype(np.int64)


def as_numbers(column: Any) -> Floats | None:
    """Return an Arrow column of numbers or dates, also as text, NaN if missing; None for categories."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as types

    if types.is_string(column.type) or types.is_large_string(column.type):
        code = not_numbers(column).code
        if code is not None:
            column = pc.if_else(pc.equal(pc.utf8_trim_whitespace(column), code), "", column)
        numbers = to_numbers(column, asked=False)
        if numbers is None:
            recognised = recognise(column)
            if recognised is None or recognised.wrong:
                return None
            return dates.text_as_numbers(column, "", recognised.formats[0])[0]
        column = numbers
    if dates.is_date(column.type):
        return dates.as_numbers(column)[0]
    if (
        types.is_integer(column.type)
        or types.is_floating(column.type)
        or types.is_decimal(column.type)
    ):
        values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return np.where(np.isfinite(values), values, np.nan)
    return None
