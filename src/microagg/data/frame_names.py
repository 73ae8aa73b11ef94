"""Frames, and the column names that they may have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from microagg.data.column_labels import alike
from microagg.errors import DataError


def is_frame(X: Any) -> bool:
    """Return whether data has named columns; lists and arrays have none.

    The type is asked, because a lazy frame would have to be computed to name its columns.

    Examples
    --------
    >>> import pyarrow as pa
    >>> is_frame(pa.table({"age": [30]})), is_frame([[30]])
    (True, False)
    """
    return hasattr(type(X), "columns") or hasattr(type(X), "column_names")


def names_of(X: Any) -> list[Any]:
    """Return the column names of a frame, whatever they are.

    Examples
    --------
    >>> import pyarrow as pa
    >>> names_of(pa.table({"age": [30]}))
    ['age']
    """
    # `columns` of a pyarrow Table are the values.
    return list(X.column_names if hasattr(type(X), "column_names") else X.columns)


def check_names(names: Sequence[Any]) -> None:
    """Raise for names that are not unique, not text or integers, or not valid Unicode."""
    # As text, because files and messages know 7 and "7" as one.
    if same := alike(list(map(str, names))):
        raise DataError(
            f"Column names must be unique, but {same} share a name.", hint="Rename the columns."
        )
    if not all(isinstance(name, str | int) for name in names):
        raise DataError(
            "Column names must be text or integers.",
            hint="Convert them with str(), or flatten names of several levels.",
        )
    for position, name in enumerate(map(str, names), start=1):
        if not _is_unicode(name):
            raise DataError(
                f"The name of column {position} is not valid Unicode text.",
                hint="Rename the column.",
            )


def _is_unicode(text: str) -> bool:
    """Return whether text can be written: half of a surrogate pair, which no file can hold, cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def refuse_patterns(names: Sequence[str]) -> None:
    """Raise for a name that polars takes as a pattern, which stands for other columns too."""
    for name in names:
        if name == "*" or (name.startswith("^") and name.endswith("$")):
            raise DataError(
                f"polars takes the column name {name!r} as a pattern for several columns.",
                hint="Rename the column, or convert the frame to pandas or Arrow.",
            )
