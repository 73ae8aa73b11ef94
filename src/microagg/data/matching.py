"""The rows of an original and of a release that belong together: by position, or by a key column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from microagg.data.frames import Frame
from microagg.errors import DataError, ParameterError
from microagg.typing import Rows


def matched_rows(
    original: Any, released: Any, key: str | None, released_rows: ArrayLike | None = None
) -> tuple[Any, Any, Rows, int]:
    """Return both frames with the same rows, the original's row numbers, and how many are left.

    `released_rows` are the rows of the original that were released, from 0.
    """
    before, after = Frame(original), Frame(released)
    if released_rows is not None:
        own = _rows_of(released_rows, before.n, after.n)
        one = before.select(before.names).take(own)
        return one, after.select(after.names), own + 1, before.n - after.n
    if key is None:
        return original, released, np.arange(1, before.n + 1), 0
    import pyarrow.compute as pc

    before.require([key], "match_on", "the original")
    after.require([key], "match_on", "the release")
    one, other = before.select(before.names), after.select(after.names)
    keys = [_key_column(table, str(key)) for table in (one, other)]
    rows = pc.index_in(keys[1], value_set=keys[0])
    unknown = rows.null_count
    if unknown:
        raise DataError(
            f"{unknown:,} released records have a '{key}' that no original record has.",
            hint="Is this the right original? Only records of the same population can be compared.",
        )
    taken = rows.to_numpy().astype(np.int64)
    return one.take(taken), other, taken + 1, one.num_rows - other.num_rows


def _rows_of(released_rows: ArrayLike, original: int, released: int) -> Rows:
    """Return rows of the original as numbers, or raise if they cannot be those of the release."""
    rows = np.asarray(released_rows)
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        raise ParameterError("must be a list of row numbers.", parameter="rows")
    if rows.size != released:
        raise ParameterError(
            f"names {rows.size:,} rows, but the release has {released:,}.",
            parameter="rows",
            hint="Use the rows of this release, as in `release.rows`.",
        )
    if not rows.size:
        return rows.astype(np.int64)
    if rows.min() < 0 or rows.max() >= original or np.unique(rows).size < rows.size:
        raise ParameterError(
            f"must name different rows of the original, from 0 to {original - 1}.", parameter="rows"
        )
    return rows.astype(np.int64)


def _key_column(table: Any, key: str) -> Any:
    import pyarrow as pa

    column = table[key].combine_chunks().cast(pa.string())
    repeated = len(column) - len(column.unique())
    if column.null_count or repeated:
        raise DataError(
            f"Column '{key}' does not identify each record: {column.null_count} values are missing and "
            f"{repeated} are repeated.",
            hint="Choose a column with a different value in each record, or match by position.",
        )
    return column
