"""Quasi-identifiers of a piece of a file as numbers; what is wrong is told by its row in the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from microagg.data.date_formats import recognise
from microagg.data.frames import Frame
from microagg.data.numerals import not_numbers, to_numbers
from microagg.data.streams import Stream
from microagg.errors import DataError, Phrase

if TYPE_CHECKING:
    import pyarrow as pa

Floats = NDArray[np.float64]


def pieces_of(stream: Stream, names: Sequence[str], size: int) -> Iterator[Floats]:
    """Yield columns of the file as float64[d, size], the last of fewer records.

    Pieces do not depend on the tables that are read, which have fewer records where they are large.
    """
    waiting: list[Floats] = []
    done, missing = 0, size
    for table in stream.tables(size, names):
        columns = numbers_of(table, names, done, stream.decimal)
        done += table.num_rows
        while columns.shape[1]:
            waiting.append(columns[:, :missing])
            columns, missing = columns[:, missing:], missing - waiting[-1].shape[1]
            if missing == 0:
                yield np.concatenate(waiting, axis=1)
                waiting, missing = [], size
    if waiting:
        yield np.concatenate(waiting, axis=1)


def numbers_of(table: pa.Table, names: Sequence[str], first: int, decimal: str = ".") -> Floats:
    """Return columns as float64[d, m]; `first` records of the file come before the table."""
    table = table.select(list(names))
    for at, name in enumerate(names):
        column = table.column(at)
        if _is_text(column.type):
            column = _parsed(column, name, first, decimal)
            table = table.set_column(at, name, column)
        blank = np.asarray(column.is_null(nan_is_null=True))
        if blank.any():
            raise DataError(
                f"Column '{name}' has a missing value (NaN, null or empty) in data row "
                f"{first + int(np.argmax(blank)) + 1}.",
                hint="A file that is read piece by piece must be complete: fill or remove such "
                "records first, or leave the column out of the quasi-identifiers.",
            )
    frame = Frame(table)
    return np.stack([frame.numbers(name) for name in names])


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow.types as types

    return bool(types.is_string(kind) or types.is_large_string(kind))


def _parsed(column: pa.ChunkedArray, name: str, first: int, decimal: str) -> pa.ChunkedArray:
    numbers = to_numbers(column, decimal=decimal)
    if numbers is not None:
        return numbers
    found = not_numbers(column, decimal=decimal)
    commas = "They look like decimal commas: give {decimal}. " if found.decimal_commas else ""
    if found.thousands:
        commas = "They look like numbers with thousands separators: remove the separators first. "
    what = "text" if recognise(column) is None else "dates as text"
    raise DataError(
        f"Column '{name}' holds {what} in data row {first + found.rows[0] + 1}, but files that are "
        "read piece by piece must have numbers as quasi-identifiers.",
        hint=Phrase(
            f"{commas}Leave the column out of the quasi-identifiers, or protect a file that fits "
            "into memory.",
            decimal=",",
        ),
    )
