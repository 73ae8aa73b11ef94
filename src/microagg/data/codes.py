"""Numbers that are codes: categories, places, dates as integers, and identifiers.

The mean of a code makes no sense. Whether a column looks like codes is decided by its name and by facts
that can be gathered piece by piece, so that a file larger than memory gets the same answer as a frame.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.column_names import words_of
from microagg.data.frames import Frame
from microagg.data.numerals import to_numbers
from microagg.typing import Floats

FEW = 20
"""Whole numbers with at most so many different values are codes rather than amounts ..."""
OFTEN = 5
"""... if each occurs that often on average; in a handful of records all values are few."""

LONG = 10
"""Whole numbers with at least so many digits, all alike in length, are identifiers or places."""

_EARLIEST, _LATEST = 1800, 2100
"""The years that dates written as integers may have."""

_PLACE = re.compile(
    r"zip|post_?code|postal|(^|[_\W])(plz|cp|cep|postnr|pin_?code|fips|geo_?id|puma|nuts|lau|"
    r"geo_?code|(census_?)?tract|block_?group|cbsa|msa)($|[_\W\d])",
    re.IGNORECASE,
)
_CODES = frozenset(
    words_of("id ids code codes cod icd naics sic isco nace naf soc indp occp naicsp socp")
)
_NUMBERED = frozenset(
    words_of(
        "country state province region county municipality district ward precinct parish station"
    )
)
"""Places that statistical offices number."""
_CAPITALS = re.compile(r"[A-Z]{3,}ID")
_NOT_CAPITALS = frozenset(
    words_of("covid thyroid medicaid valid invalid avoid opioid steroid liquid fluid rapid")
)
_AMOUNTS = frozenset(
    words_of(
        "age ages agep count counts cnt size hhsize hsize children kids persons people members "
        "dependents dependants siblings rooms bedrooms bathrooms beds baths adults babies years yrs "
        "year hours hrs days nights months weeks minutes visits times freq frequency total sum qty "
        "quantity score points time duration stay stays tenure experience absences absence admissions "
        "procedures medications incidents accidents orders purchases calls cars vehicles pets"
    )
)
_NUMBER_OF = frozenset(words_of("n no nr nb num number"))


def sounds_like_a_place(name: str) -> bool:
    """Return whether a column's name is one for codes of places."""
    return _PLACE.search(str(name)) is not None


def sounds_like_a_code(name: str) -> bool:
    """Return whether a name says that numbers are codes: `dept_id`, `ICD code`, `OCCUCODE`, `region`."""
    words = words_of(name)
    if not words:
        return False
    last = words[-1] in _CODES | _NUMBERED or words[-1].endswith("code")
    return last or words[0] in _CODES - {"id", "ids"} or ends_in_id(name)


def ends_in_id(name: str) -> bool:
    """Return whether a word in capitals ends in ID: `UTILITYID`, but not `COVID`."""
    return any(
        _CAPITALS.fullmatch(part) is not None and part.lower() not in _NOT_CAPITALS
        for part in re.split(r"[\W_]+", str(name))
    )


def sounds_like_an_amount(name: str) -> bool:
    """Return whether a column's name is one for ages, counts or sizes, however few values it has."""
    words = words_of(name)
    counted = len(words) > 1 and words[0] in _NUMBER_OF
    return (counted or bool(_AMOUNTS & set(words))) and not sounds_like_a_code(name)


def few(distinct: int, count: int) -> bool:
    """Return whether whole numbers are codes rather than amounts by how many different ones there are."""
    return distinct <= FEW and count >= OFTEN * distinct


