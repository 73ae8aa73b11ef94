"""Text to numbers and back, exactly: what is read is what Python's ``float`` would read.

A column is a number or it is not: one field that is no numeral leaves the whole column as text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

# RE2 syntax, on trimmed text. A leading zero or plus marks a code (a postcode, a telephone), so a
# column nobody asked to parse stays text when it has one.
_WHOLE = {"asked": r"[+-]?[0-9]+", "guessed": r"-?(?:0|[1-9][0-9]*)"}
_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
_SPECIAL = r"[+-]?(?i:inf|infinity)|(?i:nan)"

MISSING_CODES = frozenset(
    "n na n/a n.a. <na> #n/a nan null nil missing ? ?? . .. - -- * :".split()  # noqa: SIM905
)
"""Words in lower case that statistical files have for a missing number."""

CODES_IN_TEXT = MISSING_CODES - {"n"}
"""Those that also mean missing among words: "n" may be an answer or a name."""

# Enough rows to reject nearly every text column without reading it whole.
_PROBE = 256


def _fraction(mode: str, decimal: str) -> str:
    point = re.escape(decimal)
    sign = "[+-]?" if mode == "asked" else "-?"
    return rf"(?:{_WHOLE[mode]}(?:{point}[0-9]*)?|{sign}{point}[0-9]+){_EXPONENT}"


def to_numbers(
    column: pa.ChunkedArray, *, decimal: str = ".", asked: bool = True
) -> pa.ChunkedArray | None:
    """Turn a text column into int64, or else float64; empty fields become null.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        Text.
    decimal : str
        The decimal mark.
    asked : bool
        Whether the caller named the column. If not, codes such as "007" or integers too long for
        int64 are no numbers, and at least one field must be a finite numeral.

    Returns
    -------
    pyarrow.ChunkedArray or None
        None when the column is not wholly numeric.

    Examples
    --------
    >>> import pyarrow as pa
    >>> to_numbers(pa.chunked_array([["1", "", "2.5"]])).to_pylist()
    [1.0, None, 2.5]
    >>> to_numbers(pa.chunked_array([["007", "010"]]), asked=False) is None
    True
    """
    import pyarrow as pa

    mode = "asked" if asked else "guessed"
    fraction = _fraction(mode, decimal)
    numeral = f"^(?:{fraction}|{_SPECIAL})$"
    if not _all_match(_trimmed(column[:_PROBE]), numeral):
        return None
    text = _trimmed(column)
    if text.null_count == len(text):
        return text.cast(pa.float64()) if asked else None
    if _all_match(text, f"^{_WHOLE[mode]}$"):
        whole = _to_integers(text)
        if whole is not None or not asked:
            return whole
    if not _all_match(text, numeral) or not (asked or _any_match(text, f"^{fraction}$")):
        return None
    return _to_floats(text, decimal)


def has_leading_zeros(column: pa.ChunkedArray) -> bool:
    """Return whether a number in a column of text begins with a zero before another digit, such as 007.

    Examples
    --------
    >>> import pyarrow as pa
    >>> [has_leading_zeros(pa.chunked_array([texts])) for texts in (["12", " 007"], ["0", "0.5"])]
    [True, False]
    """
    return _any_match(_trimmed(column), "^[+-]?0[0-9]")


@dataclass(frozen=True)
class Numerals:
    """What decides whether text that nobody asked to parse is numbers; what pieces tell can be joined.

    Attributes
    ----------
    numbers, whole, short : bool
        Whether all fields that are not empty are numerals, integers, and integers of 64 bits.
    finite : bool
        Whether there is a finite numeral.
    """

    numbers: bool = True
    whole: bool = True
    short: bool = True
    finite: bool = False

    @classmethod
    def of(cls, column: pa.ChunkedArray, decimal: str = ".") -> Numerals:
        """Look at the fields of a column of text."""
        fraction, text = _fraction("guessed", decimal), _trimmed(column)
        if not _all_match(text, f"^(?:{fraction}|{_SPECIAL})$"):
            return cls(numbers=False)
        whole = _all_match(text, f"^{_WHOLE['guessed']}$")
        short = whole and _to_integers(text) is not None
        return cls(True, whole, short, _any_match(text, f"^{fraction}$"))

    def joined(self, other: Numerals) -> Numerals:
        """Return what both tell together."""
        return Numerals(
            self.numbers and other.numbers,
            self.whole and other.whole,
            self.short and other.short,
            self.finite or other.finite,
        )

    @property
    def type(self) -> pa.DataType | None:
        """The type that `to_numbers` gives such a column if nobody asked for numbers; None for text.

        Examples
        --------
        >>> import pyarrow as pa
        >>> one, other = (Numerals.of(pa.chunked_array([[text]])) for text in ("-0", "2.5"))
        >>> one.type, one.joined(other).type
        (DataType(int64), DataType(double))
        """
        import pyarrow as pa

        if not self.numbers or not self.finite or (self.whole and not self.short):
            return None
        return pa.int64() if self.whole else pa.float64()


def parsed_as(
    column: pa.ChunkedArray, type: pa.DataType, decimal: str = "."
) -> pa.ChunkedArray | None:
    """Turn text into numbers of the type that `Numerals` has chosen; None if it no longer is such."""
    import pyarrow as pa

    own = Numerals.of(column, decimal)
    if not own.numbers or (pa.types.is_integer(type) and not own.short):
        return None
    text = _trimmed(column)
    return _to_integers(text) if pa.types.is_integer(type) else _to_floats(text, decimal)


@dataclass(frozen=True)
class NotNumbers:
    """What a text column holds beside numbers: the rows (from 0), and the code if it is but one.

    `decimal_commas` and `thousands` tell that all of it is numbers written with such marks, or with both.

    A code is one of `MISSING_CODES`, which reveal nothing about a person, so messages may show it.
    """

    rows: list[int]
    code: str | None
    decimal_commas: bool
    thousands: bool = False

    @property
    def form(self) -> str:
        """How its numbers are written, in words."""
        marks = ["thousands separators"] * self.thousands + ["decimal commas"] * self.decimal_commas
        return f"numbers with {' and '.join(marks)}" if marks else "numbers"


def not_numbers(column: pa.ChunkedArray, *, decimal: str = ".") -> NotNumbers:
    """Return what a text column holds beside numbers and empty fields.

    Examples
    --------
    >>> import pyarrow as pa
    >>> not_numbers(pa.chunked_array([["1", "N/A", "", "2.5"]]))
    NotNumbers(rows=[1], code='N/A', decimal_commas=False, thousands=False)
    >>> not_numbers(pa.chunked_array([["1,5", "2,25"]])).decimal_commas
    True
    >>> not_numbers(pa.chunked_array([["1,500", "950", "1,234,000.5"]])).thousands
    True
    >>> both = not_numbers(pa.chunked_array([["1.500,50", "950", "2.000"]]))
    >>> both.decimal_commas, both.thousands
    (True, True)
    """
    import numpy as np
    import pyarrow.compute as pc

    text = _trimmed(column)
    numeral = f"^(?:{_fraction('asked', decimal)}|{_SPECIAL})$"
    matches = pc.fill_null(pc.match_substring_regex(text, numeral), True)
    rows: list[int] = np.flatnonzero(~np.asarray(matches, dtype=bool)).tolist()
    odd = pc.unique(text.filter(pc.invert(matches))).to_pylist()
    commas = decimal == "." and bool(odd) and _all_match(text, f"^{_fraction('asked', ',')}$")
    grouped = bool(odd) and all(map(_grouped(decimal).fullmatch, odd))
    commas = commas and not grouped
    if decimal == "." and not (commas or grouped) and _grouped_with_commas(odd):
        commas = grouped = True
    code = odd[0].lower() if odd else ""
    one = code in MISSING_CODES and all(word.lower() == code for word in odd)
    # Nothing but codes is no column of numbers: "N" alone may be an answer.
    one = one and len(rows) + text.null_count < len(text)
    return NotNumbers(rows, odd[0] if one else None, commas, grouped)


def _grouped_with_commas(texts: Sequence[str]) -> bool:
    """Return whether all texts are numbers with a decimal comma or a mark after every third digit."""
    forms = _grouped(","), re.compile(_fraction("asked", ","))
    return all(any(form.fullmatch(text) for form in forms) for text in texts) and any(
        "," in text for text in texts
    )


def _grouped(decimal: str) -> re.Pattern[str]:
    """Return the pattern of numerals with a mark after every third digit: 1,234.5 or 1 234."""
    marks = "".join(mark for mark in ",.'\u2019 \u00a0\u202f" if mark != decimal)
    point = re.escape(decimal)
    return re.compile(rf"[+-]?\d{{1,3}}([{marks}])\d{{3}}(\1\d{{3}})*({point}\d*)?")


def _trimmed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_null(column.type):  # text of which every field is missing
        column = column.cast(pa.string())
    text = pc.ascii_trim_whitespace(column)
    return pc.if_else(pc.equal(text, ""), pa.scalar(None, text.type), text)


def _all_match(text: pa.ChunkedArray, pattern: str) -> bool:
    import pyarrow.compute as pc

    # min_count=0: a column of nulls only matches everything.
    return bool(pc.all(pc.match_substring_regex(text, pattern), min_count=0).as_py())


def _any_match(text: pa.ChunkedArray, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(text, pattern), min_count=0).as_py())


def _to_integers(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    if _any_match(text, r"^\+"):
        text = pc.replace_substring_regex(text, r"^\+", "")
    try:
        return pc.cast(text, pa.int64())
    except pa.ArrowInvalid:
        # The pattern has been checked, so this is an integer beyond int64.
        return None


def _to_floats(text: pa.ChunkedArray, decimal: str) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    if decimal != ".":
        text = pc.replace_substring(text, decimal, ".")
    return pc.cast(text, pa.float64())


def float_texts(column: pa.Array, decimal: str = ".") -> list[str]:
    """Return the shortest numerals that read back as the same floats; null becomes "".

    Examples
    --------
    >>> import pyarrow as pa
    >>> float_texts(pa.array([100 / 3, 5.0, None]))
    ['33.333333333333336', '5.0', '']
    """
    import pyarrow as pa

    if pa.types.is_float64(column.type):
        texts = ["" if value is None else repr(value) for value in column.to_pylist()]
    else:
        # A single-precision 0.1 is written 0.1, not as the double nearest to it.
        numbers = column.to_numpy(zero_copy_only=False)
        valid = column.is_valid().to_pylist()
        texts = [str(value) if keep else "" for value, keep in zip(numbers, valid, strict=True)]
    return texts if decimal == "." else [text.replace(".", decimal) for text in texts]
