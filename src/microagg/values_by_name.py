"""The forms of values by name: one per column, or one per parameter of a method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from microagg.constraints import Constraint, IsText, OneOf, check
from microagg.errors import ParameterError, Phrase, shown
from microagg.values import Form, annotation_of, plain, python_number


@dataclass(frozen=True)
class ByColumn(Form):
    """A mapping of column names to values.

    Parameters
    ----------
    constraint : Constraint, optional
        The constraint on each value.
    example : str
        An entry in the notation of the command line.
    words_instead : tuple of str
        Words that may replace the whole mapping; the first is the default.
    several : bool
        Whether the value of a column is a list.
    anywhere : bool
        Whether columns other than quasi-identifiers may be named.
    """

    constraint: Constraint | None
    example: str
    words_instead: tuple[str, ...] = ()
    several: bool = False
    anywhere: bool = False

    repeated: ClassVar[bool] = True

    @property
    def annotation(self) -> str:
        entry = "Any" if self.constraint is None else annotation_of(self.constraint)
        entry = f"Sequence[{entry}]" if self.several else entry
        mapping = f"Mapping[str, {entry}]"
        if self.words_instead:
            return f"{annotation_of(OneOf(self.words_instead))} | {mapping}"
        return f"{mapping} | None"

    @property
    def words(self) -> str:
        entry = "list" if self.several else str(self.constraint or "value")
        words = "".join(f"{word!r} or " for word in self.words_instead)
        return f"{words}mapping of column name to {entry}"

    @property
    def metavar(self) -> str | None:
        return "|".join([*self.words_instead[1:], self.example])

    def checked(self, value: Any, parameter: str, caller: str) -> Any:
        if isinstance(value, str) and value in self.words_instead:
            return value
        if value is None:
            return self.words_instead[0] if self.words_instead else {}
        if not isinstance(value, Mapping):
            raise ParameterError(
                f"must map column names to values. Got {shown(value)}.",
                parameter=parameter,
                hint=Phrase(self._advice(parameter), **{parameter: self._sample()}),
            )
        entries = {python_number(name): entry for name, entry in value.items()}
        if self.constraint is not None:
            for name, entry in entries.items():
                check(parameter, entry, self.constraint, caller, name)
        return entries

    def _advice(self, parameter: str) -> str:
        others = "".join(f", {word!r}" for word in self.words_instead[1:])
        return f"Write {{{parameter}}}{others}{', or leave it out' if others else ''}."

    def _sample(self) -> dict[str, Any]:
        name, _, text = self.example.partition("=")
        if self.several:
            return {name: text.split(",")}
        return {name: text if self.constraint is None else self.constraint.parse(text)}

    def parsed(self, text: Any, parameter: str, columns: Sequence[str]) -> Any:
        if len(text) == 1 and text[0] in self.words_instead:
            return text[0]
        entries = by_column(text, parameter, columns)
        if self.several:
            return {name: [w.strip() for w in part.split(",")] for name, part in entries.items()}
        return {name: self._number(part, parameter) for name, part in entries.items()}

    def _number(self, text: str, parameter: str) -> Any:
        if self.constraint is None or isinstance(self.constraint, OneOf | IsText):
            return text
        try:
            return self.constraint.parse(text)
        except ValueError:
            raise ParameterError(
                "must contain a number for each column.",
                parameter=parameter,
                hint=f"Write {self.example}.",
            ) from None

    def plain(self, value: Any) -> Any:
        """Return the mapping, or a list of pairs if a name is not text, which JSON would change.

        Examples
        --------
        >>> form = ByColumn(None, "a=b")
        >>> form.plain({"age": "nominal"}), form.plain({1: "nominal"})
        ({'age': 'nominal'}, [[1, 'nominal']])
        """
        if not isinstance(value, Mapping):
            return value
        entries = {name: plain(entry) for name, entry in value.items()}
        if all(isinstance(name, str) for name in entries):
            return entries
        return [[name, entry] for name, entry in entries.items()]

    def restored(self, value: Any) -> Any:
        if isinstance(value, list):
            return dict(value)
        return value

    def columns(self, value: Any) -> tuple[Any, ...]:
        return tuple(value) if isinstance(value, Mapping) else ()


@dataclass(frozen=True)
class Parameters(Form):
    """Parameters of a method by name, which the method itself checks."""

    repeated: ClassVar[bool] = True
    annotation: ClassVar[str] = "Mapping[str, Any] | None"
    words: ClassVar[str] = "mapping of parameter name to value"
    metavar: ClassVar[str] = "NAME=VALUE"

    def checked(self, value: Any, parameter: str, caller: str) -> dict[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
            raise ParameterError(
                f"must map names of the method's parameters to values. Got {shown(value)}.",
                parameter=parameter,
                hint=Phrase(f"Write {{{parameter}}}.", **{parameter: {"time_limit": 10}}),
            )
        return dict(value)

    def parsed(self, text: Any, parameter: str, columns: Sequence[str]) -> dict[str, str]:
        """Return the texts by name; `read_parameters` converts them to values."""
        entries: dict[str, str] = {}
        for part in text:
            name, equals, value = part.partition("=")
            if not equals:
                raise ParameterError(f"must be name=value. Got {part!r}.", parameter=parameter)
            _add(entries, name, value, parameter)
        return entries


def read_parameters(
    texts: Mapping[str, str], constraints: Mapping[str, Constraint]
) -> dict[str, Any]:
    """Return the values of texts; a text without a valid value stays text, and is rejected later."""
    values: dict[str, Any] = {}
    for name, text in texts.items():
        try:
            values[name] = constraints[name].parse(text) if name in constraints else text
        except ValueError:
            values[name] = text
    return values


def by_column(
    texts: Iterable[str] | None, parameter: str, columns: Sequence[str]
) -> dict[str, str]:
    """Return the columns and values in texts such as ``age=ordinal,zip=nominal``.

    Examples
    --------
    >>> by_column(["age=2, pay=3", "a=b, c=4"], "column_weights", ["age", "pay", "a=b, c"])
    {'age': '2', 'pay': '3', 'a=b, c': '4'}
    """
    entries: dict[str, str] = {}
    odd = sorted((name for name in columns if set(str(name)) & set(",=")), key=len, reverse=True)
    for text in texts or ():
        whole = next((name for name in odd if text.startswith(f"{name}=")), None)
        if whole is not None and text[len(whole) + 1 :].strip():
            _add(entries, whole, text[len(whole) + 1 :].strip(), parameter)
            continue
        parts = text.split(",")
        # Commas within a value, or within a name, do not separate entries.
        parts = parts if all("=" in part for part in parts) else [text]
        for part in parts:
            name, equals, value = part.partition("=")
            if not equals or not name.strip() or not value.strip():
                raise ParameterError(f"must be column=value. Got {text!r}.", parameter=parameter)
            _add(entries, name if name in columns else name.strip(), value.strip(), parameter)
    return entries


def _add(entries: dict[str, str], name: str, value: str, parameter: str) -> None:
    """Add an entry, or raise if there is another value for its name."""
    if entries.setdefault(name, value) != value:
        raise ParameterError(
            f"has two values for {name!r}.", parameter=parameter, hint="Leave one of them out."
        )