class Numbers:
    """What is known of a column of numbers: gathered piece by piece.

    Parameters
    ----------
    name : str
        Of the column.

    Examples
    --------
    >>> days = Numbers("start")
    >>> days.add(np.array([20141023.0, 20150101.0, 19991231.0]))
    >>> days.look_like_codes, days.are_dates
    (True, True)
    """

    def __init__(self, name: str) -> None:
        self._name, self._count = name, 0
        self._whole = self._days = self._months = True
        self._different: Floats | None = np.empty(0)
        self._least, self._most, self._round = np.inf, 0.0, 0

    def add(self, values: Floats) -> None:
        """Take note of more values; NaN and infinite ones are left out."""
        values = values[np.isfinite(values)]
        self._count += values.size
        self._whole = self._whole and bool((values == np.rint(values)).all())
        if not self._whole or not values.size:
            return
        self._note_different(values)
        self._days = self._days and bool(_are_days(values).all())
        self._months = self._months and bool(_are_months(values).all())
        self._least = min(self._least, float(values.min()))
        self._most = max(self._most, float(values.max()))
        self._round += int(np.count_nonzero(values % 100 == 0))

    def _note_different(self, values: Floats) -> None:
        if self._different is not None:
            different = np.unique(np.concatenate([self._different, values]))
            self._different = different if different.size <= FEW else None

    def state(self) -> dict[str, Any]:
        """Return all that is known, for JSON."""
        different = None if self._different is None else self._different.tolist()
        least = None if np.isinf(self._least) else self._least
        return {**vars(self), "_different": different, "_least": least}

    def join(self, state: Mapping[str, Any]) -> None:
        """Take note of what the `state` of other records says."""
        self._count += state["_count"]
        self._whole = self._whole and state["_whole"]
        self._days, self._months = self._days and state["_days"], self._months and state["_months"]
        if state["_different"] is None:
            self._different = None
        self._note_different(np.array(state["_different"] or [], dtype=np.float64))
        least = np.inf if state["_least"] is None else state["_least"]
        self._least, self._most = min(self._least, least), max(self._most, state["_most"])
        self._round += state["_round"]

    @property
    def are_dates(self) -> bool:
        """Whether all values are days (20141023) or months (201410) written as integers."""
        if not self._whole or self._count < 3:
            return False
        varied = self._different is None or self._different.size >= 3
        # Amounts around 200,000 look like months now and then; a hundred of them hardly ever do.
        return self._days or (self._months and varied)

    @property
    def are_long(self) -> bool:
        """Whether all values have the same many digits, as account and block numbers have."""
        if not self._whole or not self._count or self._least < 10 ** (LONG - 2):
            return False
        digits = len(str(int(self._most)))
        alike = digits - len(str(int(self._least))) <= 1  # a leading zero may be lost
        return digits >= LONG and alike and 2 * self._round < self._count

    @property
    def are_few(self) -> bool:
        """Whether there are few different whole numbers, but more than one, each of them often."""
        different = self._different
        if not self._whole or different is None or different.size < 2:
            return False
        return few(different.size, self._count)

    @property
    def look_like_codes(self) -> bool:
        """Whether the mean of such values makes no sense."""
        if sounds_like_a_place(self._name):
            return True
        if not self._count or not self._whole:
            return False
        if sounds_like_a_code(self._name) or self.are_dates or self.are_long:
            return True
        return self.are_few and not sounds_like_an_amount(self._name)


def looks_like_codes(frame: Frame, name: str) -> bool:
    """Return whether numbers look like codes of places or categories, of which a mean makes no sense."""
    return numbers_in(frame, name).look_like_codes


def numbers_in(frame: Frame, name: str) -> Numbers:
    """Return what is known of a numeric column of a frame."""
    numbers = Numbers(name)
    numbers.add(finite_values(frame, name))
    return numbers


def finite_values(frame: Frame, name: str) -> Floats:
    """Return the values of a column of numbers without missing and infinite ones."""
    values = np.asarray(frame.arrow(name).drop_null().to_numpy(), dtype=np.float64)
    return values[np.isfinite(values)]


def _are_days(values: Floats) -> NDArray[np.bool_]:
    """Tell which values are days as YYYYMMDD."""
    day = values % 100
    return _are_months(np.floor(values / 100)) & (day >= 1) & (day <= 31)


def _are_months(values: Floats) -> NDArray[np.bool_]:
    """Tell which values are months as YYYYMM."""
    year, month = np.floor(values / 100), values % 100
    return (year >= _EARLIEST) & (year < _LATEST) & (month >= 1) & (month <= 12)


def amounts_among(table: Any, names: Iterable[str]) -> list[str]:
    """Return those of the named text columns that hold amounts: numbers that do not look like codes."""
    import pyarrow as pa

    amounts = []
    for name in names:
        numbers = to_numbers(table[name]) if name in table.column_names else None
        if numbers is not None and not looks_like_codes(Frame(pa.table({name: numbers})), name):
            amounts.append(name)
    return amounts
