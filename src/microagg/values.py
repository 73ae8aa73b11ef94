"""The forms of the values of options.

A form checks and normalises a value, parses the text of the command line, converts the value for
JSON, and describes itself for signatures, help texts and documentation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from microagg.constraints import AnyOf, Constraint, IsInteger, IsNumber, IsPositive, OneOf, check
from microagg.errors import ParameterError, Phrase, shown
from microagg.schema import column_names


class Form(ABC):
    """The form of a value.

    Attributes
    ----------
    repeated : bool
        Whether the option may be repeated on the command line.
    """

    repeated: ClassVar[bool] = False

    @property
    def text_type(self) -> type:
        """The type on the command line: int, float, str or bool."""
        return str

    @property
    @abstractmethod
    def annotation(self) -> str:
        """The type in signatures."""

    @property
    @abstractmethod
    def words(self) -> str:
        """The type in the documentation."""

    @property
    def metavar(self) -> str | None:
        """The placeholder of a value in the help text; None means that of the type."""
        return None

    @abstractmethod
    def checked(self, value: Any, parameter: str, caller: str) -> Any:
        """Return the normalised value, or raise a ParameterError."""

    def parsed(self, text: Any, parameter: str, columns: Sequence[str]) -> Any:
        """Return the value of a `text` from the command line; `columns` are those of the file."""
        return text

    def plain(self, value: Any) -> Any:
        """Return a value that JSON represents without loss."""
        return plain(value)

    def restored(self, value: Any) -> Any:
        """Return the value that `plain` wrote."""
        return value

    def columns(self, value: Any) -> tuple[Any, ...]:
        """Return the columns that a normalised value names."""
        return ()


@dataclass(frozen=True)
class One(Form):
    """One number, word or text, or None if it is `optional`."""

    constraint: Constraint
    optional: bool = False

    @property
    def annotation(self) -> str:
        return annotation_of(self.constraint) + (" | None" if self.optional else "")

    @property
    def words(self) -> str:
        return f"{self.constraint}, optional" if self.optional else str(self.constraint)

    @property
    def text_type(self) -> type:
        kinds: dict[type, type] = {IsInteger: int, IsNumber: float, IsPositive: float}
        if self.constraint == FLAG:
            return bool
        return kinds.get(type(self.constraint), str)

    @property
    def metavar(self) -> str | None:
        if isinstance(self.constraint, OneOf) and self.text_type is str:
            return "|".join(map(str, self.constraint.choices))
        return None

    def checked(self, value: Any, parameter: str, caller: str) -> Any:
        if value is None and self.optional:
            return None
        check(parameter, value, self.constraint, caller)
        if isinstance(self.constraint, IsInteger):
            return int(value)
        return float(value) if isinstance(self.constraint, IsNumber | IsPositive) else value


FLAG = OneOf((False, True))
"""On or off."""


@dataclass(frozen=True)
class ColumnName(Form):
    """The name of one column, or None."""

    advice: str = ""

    annotation: ClassVar[str] = "str | None"
    words: ClassVar[str] = "column name, optional"
    metavar: ClassVar[str] = "COLUMN"

    def checked(self, value: Any, parameter: str, caller: str) -> Any:
        if value is not None and not isinstance(value, str | Integral):
            raise ParameterError(
                f"must be the name of a column. Got {shown(value)}.",
                parameter=parameter,
                hint=Phrase(f"{self.advice}{{{parameter}}}.", **{parameter: "w"}),
            )
        return python_number(value)

    def columns(self, value: Any) -> tuple[Any, ...]:
        return () if value is None else (value,)


@dataclass(frozen=True)
class Names(Form):
    """A list of column names.

    Parameters
    ----------
    one : bool
        Whether a single name may be passed without a list.
    """

    one: bool = False

    repeated: ClassVar[bool] = True
    metavar: ClassVar[str] = "COLUMN,..."

    @property
    def annotation(self) -> str:
        return f"{'str | ' if self.one else ''}Sequence[str] | None"

    @property
    def words(self) -> str:
        return "column name or list of them" if self.one else "list of column names"

    def checked(self, value: Any, parameter: str, caller: str) -> tuple[Any, ...]:
        if value is None:
            return ()
        single = self.one and isinstance(value, str | Integral)
        return column_names(parameter, [value] if single else value)

    def parsed(self, text: Any, parameter: str, columns: Sequence[str]) -> list[str]:
        return listed(text, columns)

    def columns(self, value: Any) -> tuple[Any, ...]:
        return tuple(value)


@dataclass(frozen=True)
class Words(Form):
    """One word, or a list of words that are not column names."""

    what: str
    example: str = ""

    repeated: ClassVar[bool] = True
    annotation: ClassVar[str] = "str | Sequence[str] | None"

    @property
    def words(self) -> str:
        return f"{self.what}, or a list of them"

    @property
    def metavar(self) -> str | None:
        return self.example or None

    def checked(self, value: Any, parameter: str, caller: str) -> tuple[str, ...]:
        if value is None:
            return ()
        listed_words = [value] if isinstance(value, str) else value
        if not isinstance(listed_words, Sequence) or isinstance(listed_words, bytes):
            raise ParameterError(f"must be {self.words}. Got {shown(value)}.", parameter=parameter)
        for word in listed_words:
            if not isinstance(word, str):
                raise ParameterError(
                    f"must be {self.words}. It contains {shown(word)}.", parameter=parameter
                )
        return tuple(listed_words)

    def parsed(self, text: Any, parameter: str, columns: Sequence[str]) -> list[str]:
        return listed(text, ())


@dataclass(frozen=True)
class Texts(Words):
    """Texts that may contain commas, each as a separate option."""

    def parsed(self, text: Any, parameter: str, columns: Sequence[str]) -> list[str]:
        return list(text)


@dataclass(frozen=True)
class NamesOrRule(Form):
    """A list of column names, or a rule that selects them.

    A rule is a text ``measure:count``: "emad:3" selects the three columns with the most edges in the
    dependence tree of `select_columns`; "emad-chi2:3" and "emad-normal:3" use its other measures.
    """

    repeated: ClassVar[bool] = True
    annotation: ClassVar[str] = "str | Sequence[str] | None"
    words: ClassVar[str] = 'list of column names, or a rule such as "emad:3"'
    metavar: ClassVar[str] = "COLUMN,...|emad:COUNT"

    def checked(self, value: Any, parameter: str, caller: str) -> Any:
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, Iterable) and not isinstance(value, Mapping):
            return tuple(map(python_number, value))
        return value  # refused with the columns at hand

    def parsed(self, text: Any, parameter: str, columns: Sequence[str]) -> Any:
        names = listed(text, columns)
        rule = len(names) == 1 and names[0] not in columns and ":" in names[0]
        return names[0] if rule else names


@dataclass(frozen=True)
class Lists(Form):
    """Lists of column names, or the number of columns in each list."""

    repeated: ClassVar[bool] = True
    annotation: ClassVar[str] = "int | Sequence[Sequence[str]] | None"
    words: ClassVar[str] = "lists of column names, or integer"
    metavar: ClassVar[str] = "COLUMN,...|COUNT"

    def checked(self, value: Any, parameter: str, caller: str) -> Any:
        if isinstance(value, Sequence) and not isinstance(value, str):
            return tuple(
                tuple(part) if isinstance(part, Sequence) and not isinstance(part, str) else part
                for part in value
            )
        return python_number(value)

    def parsed(self, text: Any, parameter: str, columns: Sequence[str]) -> Any:
        counted = len(text) == 1 and text[0] not in columns and text[0].isdecimal()
        return int(text[0]) if counted else [listed([part], columns) for part in text]


def listed(texts: Iterable[str] | None, columns: Sequence[str]) -> list[str]:
    """Return the names in texts such as ``age,income``; the complete name of a column is not split.

    Examples
    --------
    >>> listed(["age,income", "a, b"], ["a, b"])
    ['age', 'income', 'a, b']
    """
    names: list[str] = []
    for text in texts or ():
        parts = [text] if text in columns else [part.strip() for part in text.split(",")]
        names += [part for part in parts if part]
    return names


def plain(value: Any) -> Any:
    """Return a value with lists instead of tuples and Python numbers instead of NumPy numbers."""
    if isinstance(value, Mapping):
        return {name: plain(entry) for name, entry in value.items()}
    if isinstance(value, tuple | list):
        return [plain(entry) for entry in value]
    return python_number(value)


def python_number(value: Any) -> Any:
    """Return NumPy numbers as Python numbers, and other values unchanged."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, Integral | Real | np.bool_):
        return value.item() if isinstance(value, np.generic) else value
    return value


def annotation_of(constraint: Constraint) -> str:
    """Return the type of the values that a constraint allows."""
    if isinstance(constraint, AnyOf):
        return " | ".join(annotation_of(option) for option in constraint.options)
    if constraint == FLAG:
        return "bool"
    if isinstance(constraint, OneOf):
        return f"Literal[{', '.join(map(repr, constraint.choices))}]".replace("'", '"')
    if isinstance(constraint, IsInteger):
        return "int"
    return "float" if isinstance(constraint, IsNumber | IsPositive) else "str"
