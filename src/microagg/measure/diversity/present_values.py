"""l-diversity without missing values: which groups satisfy it only because a missing value counts.

A missing value counts as one value for l-diversity. A group with one diagnosis and one missing diagnosis
therefore has l = 2, but whoever knows that a person's diagnosis was recorded learns it. Words that
statistical files use for a missing value, such as NA or ?, are treated in the same way here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.categories import decoded, is_text
from microagg.data.numerals import CODES_IN_TEXT
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.diversity.within_classes import Counts, counts_within
from microagg.typing import Codes

ALIKE = 2
"""Classes with fewer different values than this have at most one value."""


def absent(column: Any) -> NDArray[np.bool_]:
    """Return which values of an Arrow column are missing or a word for a missing value.

    Examples
    --------
    >>> import pyarrow as pa
    >>> absent(pa.chunked_array([["flu", "NA", None, " "]])).tolist()
    [False, True, True, True]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    column = decoded(column)
    missing = np.asarray(pc.is_null(column, nan_is_null=pa.types.is_floating(column.type)))
    if is_text(column.type):
        words = pc.utf8_lower(pc.utf8_trim_whitespace(column.cast(pa.large_string())))
        codes = pa.array(["", *sorted(CODES_IN_TEXT)], pa.large_string())
        missing = missing | np.asarray(pc.is_in(words, value_set=codes))
    return missing


def short_of_values(counts: Counts, limit: float, absent_codes: NDArray[np.bool_]) -> int:
    """Return the number of records in classes that have `limit` different values only with missing ones.

    `absent_codes` tells which codes of values are missing ones.
    """
    present = ~absent_codes[counts.values]
    different = np.diff(counts.starts, append=counts.values.size)
    different_present = np.add.reduceat(present.astype(np.int64), counts.starts)
    return int(counts.sizes[(different_present < limit) & (different >= limit)].sum())


def diverse_by_missing(
    classes: EquivalenceClasses,
    keys: tuple[str, ...],
    columns: Iterable[tuple[str, str | None]],
    limit: float,
) -> dict[str, int]:
    """Return the records in classes that have `limit` values of a column only with a missing one.

    `columns` are the confidential columns with their kinds. A column without such records is left out.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"age": [30, 30, 40, 40], "ill": ["flu", None, "flu", "cold"]})
    >>> diverse_by_missing(EquivalenceClasses(table), ("age",), [("ill", None)], 2)
    {'ill': 2}
    """
    counted = {}
    for name, kind in columns:
        missing = absent(classes.frame.arrow(name))
        if not missing.any():
            continue
        codes, ordered = classes.values(name, kind)
        (counts,) = counts_within(classes.of(keys), [(codes, ordered)])
        count = short_of_values(counts, limit, _codes_of(codes, missing))
        if count:
            counted[str(name)] = count
    return counted


def _codes_of(codes: Codes, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    mask = np.zeros(int(codes.max()) + 1, dtype=bool)
    mask[codes[chosen]] = True
    return mask
