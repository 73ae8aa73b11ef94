"""The values of a confidential column as codes, compared exactly.

Nothing is rounded on the way: 2^53 and 2^53 + 1, long decimals and texts that differ in a trailing
zero character are different values. Null and NaN are one value, which comes after all others. Among
numbers, empty text is the same; among names it is a name. A file of text cannot tell it from null: a
release that holds its limits only because these differ is not written as text.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import numpy as np

from microagg.data.categories import decoded, is_text
from microagg.data.frames import Frame
from microagg.data.values import values_of
from microagg.typing import Codes

_NUMERAL = re.compile(
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?|[+-]?inf(?:inity)?|nan",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+")


def coded(frame: Frame, name: str, kind: str | None) -> tuple[Codes, bool]:
    """Number the values of a confidential column, and return whether their order is meaningful.

    Text is compared by equality, also where it reads as numbers: these may be codes. With a kind
    that has an order, numbers as text are numbers: a file may hold nothing else.

    Examples
    --------
    >>> import pyarrow as pa
    >>> coded(Frame(pa.table({"pay": [2**53 + 1, None, 2**53]})), "pay", None)
    (array([1, 2, 0]), True)
    """
    column = decoded(frame.arrow(name))
    if is_number(column.type):
        return _ranks(column), kind != "nominal"
    if is_text(column.type) and kind not in (None, "nominal"):
        ranks = _ranks_of_numerals(column)
        if ranks is not None:
            return ranks, True
    return numbered(column), False


def is_number(kind: Any) -> bool:
    """Return whether an Arrow type is numeric; Boolean is not."""
    from pyarrow import types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def _ranks(column: Any) -> Codes:
    """Return the rank of each number among the distinct numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(column.type):
        column = column.cast(pa.float64())
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, pa.float64()), column)
    ranks = pc.rank(column, tiebreaker="dense")  # nulls at the end
    return np.asarray(ranks.to_numpy(zero_copy_only=False), dtype=np.int64) - 1


def _ranks_of_numerals(column: Any) -> Codes | None:
    """Return the ranks of numbers that are written as text, or None if a value is not a number."""
    codes, texts = encoded(column)
    numbers = _numbers([text.strip() for text in texts])  # a blank is no number
    if numbers is None:
        return None
    present = sorted({number for number in numbers if number is not None})
    place = {number: rank for rank, number in enumerate(present)}
    ranks = [len(present) if number is None else place[number] for number in numbers]
    return _without_gaps(np.array([*ranks, len(present)], dtype=np.int64)[codes])


def _numbers(texts: list[str]) -> list[Decimal | None] | None:
    """Return text as exact numbers, with None if missing or NaN; None if a value is not a number."""
    words = [text for text in texts if text]
    if not all(map(_NUMERAL.fullmatch, words)):
        if any("." in word or _THOUSANDS.fullmatch(word) for word in words):
            return None
        texts = [text.replace(",", ".") for text in texts]  # decimal commas
        if not all(_NUMERAL.fullmatch(text) for text in texts if text):
            return None
    numbers = [Decimal(text) if text else None for text in texts]
    return [None if number is None or number.is_nan() else number for number in numbers]


def numbered(column: Any) -> Codes:
    """Return a number for each value, in the order of the values as text."""
    codes, texts = encoded(column)
    ranks = np.empty(len(texts) + 1, dtype=np.int64)
    ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    ranks[-1] = len(texts)
    return _without_gaps(ranks[codes])


def encoded(column: Any) -> tuple[Codes, list[str]]:
    """Return the number of each value in a list of distinct values; a missing value has the last number."""
    codes, values = _dictionary(column)
    return codes, [str(value) for value in values_of(values)]


def counts(column: Any) -> Codes:
    """Return the count of each value, in no order; missing values count as one value, the last one."""
    codes, values = _dictionary(column)
    return np.bincount(codes, minlength=len(values))


def _dictionary(column: Any) -> tuple[Codes, Any]:
    """Return the number of each value and the distinct values; missing values come last."""
    import pyarrow as pa

    try:
        encoded = column.combine_chunks().dictionary_encode()
    except pa.ArrowNotImplementedError:  # nested values
        words = [None if value is None else str(_plain(value)) for value in values_of(column)]
        encoded = pa.array(words, pa.string()).dictionary_encode()
    indices = encoded.indices.fill_null(len(encoded.dictionary)).to_numpy(zero_copy_only=False)
    return np.asarray(indices, dtype=np.int64), encoded.dictionary


def _plain(value: Any) -> Any:
    """Return a nested value in which NaN is None and -0.0 is 0.0, as in columns of numbers."""
    if isinstance(value, float):
        return None if value != value else value + 0.0
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value))
    return value


def _without_gaps(codes: Codes) -> Codes:
    """Number codes from 0 without a gap, in their order."""
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)
