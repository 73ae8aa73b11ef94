"""Text that differs only in form: case, spaces, dashes, digits, Unicode forms and invisible characters."""

from __future__ import annotations

import re
import sys
import unicodedata
from decimal import Decimal, localcontext
from functools import cache

from microagg.data.numerals import CODES_IN_TEXT

LONG = 1_000
"""Characters of a text beyond which the time matters in which Unicode sorts its marks."""


_INVISIBLE = frozenset(
    chr(code)
    for first, last in (
        (0x115F, 0x1160),  # fillers of Hangul, to which NFKC changes the others
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0xFE00, 0xFE0F),  # selectors of variants
        (0xE0100, 0xE01EF),
    )
    for code in range(first, last + 1)
)
"""Characters that no program shows, although Unicode does not class them as formats."""

_BLANK, _MINUS, _JOINER = "\u2800", "\u2212", "\u034f"


class _Seen(dict[int, str]):
    """What a reader sees of each character: nothing, a space, a hyphen, a digit or the character."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        seen = character
        if category == "Cf" or character in _INVISIBLE:
            seen = ""
        elif character == _BLANK:
            seen = " "
        elif category == "Pd" or character == _MINUS:
            seen = "-"
        elif category == "Nd":
            seen = str(unicodedata.decimal(character))
        self[code] = seen
        return seen


_SEEN = _Seen()


@cache
def _marks() -> re.Pattern[str]:
    """Return the pattern of 30 marks on one letter, as in the stream-safe format of Unicode (UAX 15).

    The time to sort the marks on a letter grows with the square of their number, so a joiner separates
    every 30 of them.
    """
    marks = "".join(c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.combining(c))
    return re.compile(f"[{re.escape(marks)}]{{30}}")


def folded(text: str) -> str:
    r"""Return a text without differences in form.

    Examples
    --------
    >>> folded(" P\u200b1 ") == folded("p1"), folded("a  b") == folded("A\u00a0b")
    (True, True)
    >>> folded("a\u20131") == folded("a-1"), folded("\u0663") == folded("3")
    (True, True)
    """
    seen = _normalized(text).translate(_SEEN)
    return _normalized(" ".join(seen.split()).casefold())


def _normalized(text: str) -> str:
    """Return a text in normal form KC, in a time that grows with its length only."""
    text = text.replace(_JOINER, "")
    if len(text) > LONG:
        text = _marks().sub(rf"\g<0>{_JOINER}", text)
    return unicodedata.normalize("NFKC", text).replace(_JOINER, "")


def number_in(text: str) -> Decimal | None:
    """Return the number that a folded text is, exactly; None if it is none.

    Examples
    --------
    >>> number_in("7.0") == number_in("07"), number_in("p7") is None
    (True, True)
    """
    return Decimal(text) if _NUMBER.fullmatch(text) else None


_NUMBER = re.compile(r"[+-]?([0-9]{1,300}\.?[0-9]{0,300}|\.[0-9]{1,300})(e[+-]?[0-9]{1,3})?")


def unit_called(text: str) -> str:
    """Return a canonical name of a unit, because files may contain 7 as 7.0 or 007; empty if it is missing.

    A code for missing values is not the name of a unit: its records may belong to any unit.

    Examples
    --------
    >>> unit_called("7.0") == unit_called("007"), unit_called(" P1") == unit_called("p1")
    (True, True)
    >>> unit_called("N/A"), unit_called("N")
    ('', 'n')
    """
    name = folded(text)
    if name in CODES_IN_TEXT:
        return ""
    number = number_in(name)
    if number is None:
        return name
    with localcontext(prec=1000):  # as many digits as a number can have here
        return str(number.normalize() + 0)
