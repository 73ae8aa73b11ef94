"""Roles and kinds of columns: which is removed, which is grouped and replaced, which is kept.

Roles, in the words of ARX and the literature:

- identifier: names a person (name, passport number); removed from the release.
- quasi-identifier: known from elsewhere and telling in combination (age, income); replaced.
- confidential: what the release is for (diagnosis); kept as it is.
- other: kept as it is.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from microagg.constraints import OneOf, check
from microagg.errors import FileError, ParameterError, did_you_mean

KINDS = ("continuous", "ordinal", "nominal")
_ROLES = {
    "identifiers": "identifier",
    "quasi_identifiers": "quasi-identifier",
    "confidential": "confidential",
}


@dataclass(frozen=True)
class Schema:
    """The role and kind of each column; a column that is not named has the role "other".

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

    def __post_init__(self) -> None:
        for parameter in _ROLES:
            object.__setattr__(self, parameter, _names(parameter, getattr(self, parameter)))
        object.__setattr__(self, "kinds", dict(self.kinds))
        self._check()

    def _check(self) -> None:
        if not self.quasi_identifiers:
            raise ParameterError(
                "The 'quasi_identifiers' parameter must name at least one column.",
                hint="Name the columns that others could know about a person (--qi age,income); "
                "`microagg schema FILE` suggests some.",
            )
        seen: dict[str, str] = {}
        for parameter, role in _ROLES.items():
            for name in getattr(self, parameter):
                if name in seen:
                    raise ParameterError(f"Column {name!r} is named as {seen[name]} and as {role}.")
                seen[name] = role
        for name, kind in self.kinds.items():
            check(f"kinds[{name!r}]", kind, OneOf(KINDS), "Schema")
            if name in self.quasi_identifiers and kind != "continuous":
                raise ParameterError(
                    f"The quasi-identifier {name!r} is {kind}; only continuous ones can be "
                    "microaggregated so far.",
                    hint="Leave it out of the quasi-identifiers.",
                )

    def role(self, name: str) -> str:
        """Return the role of a column."""
        for parameter, role in _ROLES.items():
            if name in getattr(self, parameter):
                return role
        return "other"

    def as_dict(self) -> dict[str, Any]:
        """Return the arguments that make this schema, for JSON and TOML."""
        roles = {parameter: list(getattr(self, parameter)) for parameter in _ROLES}
        return {**roles, "kinds": dict(self.kinds)}

    @classmethod
    def from_toml(cls, path: str | Path) -> Schema:
        """Read a schema from a TOML file of the form that `to_toml` writes."""
        try:
            content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise FileError(f"There is no schema file {str(path)!r}.") from None
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise FileError(
                f"The schema file {str(path)!r} cannot be read as TOML: {error}.",
                hint="`microagg schema FILE` prints one to start from.",
            ) from None
        allowed = (*_ROLES, "kinds")
        for key in content:
            if key not in allowed:
                raise ParameterError(
                    f"The schema file {str(path)!r} has an unknown entry {key!r}. "
                    f"It may have: {', '.join(allowed)}.",
                    hint=did_you_mean(key, allowed),
                )
        return cls(**{"quasi_identifiers": [], **content})

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
        kinds = [f"{toml_value(name)} = {toml_value(kind)}" for name, kind in self.kinds.items()]
        return "\n".join([*lines, *(["", "[kinds]", *kinds] if kinds else []), ""])


def _names(parameter: str, names: Any) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, (Sequence, set, frozenset)):
        raise ParameterError(
            f"The '{parameter}' parameter must be a list of column names. Got {names!r}.",
            hint=f"Write {parameter}=[{names!r}]." if isinstance(names, str) else None,
        )
    repeated = {name for name in names if list(names).count(name) > 1}
    if repeated:
        raise ParameterError(
            f"The '{parameter}' parameter names {', '.join(map(repr, repeated))} more than once."
        )
    return tuple(names)


def toml_value(value: str | Sequence[str]) -> str:
    """Return a text or a list of texts as TOML, whose strings are those of JSON."""
    return json.dumps(value if isinstance(value, str) else list(value), ensure_ascii=False)
