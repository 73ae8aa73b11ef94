"""Text that only looks different: case, spaces, Unicode forms and characters that nobody sees."""

from __future__ import annotations

import re
import sys
import unicodedata
from decimal import Decimal, localcontext
from functools import cache

LONG = 1_000
"""Characters of a text beyond which the time matters in which Unicode sorts its marks."""


@cache
def _marks() -> re.Pattern[str]:
    """Return the pattern of 30 marks on one letter, as in the stream-safe format of Unicode (UAX 15).

    The time to sort the marks on a letter grows with the square of their number, so a joiner separates
    every 30 of them.
    """
    marks = "".join(c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.combining(c))
    return re.compile(f"[{re.escape(marks)}]{{30}}")


def folded(text: str) -> str:
    r"""Return a text as people tell texts apart.

    Examples
    --------
    >>> folded(" P\u200b1 ") == folded("p1"), folded("a  b") == folded("A\u00a0b")
    (True, True)
    """
    if len(text) > LONG:
        text = _marks().sub("\\g<0>\u034f", text)
    plain = unicodedata.normalize("NFKC", text)
    seen = "".join(c for c in plain if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", " ".join(seen.split()).casefold())


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
    """Return the name of a unit, the same for all its forms: files may have 7 as 7.0 or 007.

    Examples
    --------
    >>> unit_called("7.0") == unit_called("007"), unit_called(" P1") == unit_called("p1")
    (True, True)
    """
    name = folded(text)
    number = number_in(name)
    if number is None:
        return name
    with localcontext(prec=1000):  # as many digits as a number can have here
        return str(number.normalize() + 0)
