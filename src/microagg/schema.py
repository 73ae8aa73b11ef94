"""Roles and kinds of columns: which are removed, which are replaced, which are kept.

The roles use the terms of the literature:

- identifier: identifies a person by itself (name, passport number); removed from the release.
- quasi-identifier: known to others and identifying in combination (age, income); replaced.
- confidential: the subject of the release (diagnosis); released unchanged.
- other: released unchanged.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from microagg.constraints import OneOf, check
from microagg.data.frames import Frame
from microagg.data.settings_files import read_settings_file
from microagg.errors import FileError, ParameterError, Phrase, did_you_mean, shown

KINDS = ("continuous", "ordinal", "nominal")

SCHEMA_OPTIONS = ("quasi_identifiers", "identifiers", "confidential", "kinds", "orders")
"""The options that a schema replaces."""

_ROLES = {
    "identifiers": "identifier",
    "quasi_identifiers": "quasi-identifier",
    "confidential": "confidential",
}


@dataclass(frozen=True)
class Schema:
    """The role and kind of each column; a column that is not named has the role "other".

    Kinds are "continuous" (numbers, dates), "ordinal" (ordered categories) and "nominal". The
    default kind of a quasi-identifier depends on its type. `orders` lists the categories of ordinal
    columns whose type has no order, from the lowest to the highest.

    Examples
    --------
    >>> schema = Schema(quasi_identifiers=["age", "income"], identifiers=["name"])
    >>> schema.role("age"), schema.role("city")
    ('quasi-identifier', 'other')
    """

    quasi_identifiers: Sequence[str]
    identifiers: Sequence[str] = ()
    confidential: Sequence[str] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    orders: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for parameter in _ROLES:
            object.__setattr__(self, parameter, column_names(parameter, getattr(self, parameter)))
        for parameter, what in (("kinds", "kinds"), ("orders", "lists of categories")):
            value = getattr(self, parameter)
            if not isinstance(value, Mapping):
                raise ParameterError(
                    f"must map column names to {what}. Got {shown(value)}.", parameter=parameter
                )
            object.__setattr__(self, parameter, dict(value))
        self._check()
        self._check_orders()

    def _check(self) -> None:
        if not self.quasi_identifiers:
            raise ParameterError(
                "must name at least one column.",
                parameter="quasi_identifiers",
                hint=Phrase(
                    "Name the columns that others could know about a person, such as "
                    "{quasi_identifiers}; `microagg schema FILE` suggests some.",
                    quasi_identifiers=["age", "income"],
                ),
            )
        seen: dict[str, str] = {}
        for parameter, role in _ROLES.items():
            for name in getattr(self, parameter):
                if name in seen:
                    raise ParameterError(f"Column {name!r} is named as {seen[name]} and as {role}.")
                seen[name] = role
        for name, kind in self.kinds.items():
            check("kinds", kind, OneOf(KINDS), "Schema", name)

    def _check_orders(self) -> None:
        for name, order in self.orders.items():
            if isinstance(order, str) or not isinstance(order, Sequence):
                raise ParameterError(
                    f"must list the categories of {name!r}, from the lowest "
                    f"to the highest. Got {shown(order)}.",
                    parameter="orders",
                )
            if self.kinds.get(name, "ordinal") != "ordinal":
                raise ParameterError(
                    f"Column {name!r} has an order, but its kind is {self.kinds[name]}.",
                    hint="Only ordinal columns have one.",
                )

    def role(self, name: str) -> str:
        """Return the role of a column."""
        for parameter, role in _ROLES.items():
            if name in getattr(self, parameter):
                return role
        return "other"

    @property
    def categories(self) -> list[str]:
        """The columns that contain categories, even if these look like numbers.

        Examples
        --------
        >>> Schema(["zip", "age"], kinds={"zip": "nominal", "age": "continuous"}).categories
        ['zip']
        """
        nominal = [name for name, kind in self.kinds.items() if kind == "nominal"]
        return [*nominal, *self.orders]

    def kept(self, frame: Frame) -> tuple[str, ...]:
        """Return the columns of a frame that are released unchanged, including its index."""
        replaced = {*self.quasi_identifiers, *self.identifiers}
        columns = [str(name) for name in frame.names if name not in replaced]
        levels = [f"index {name}" for name in frame.index_names if name not in replaced]
        return (*columns, *levels)

    def as_dict(self) -> dict[str, Any]:
        """Return the arguments that create this schema, for JSON and TOML."""
        roles = {parameter: list(getattr(self, parameter)) for parameter in _ROLES}
        orders = {"orders": {name: list(order) for name, order in self.orders.items()}}
        return {**roles, "kinds": dict(self.kinds), **(orders if self.orders else {})}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], source: str = "The schema") -> Schema:
        """Return the schema that `as_dict` describes; `source` opens the error message if it is invalid."""
        if not isinstance(content, Mapping):
            raise ParameterError(
                f"{source} must be a Schema or a mapping. Got {shown(content)}.",
                hint="Schema.from_toml(path) reads a file.",
            )
        allowed = (*_ROLES, "kinds", "orders")
        for key in content:
            if key not in allowed:
                raise ParameterError(
                    f"{source} has an unknown entry {key!r}. It may have: {', '.join(allowed)}.",
                    hint=did_you_mean(key, allowed),
                )
        if not content.get("quasi_identifiers"):
            raise ParameterError(
                f"{source} must name at least one column among its quasi_identifiers.",
                hint="Move the columns that others could know about a person (age, sex, place, "
                "occupation, dates) into that list.",
            )
        return cls(**content)

    @classmethod
    def from_toml(cls, path: str | Path) -> Schema:
        """Read a schema from a TOML file in the format of `to_toml`."""
        try:
            text = read_settings_file(path).decode("utf-8-sig")  # editors on Windows add a mark
            if _DEEP_KEY.search(_TEXT.sub("text", text)):  # tomllib would need very much memory
                raise RecursionError
            content = tomllib.loads(text)
        except FileNotFoundError:
            raise FileError(f"There is no schema file {str(path)!r}.") from None
        except RecursionError:
            raise FileError(
                f"The schema file {str(path)!r} is nested too deeply to be one.",
                hint="`microagg schema FILE` prints one to start from.",
            ) from None
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise FileError(
                f"The schema file {str(path)!r} cannot be read as TOML: {error}.",
                hint="`microagg schema FILE` prints one to start from.",
            ) from None
        except ValueError:
            raise FileError(
                f"The schema file {str(path)!r} has a number with too many digits.",
                hint="`microagg schema FILE` prints one to start from.",
            ) from None
        return cls.from_dict(content, f"The schema file {str(path)!r}")

    def to_toml(self) -> str:
        """Return the schema as TOML.

        Examples
        --------
        >>> print(Schema(["age"], kinds={"age": "continuous"}).to_toml())
        identifiers = []
        quasi_identifiers = ["age"]
        confidential = []
        <BLANKLINE>
        [kinds]
        "age" = "continuous"
        <BLANKLINE>
        """
        lines = [f"{role} = {toml_value(getattr(self, role))}" for role in _ROLES]
        for table in ("kinds", "orders"):
            entries = getattr(self, table).items()
            lines += ["", f"[{table}]"] if entries else []
            lines += [f"{toml_value(name)} = {toml_value(value)}" for name, value in entries]
        return "\n".join([*lines, ""])


_TEXT = re.compile(
    r"#[^\n]*"
    r'|"""(?:\\[\s\S]|[^"\\]|"(?!""))*(?:"""|\\?\Z)'
    r"|'''(?:[^']|'(?!''))*(?:'''|\Z)"
    r'|"(?:\\.|[^"\\\n])*"?'
    r"|'[^'\n]*'?"
)
"""Comments, and text also without an end: looking for one from every quotation mark would take
quadratic time."""

_DEEP_KEY = re.compile(r"(?<![\w-])(?:[\w-]+[ \t]*\.[ \t]*){16}")


def column_names(parameter: str, names: Any) -> tuple[Any, ...]:
    """Return `names` as a tuple, or raise if they are not a list of distinct column names."""
    if isinstance(names, set | frozenset):
        names = sorted(names, key=str)  # a set has no order, but distances are summed in one
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise ParameterError(
            f"must be a list of column names. Got {shown(names)}.",
            parameter=parameter,
            hint=Phrase(f"Write {{{parameter}}}.", **{parameter: [names]})
            if isinstance(names, str)
            else f"Write {parameter}=list(...).",
        )
    if not all(isinstance(name, str | Integral | np.bool_) for name in names):
        raise ParameterError("must contain only column names.", parameter=parameter)
    repeated = {name for name in names if list(names).count(name) > 1}
    if repeated:
        raise ParameterError(
            f"names {', '.join(map(repr, repeated))} more than once.", parameter=parameter
        )
    # NumPy's integers and booleans become Python's, which JSON takes.
    return tuple(name.item() if isinstance(name, np.generic) else name for name in names)


def toml_value(value: str | Sequence[str]) -> str:
    """Return a text or a list of texts as TOML, whose strings are those of JSON."""
    text = json.dumps(value if isinstance(value, str) else list(value), ensure_ascii=False)
    return text.replace("\x7f", "\\u007f")  # the one character that only JSON allows as it is
