"""The words that a column name is made of, whatever its style: `GenderID`, `name_first`, `HHSIZE2`."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def words_of(name: object) -> tuple[str, ...]:
    """Return the words of a column name in lower case; numbers are words of their own.

    Examples
    --------
    >>> words_of("GenderID"), words_of("name_first"), words_of("SSNumber2")
    (('gender', 'id'), ('name', 'first'), ('ss', 'number', '2'))
    """
    return tuple(
        word.lower() for part in _WORD.findall(str(name)) for word in _CAMEL.split(part) if word
    )
