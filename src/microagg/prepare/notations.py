"""Values that are the same in another notation: numbers, days, and digits that few programs show."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from typing import Any

import numpy as np

from microagg.prepare.folded import number_in

DIGITS = 15
"""Spreadsheet programs and R show so many significant digits."""

_DAY = re.compile(
    r"([0-9]{1,4})([-/. ])([0-9]{1,2})\2([0-9]{1,4})(?:[t ]00:00(?::00(?:\.0+)?)?z?)?"
)


def same_numbers(texts: Collection[str]) -> bool:
    """Tell whether folded texts that differ are the same number.

    Examples
    --------
    >>> same_numbers({"5", "5.0"}), same_numbers({"1,5", "1.50"}), same_numbers({"5", "6"})
    (True, True, False)
    """
    numbers = [number_in(text.replace(",", ".")) for text in texts]
    written = [number for number in numbers if number is not None]
    return len(set(written)) < len(written)


def numbers_among(texts: Collection[str]) -> Any:
    """Return the different numbers that texts contain, as an Arrow array.

    Examples
    --------
    >>> numbers_among(["0.5", "flu", "5e-1"]).to_pylist()
    [0.5]
    """
    import pyarrow as pa

    numbers = {number_in(text.strip().lower()) for text in texts}
    written = sorted(float(number) for number in numbers if number is not None)
    return pa.array(written, type=pa.float64())


def same_days(texts: Collection[str]) -> bool:
    """Tell whether folded texts that differ may be the same day; month and day have any order.

    Examples
    --------
    >>> same_days({"2020-01-02", "2.1.2020"}), same_days({"2020-01-02", "2020-02-01"})
    (True, False)
    """
    written = defaultdict(list)
    for match in filter(None, map(_DAY.fullmatch, texts)):
        first, mark, middle, last = match.groups()
        is_year_first = len(first) > 2
        year, *rest = (first, middle, last) if is_year_first else (last, first, middle)
        days = tuple(map(int, rest))
        notation = (mark, is_year_first, len(year) > 2)
        written[(int(year) % 100, *sorted(days))].append((notation, days))
    return any(
        len({notation for notation, _ in alike}) > 1 or len(set(alike)) < len(alike)
        for alike in written.values()
    )


def same_digits(values: Any) -> bool:
    """Tell whether numbers of an Arrow array that differ agree in the digits that programs show.

    Examples
    --------
    >>> import pyarrow as pa
    >>> same_digits(pa.array([0.3, 0.1 + 0.2])), same_digits(pa.array([0.3, 0.31]))
    (True, False)
    """
    import pyarrow as pa

    numbers = np.asarray(values.drop_null().cast(pa.float64(), safe=False))
    numbers = np.sort(numbers[np.isfinite(numbers) & (numbers != 0)])
    close = np.flatnonzero(np.diff(numbers) <= 10.0 ** (1 - DIGITS) * np.abs(numbers[1:]))
    return any(f"{numbers[i]:.{DIGITS}g}" == f"{numbers[i + 1]:.{DIGITS}g}" for i in close)
