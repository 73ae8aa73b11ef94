"""The exceptions, each with one short sentence and, where there is a way out, a hint.

No message ever holds a value of a record: records are confidential.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Number


class MicroaggError(Exception):
    """Base of every error that a user can cause or meet.

    Messages speak Python: "The 'encoding' parameter", 'Give encoding="latin-1".' The command line
    puts its own options in place of such words.

    Parameters
    ----------
    message : str
        What is wrong, naming the parameter, column or file.
    hint : str, optional
        What to do about it.

    Examples
    --------
    >>> print(MicroaggError("The file is empty.", hint="Give one with a header."))
    The file is empty.
    Hint: Give one with a header.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nHint: {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.message, self.hint)


def _rebuild(kind: type[MicroaggError], message: str, hint: str | None) -> MicroaggError:
    return kind(message, hint=hint)


class ParameterError(MicroaggError, ValueError):
    """A parameter is not what it must be."""


class DataError(MicroaggError, ValueError):
    """The records cannot be used as they are."""


class FileError(MicroaggError):
    """A file cannot be read or written."""


class MissingDependencyError(MicroaggError, ImportError):
    """An optional package is needed and not installed."""


class MicroaggWarning(UserWarning):
    """Something that a user must know although the work goes on: a search that was stopped, say."""

    def __init__(self, message: str) -> None:
        super().__init__(message)


class AnonymityError(MicroaggError):
    """What would be released does not hold what was promised; nothing is released."""


def shown(value: object) -> str:
    """Return how a message may show an argument: a plain value as it is, else only its type.

    A frame, an array or a list given by mistake may hold records.

    Examples
    --------
    >>> shown("mdva"), shown([37, 41])
    ("'mdva'", 'a list')
    """
    if value is None or isinstance(value, str | Number):
        return repr(value)
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def did_you_mean(name: object, options: Iterable[str]) -> str | None:
    """Return a hint that names the closest of `options`, or None when none is close.

    Examples
    --------
    >>> did_you_mean("mdva", ["mdav", "cbfs-nn"])
    "Did you mean 'mdav'?"
    """
    if not isinstance(name, str | Number):
        return None
    by_lower = {option.lower(): option for option in options}
    close = get_close_matches(str(name).lower(), by_lower, n=1, cutoff=0.6)
    return f"Did you mean '{by_lower[close[0]]}'?" if close else None


def looks_like_a_record(name: object) -> bool:
    """Tell whether a column name is a number, a date or the like: digits and no letters.

    So looks the first line of a file without a header, and that is a record.

    Examples
    --------
    >>> [looks_like_a_record(name) for name in ("41", "-1.5e3", "3/12/1980", "s1", "age")]
    [True, True, True, False, False]
    """
    text = re.sub(r"(?<=\d)[eE](?=[+-]?\d)", "", str(name))
    return any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


def column_hint(name: object, columns: Iterable[object], which: str = "The columns") -> str | None:
    """Return the column that may be meant, or else all columns, called `which` they are.

    Names that are numbers are left out: without a header they would be a record.

    Examples
    --------
    >>> column_hint("city", ["age", "income", "86420"])
    'The columns are: age, income.'
    """
    known = [str(column) for column in columns if not looks_like_a_record(column)]
    listed = f"{which} are: {', '.join(map(quoted_name, known))}." if known else None
    return did_you_mean(name, known) or listed


def unknown_column(parameter: str, name: object, columns: Iterable[object]) -> ParameterError:
    """Return what to raise when a parameter names a column that is not in the data.

    `columns` are the names that may be shown: none, where they may be a record.
    """
    names = list(columns)
    unseen = "Is the first line of the file a header? Its names may be a record, so none is shown."
    return ParameterError(
        f"The '{parameter}' parameter names a column {name!r} that is not in the data.",
        hint=column_hint(name, names) if names else unseen,
    )


def quoted_name(name: object) -> str:
    r"""Return a column name for a list: in quotes where it would run into others or be no line.

    Examples
    --------
    >>> print(*map(quoted_name, ["age", "net income", "a,b", "two\nlines"]), sep=", ")
    age, "net income", "a,b", "two\nlines"
    """
    text = str(name)
    plain = text and text.isprintable() and not set(' ,;"') & set(text)
    return text if plain else json.dumps(text, ensure_ascii=False)
