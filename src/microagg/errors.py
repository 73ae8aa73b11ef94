"""The exceptions, each with one short sentence and, where there is a way out, a hint.

No message ever holds a value of a record: records are confidential.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Number


class MicroaggError(Exception):
    """Base of every error that a user can cause or meet.

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
