"""Constraints on parameters, declared in a signature and checked with uniform messages.

A method declares its parameters with plain annotations, which `constraint_of` reads:

    gamma: Annotated[float, AtLeast(0)] = 0.2
    leftovers: Literal["group", "nearest"] = "group"
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from types import UnionType
from typing import Annotated, Any, Literal, Protocol, Union, get_args, get_origin

from microagg.errors import DataError, ParameterError, did_you_mean, shown

LARGEST = 2**31 - 1
"""The largest integer that compiled loops accept as a parameter."""


class Constraint(Protocol):
    """A condition on a parameter; its text completes the sentence "must be ..."."""

    def admits(self, value: object) -> bool:
        """Return whether `value` is allowed."""
        ...

    def parse(self, text: str) -> Any:
        """Convert text from the command line to a value, or raise ValueError."""
        ...


@dataclass(frozen=True)
class IsInteger:
    """An integer, and not a boolean."""

    low: float = -math.inf
    high: float = math.inf

    def __str__(self) -> str:
        return "an integer" + _interval(self.low, self.high)

    def admits(self, value: object) -> bool:
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        return whole and self.low <= value <= self.high  # type: ignore[operator]

    def parse(self, text: str) -> int:
        return int(text)


@dataclass(frozen=True)
class IsNumber:
    """A finite real number, and not a boolean."""

    low: float = -math.inf
    high: float = math.inf

    def __str__(self) -> str:
        return "a number" + _interval(self.low, self.high)

    def admits(self, value: object) -> bool:
        if not isinstance(value, Real) or isinstance(value, bool):
            return False
        try:
            return math.isfinite(value) and self.low <= value <= self.high  # type: ignore[operator]
        except OverflowError:  # an integer beyond every float
            return False

    def parse(self, text: str) -> float:
        return float(text)


@dataclass(frozen=True)
class IsText:
    """Any text; the user of the parameter checks it."""

    def __str__(self) -> str:
        return "text"

    def admits(self, value: object) -> bool:
        return isinstance(value, str)

    def parse(self, text: str) -> str:
        return text


@dataclass(frozen=True)
class IsPositive:
    """A finite real number above 0, and not a boolean."""

    def __str__(self) -> str:
        return "a number above 0"

    def admits(self, value: object) -> bool:
        return IsNumber(0).admits(value) and value != 0

    def parse(self, text: str) -> float:
        return float(text)


@dataclass(frozen=True)
class OneOf:
    """One of a few words."""

    choices: tuple[Any, ...]

    def __str__(self) -> str:
        words = [repr(choice) for choice in self.choices]
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

    def admits(self, value: object) -> bool:
        return any(type(value) is type(choice) and value == choice for choice in self.choices)

    def parse(self, text: str) -> Any:
        for choice in self.choices:
            if str(choice).lower() == text.lower():
                return choice
        raise ValueError(text)


@dataclass(frozen=True)
class WordOr:
    """One of a few words, or any other text with a described meaning; for use in ``Annotated``."""

    words: tuple[str, ...]
    other: str

    def __str__(self) -> str:
        return f"{', '.join(map(repr, self.words))} or {self.other}"

    def admits(self, value: object) -> bool:
        return isinstance(value, str)

    def parse(self, text: str) -> str:
        return text


@dataclass(frozen=True)
class IsShare:
    """A share of a whole that is less than all of it; for use in ``Annotated``."""

    def __str__(self) -> str:
        return "a share from 0 to less than 1 (0.02 is 2 %)"

    def admits(self, value: object) -> bool:
        return IsNumber(0, 1).admits(value) and value != 1

    def parse(self, text: str) -> float:
        return float(text)


@dataclass(frozen=True)
class IsBounds:
    """The lower and upper bound of columns, by name; for use in ``Annotated``."""

    def __str__(self) -> str:
        return 'the bounds of each column, such as {"age": (0, 100)} (age:0:100,pay:0:9000 as text)'

    def admits(self, value: object) -> bool:
        return isinstance(value, Mapping) and all(map(_is_interval, value.values()))

    def parse(self, text: str) -> dict[str, tuple[float, float]]:
        values = {}
        for part in text.split(","):
            name, low, high = part.rsplit(":", 2)
            values[name] = (float(low), float(high))
        return values


def _is_interval(value: object) -> bool:
    """Return whether a value is a pair of finite numbers, the first below the second."""
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 2:
        return False
    return all(map(IsNumber(-1e150, 1e150).admits, value)) and value[0] < value[1]


@dataclass(frozen=True)
class AnyOf:
    """Any of several constraints."""

    options: tuple[Constraint, ...]

    def __str__(self) -> str:
        return " or ".join(str(option) for option in self.options)

    def admits(self, value: object) -> bool:
        return any(option.admits(value) for option in self.options)

    def parse(self, text: str) -> Any:
        for option in self.options:
            try:
                return option.parse(text)
            except ValueError:
                continue
        raise ValueError(text)


@dataclass(frozen=True)
class AtLeast:
    """Lower limit, for use in ``Annotated``."""

    low: float


@dataclass(frozen=True)
class Between:
    """Lower and upper limit, for use in ``Annotated``."""

    low: float
    high: float


def constraint_of(annotation: Any) -> Constraint:
    """Return the constraint that a parameter's annotation declares.

    Examples
    --------
    >>> print(constraint_of(Annotated[float, AtLeast(0)] | Literal["auto"]))
    a number of at least 0 or 'auto'
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated and isinstance(arguments[1], WordOr | IsBounds | IsShare):
        return arguments[1]
    if origin is Annotated:
        kind, limit = IsInteger if arguments[0] is int else IsNumber, arguments[1]
        most = LARGEST if kind is IsInteger else math.inf
        return kind(limit.low, limit.high if isinstance(limit, Between) else most)
    if origin is Literal:
        return OneOf(arguments)
    if origin in (Union, UnionType):
        return AnyOf(tuple(constraint_of(option) for option in arguments))
    if annotation is None or annotation is type(None):
        return OneOf((None,))
    plain: dict[Any, Constraint] = {
        int: IsInteger(),
        float: IsNumber(),
        bool: OneOf((True, False)),
        str: IsText(),
    }
    return plain[annotation]


