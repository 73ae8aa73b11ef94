"""Which columns look like codes, of records that come in pieces: the same as in memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.categories import is_text
from microagg.data.codes import Numbers
from microagg.data.numerals import to_numbers
from microagg.measure.exact import is_number
from microagg.typing import Floats

if TYPE_CHECKING:
    import pyarrow as pa


class Codes:
    """What is known of each column, gathered piece by piece.

    Parameters
    ----------
    names : sequence of str
        Of the columns.

    Examples
    --------
    >>> codes = Codes(["sex", "height", "zip"])
    >>> for _ in range(5):
    ...     codes.add(np.array([[1.0, 2.0], [1.7, 1.8], [10115.5, 8001.0]]))
    >>> codes.look_like_codes()
    ['sex', 'zip']
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._columns = {name: Numbers(name) for name in names}

    def add(self, columns: Floats) -> None:
        """Take note of more records, float64[d, m]."""
        for numbers, column in zip(self._columns.values(), columns, strict=True):
            numbers.add(column)

    def add_table(self, table: pa.Table, decimal: str) -> None:
        """Take note of the columns of a table that are numbers, or text that is nothing else."""
        for name, numbers in self._columns.items():
            column = table[name]
            values = to_numbers(column, decimal=decimal) if is_text(column.type) else column
            if values is not None and is_number(values.type):
                numbers.add(np.asarray(values.drop_null().to_numpy(), dtype=np.float64))

    def to_array(self) -> NDArray[Any]:
        """Return it as text, for the work folder."""
        return np.array(json.dumps([numbers.state() for numbers in self._columns.values()]))

    @classmethod
    def joined(cls, names: Sequence[str], parts: Iterable[NDArray[Any]]) -> Codes:
        """Return what several parts have gathered."""
        codes = cls(names)
        for part in parts:
            for numbers, state in zip(codes._columns.values(), json.loads(str(part)), strict=True):
                numbers.join(state)
        return codes

    def look_like_codes(self) -> list[str]:
        """Return the columns that look like codes."""
        return [name for name, numbers in self._columns.items() if numbers.look_like_codes]
