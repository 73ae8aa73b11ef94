"""The exceptions, each with one short sentence and, if there is a remedy, a hint.

No message contains a value of a record, because records are confidential.

An error stores the names of the parameters it is about, not text that mentions them. Python renders
it as "The 'k' parameter must be ..."; the command line renders the same error with its own flags.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from numbers import Integral, Number
from typing import Any, Protocol


class Speech(Protocol):
    """How a user writes parameters: as keywords in Python, as options on the command line."""

    def named(self, parameters: tuple[str, ...], caller: str | None) -> str:
        """Return the subject of a sentence: "The 'k' parameter of mdav"."""
        ...

    def assigned(self, parameter: str, value: object) -> str:
        """Return a parameter with a value; with `...` in its place, the parameter alone."""
        ...


class Either:
    """Several values that a phrase offers for one parameter."""

    def __init__(self, *values: object) -> None:
        self.values = values


class PythonSpeech:
    """Parameters as Python writes them.

    Examples
    --------
    >>> PythonSpeech().named(("k",), "mdav"), PythonSpeech().assigned("encoding", "latin-1")
    ("The 'k' parameter of mdav", 'encoding="latin-1"')
    """

    def named(self, parameters: tuple[str, ...], caller: str | None) -> str:
        names = " and ".join(f"'{name}'" for name in parameters)
        plural = "s" if len(parameters) > 1 else ""
        return f"The {names} parameter{plural}{f' of {caller}' if caller else ''}"

    def assigned(self, parameter: str, value: object) -> str:
        if value is ...:
            return f"{parameter}="
        text = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
        return f"{parameter}={text.replace('Ellipsis', '...')}"


PYTHON = PythonSpeech()


class Phrase:
    """Text with parameters, rendered for Python or for the command line.

    Parameters
    ----------
    template : str
        The text, with ``{name}`` in place of each parameter.
    **values : object
        The value of each parameter, ``Either(...)`` for several, or ``...`` for its name only.

    Examples
    --------
    >>> print(Phrase("Try {encoding}, or set {strata} as well.", encoding="latin-1", strata=...))
    Try encoding="latin-1", or set strata= as well.
    """

    def __init__(self, template: str, **values: object) -> None:
        self.template = template
        self.values = values

    def render(self, speech: Speech = PYTHON) -> str:
        """Return the text as `speech` writes its parameters."""
        text = self.template
        for name, value in self.values.items():
            values = value.values if isinstance(value, Either) else (value,)
            offered = " or ".join(speech.assigned(name, one) for one in values)
            text = text.replace(f"{{{name}}}", offered)
        return text

    def __str__(self) -> str:
        return self.render()

    def __repr__(self) -> str:
        return repr(str(self))


class MicroaggError(Exception):
    """Base class of every error that a user can cause or encounter.

    Parameters
    ----------
    problem : str or Phrase
        What is wrong, naming the column or file.
    hint : str or Phrase, optional
        What to do about it.

    Examples
    --------
    >>> print(MicroaggError("The file is empty.", hint="Use a file with a header."))
    The file is empty.
    Hint: Use a file with a header.
    """

    def __init__(self, problem: str | Phrase, *, hint: str | Phrase | None = None) -> None:
        super().__init__(problem)
        self._problem = problem
        self._hint = hint
        self.speech: Speech = PYTHON

    @property
    def message(self) -> str:
        """What is wrong."""
        return rendered(self._problem, self.speech)

    @property
    def hint(self) -> str | None:
        """What to do about it."""
        return None if self._hint is None else rendered(self._hint, self.speech)

    def reword(self, change: Callable[[str], str]) -> None:
        """Change the text, for example the name of a file in it."""
        self._problem = _reworded(self._problem, change)
        self._hint = None if self._hint is None else _reworded(self._hint, change)
        self.args = (self._problem,)

    @property
    def about(self) -> tuple[str, ...]:
        """The parameters that the error names, first those of the problem, then those of the hint."""
        phrases = [each for each in (self._problem, self._hint) if isinstance(each, Phrase)]
        return tuple(dict.fromkeys(name for each in phrases for name in each.values))

    def __str__(self) -> str:
        return f"{self.message}\nHint: {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self._problem, {"hint": self._hint})


def rendered(text: str | Phrase, speech: Speech) -> str:
    """Return a text with its parameters written by `speech`."""
    return text if isinstance(text, str) else text.render(speech)


def _reworded(text: str | Phrase, change: Callable[[str], str]) -> str | Phrase:
    return change(text) if isinstance(text, str) else Phrase(change(text.template), **text.values)


def _rebuild(
    kind: type[MicroaggError], problem: str | Phrase, details: dict[str, Any]
) -> MicroaggError:
    return kind(problem, **details)


class ParameterError(MicroaggError, ValueError):
    """A parameter is not valid.

    Parameters
    ----------
    problem : str or Phrase
        What is wrong: a predicate such as "must be an integer.", or a whole sentence without
        `parameter`.
    parameter : str or tuple of str, optional
        The parameter, or the two that cannot be combined.
    caller : str, optional
        The function that has the parameter.
    hint : str or Phrase, optional
        What to do about it.

    Examples
    --------
    >>> print(ParameterError("must be an integer. Got 2.5.", parameter="k", hint="Use 3."))
    The 'k' parameter must be an integer. Got 2.5.
    Hint: Use 3.
    """

    def __init__(
        self,
        problem: str | Phrase,
        *,
        parameter: str | tuple[str, ...] = (),
        caller: str | None = None,
        hint: str | Phrase | None = None,
    ) -> None:
        super().__init__(problem, hint=hint)
        self.parameters = (parameter,) if isinstance(parameter, str) else tuple(parameter)
        self.caller = caller

    @property
    def message(self) -> str:
        """What is wrong with which parameter."""
        problem = rendered(self._problem, self.speech)
        if not self.parameters:
            return problem
        return f"{self.speech.named(self.parameters, self.caller)} {problem}"

    @property
    def about(self) -> tuple[str, ...]:
        """The parameters that the error names, its subject first."""
        return tuple(dict.fromkeys((*self.parameters, *super().about)))

    def __reduce__(self) -> tuple[object, ...]:
        details = {"parameter": self.parameters, "caller": self.caller, "hint": self._hint}
        return _rebuild, (type(self), self._problem, details)


class DataError(MicroaggError, ValueError):
    """The records are not valid, or cannot be used without a change."""


class FileError(MicroaggError):
    """A file cannot be read or written."""


class MissingDependencyError(MicroaggError, ImportError):
    """A required optional package is not installed."""


class MicroaggWarning(UserWarning):
    """Something that a user must know although the work continues, such as a stopped search."""

    def __init__(self, message: str) -> None:
        super().__init__(message)


class OutOfMemoryError(MicroaggError, MemoryError):
    """There is not enough memory on the computer or for the process."""


@contextmanager
def enough_memory(work: str) -> Iterator[None]:
    """Turn a lack of memory into an error with a hint.

    Examples
    --------
    >>> with enough_memory("protect 10 records"):
    ...     raise MemoryError
    Traceback (most recent call last):
    ...
    microagg.errors.OutOfMemoryError: There is not enough memory to protect 10 records.
    Hint: Use fewer records or columns, a smaller k, the method 'mdav-nc', or protect_file.
    """
    try:
        yield
        return
    except OutOfMemoryError:
        raise
    except MemoryError:
        pass  # raised below, without what the memory was wanted for
    raise OutOfMemoryError(
        f"There is not enough memory to {work}.",
        hint="Use fewer records or columns, a smaller k, the method 'mdav-nc', or protect_file.",
    )


class AnonymityError(MicroaggError):
    """The release would not satisfy its promise; nothing is released."""


_MOST_SHOWN = 100
"""The maximum number of characters of an argument that are shown."""
_LARGEST = 10**_MOST_SHOWN

CLOSE = 0.7
"""The minimum similarity of a suggestion: `drop` does not suggest `group`, nor `nope` `income`."""


def shown(value: object) -> str:
    """Return an argument as a message shows it: a plain value unchanged, otherwise only its type.

    A frame, an array or a list passed by mistake may contain records.

    Examples
    --------
    >>> shown("mdva"), shown([37, 41])
    ("'mdva'", 'a list')
    """
    if isinstance(value, Integral) and not -_LARGEST < int(value) < _LARGEST:
        return "an integer of very many digits"
    if value is None or isinstance(value, str | Number):
        text = repr(value)
        return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def did_you_mean(name: object, options: Iterable[str]) -> str | None:
    """Return a hint that names the closest of `options`, or None if none is close.

    Examples
    --------
    >>> did_you_mean("mdva", ["mdav", "cbfs-nn"])
    "Did you mean 'mdav'?"
    >>> did_you_mean("drop", ["group", "suppress"]) is None
    True
    """
    if not isinstance(name, str | Number) or len(shown(name)) > _MOST_SHOWN:
        return None
    by_lower = {option.lower(): option for option in options}
    close = get_close_matches(str(name).lower(), by_lower, n=1, cutoff=CLOSE)
    return f"Did you mean '{by_lower[close[0]]}'?" if close else None


def unknown_name(what: str, name: object, choices: Iterable[str], also: str = "") -> ParameterError:
    """Return the error for an unknown method, measure or the like; it lists all if none is close.

    Examples
    --------
    >>> print(unknown_name("method", "mdva", ["mdav", "lns"]))
    There is no method 'mdva'.
    Hint: Did you mean 'mdav'?
    """
    names = sorted(choices)
    hint = did_you_mean(name, names)
    listed = "" if hint else f" Available: {', '.join(names)}.{also}"
    return ParameterError(f"There is no {what} {shown(name)}.{listed}", hint=hint)


def looks_like_a_record(name: object) -> bool:
    """Return whether a column name is a number, a date or the like: digits and no letters.

    The first line of a file without a header looks like this, and it is a record.

    Examples
    --------
    >>> [looks_like_a_record(name) for name in ("41", "-1.5e3", "3/12/1980", "s1", "age")]
    [True, True, True, False, False]
    """
    text = re.sub(r"(?<=\d)[eE](?=[+-]?\d)", "", str(name))
    return any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


def column_hint(name: object, columns: Iterable[object], which: str = "The columns") -> str | None:
    """Return a hint with the closest column, or else with all columns, described by `which`.

    Names that are numbers are left out: without a header, they would be a record.

    Examples
    --------
    >>> column_hint("city", ["age", "income", "86420"])
    'The columns are: age, income.'
    """
    names = [str(column) for column in columns if not looks_like_a_record(column)]
    listed = f"{which} are: {', '.join(map(quoted_name, names))}." if names else None
    return did_you_mean(name, names) or listed


def unknown_column(
    parameter: str, name: object, columns: Iterable[object], place: str = "the data"
) -> ParameterError:
    """Return the error for a parameter that names a column missing from the data.

    `columns` are the names that may be shown: none if they may be a record. `place` names the file
    that lacks the column, if there are several files.
    """
    names = list(columns)
    unseen = "Is the first line of the file a header? It may be a record, so it is not shown."
    return ParameterError(
        f"names a column {name!r} that is not in {place}.",
        parameter=parameter,
        hint=column_hint(name, names) if names else unseen,
    )


def quoted_name(name: object) -> str:
    r"""Return a column name for a list, in quotes if it is ambiguous or has line breaks.

    Examples
    --------
    >>> print(*map(quoted_name, ["age", "net income", "a,b", "two\nlines"]), sep=", ")
    age, "net income", "a,b", "two\nlines"
    """
    text = str(name)
    plain = text and text.isprintable() and not set(' ,;"') & set(text)
    return text if plain else visible(json.dumps(text, ensure_ascii=False))


def visible(text: str) -> str:
    r"""Return text in which characters that steer a terminal or turn the direction of text are codes.

    Examples
    --------
    >>> print(visible("4 records" + chr(0x202E) + " are unique"))
    4 records\u202e are unique
    """
    return text.translate(_STEERING)


_STEERING = {
    code: f"\\u{code:04x}"
    for code in (*range(32), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    if chr(code) not in "\n\t"
}
"""Control characters, and the embeddings, overrides and isolates that make text read as what it is not."""