def check(
    name: str, value: object, constraint: Constraint, caller: str, column: object = None
) -> None:
    """Raise if `value` is invalid for the parameter `name` of `caller`, possibly for one column."""
    if not constraint.admits(value):
        where = "" if column is None else f" for column {column!r}"
        raise ParameterError(
            f"must be {constraint}{where}. Got {shown(value)}.",
            parameter=name,
            caller=caller,
            hint=_too_large(value, constraint)
            or _wrong_bounds(value, constraint)
            or _other_word(value, getattr(constraint, "choices", ()))
            or did_you_mean(value, map(str, getattr(constraint, "choices", ()))),
        )


_CONTINUOUS = ("date", "datetime", "time", "number", "numeric", "integer", "float")
_NOMINAL = ("categorical", "category", "text", "string")
_OTHER_WORDS = {**dict.fromkeys(_CONTINUOUS, "continuous"), **dict.fromkeys(_NOMINAL, "nominal")}
"""Words that other programs have for kinds of columns."""


def _other_word(value: object, choices: Iterable[object]) -> str | None:
    """Return a hint for a kind that has another name here."""
    kind = _OTHER_WORDS.get(str(value).lower())
    return f"Did you mean {kind!r}?" if kind in tuple(choices) and kind is not None else None


def _too_large(value: object, constraint: Constraint) -> str | None:
    """Return a hint for an integer above the general limit, which not every description mentions."""
    if IsInteger(LARGEST + 1).admits(value) and "integer" in str(constraint):
        return f"The largest integer is {LARGEST}."
    return None


def _wrong_bounds(value: object, constraint: Constraint) -> str | None:
    """Return a hint that names the first column with invalid bounds, and the error."""
    options = constraint.options if isinstance(constraint, AnyOf) else (constraint,)
    if not isinstance(value, Mapping) or not any(isinstance(one, IsBounds) for one in options):
        return None
    name, pair = next((name, pair) for name, pair in value.items() if not _is_interval(pair))
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        return f"The bounds of {name!r} are not two numbers."
    if all(map(IsNumber(-1e150, 1e150).admits, pair)):
        return f"The lower bound of {name!r} is not below its upper bound."
    return f"The bounds of {name!r} are not both finite numbers."


def check_all(values: Mapping[str, object], allowed: Mapping[str, Constraint], caller: str) -> None:
    """Check every value against its constraint; unknown names are an error."""
    for name, value in values.items():
        if name not in allowed:
            names = ", ".join(allowed) if allowed else "none"
            raise ParameterError(
                f"{caller} has no parameter '{name}'. It takes: {names}.",
                hint=did_you_mean(name, allowed),
            )
        check(name, value, allowed[name], caller)


def check_k(k: object, n: int | None, caller: str) -> None:
    """Raise if k is not an integer from 2 to n, or of at least 2 if n is not known yet."""
    if n is None:
        check("k", k, IsInteger(2), caller)
        return
    if n == 0:
        raise DataError("There are no records.", hint="Use data with at least k records.")
    if n < 2:
        raise DataError(f"There is only {n} record; a group needs at least 2.")
    if not IsInteger(2, n).admits(k):
        raise ParameterError(
            f"must be an integer from 2 to n={n}. Got {shown(k)}.",
            parameter="k",
            caller=caller,
            hint=f"k is the minimum group size, and there are {n} records. Values from 3 to 10 are usual.",
        )


def _interval(low: float, high: float) -> str:
    if low == -math.inf and high == math.inf:
        return ""
    if high in (math.inf, LARGEST):
        return f" of at least {low:g}"
    return f" from {low:g} to {high:g}" if low != -math.inf else f" of at most {high:g}"
