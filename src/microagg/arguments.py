"""The arguments of `protect`: checked against each other and the frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import Any

from microagg.data.frames import Frame
from microagg.errors import ParameterError, did_you_mean
from microagg.mask.registry import having, named
from microagg.prepare.options import Options
from microagg.schema import Schema

_SYNONYMS = {
    "qi": "quasi_identifiers",
    "qis": "quasi_identifiers",
    "id": "identifiers",
    "ids": "identifiers",
    "sensitive": "confidential",
    "aggr": "k",
    "weight": "weights",
    "weightVar": "weights",
    "strata_variables": "strata",
    "strataVar": "strata",
    "random_state": "seed",
}
"""What others call our parameters, where the words are not alike."""


def require_keywords(parameters: Mapping[str, Any], method: str, own: Sequence[str]) -> None:
    """Raise for a keyword that neither `protect`, which has its `own`, nor the method has.

    Before all else: a misspelt role would otherwise be reported as a fault of the method, or after
    another.
    """
    found = named(method)
    for name in [name for name in parameters if name not in found.parameters]:
        if name in ("epsilon", "bounds"):
            raise ParameterError(
                f"is for differentially private methods, and {found.name} is none.",
                parameter=name,
                hint='Give method="dp-individual-ranking" or method="dp-insensitive".',
            )
        meant = did_you_mean(_SYNONYMS.get(name, name), [*own, *found.parameters])
        takes = ", ".join(found.parameters) or "none"
        rest = "" if meant else f" Nor has {found.name}, which takes: {takes}."
        hint = having(name) or meant
        raise ParameterError(f"protect has no parameter '{name}'.{rest}", hint=hint)


def schema_of(
    schema: Schema | Mapping[str, Any] | None,
    quasi_identifiers: Sequence[str] | None,
    identifiers: Sequence[str],
    confidential: Sequence[str],
    kinds: Mapping[str, str] | None,
    orders: Mapping[str, Sequence[Any]] | None,
) -> Schema:
    """Return the one schema that the arguments describe."""
    roles = (quasi_identifiers, identifiers, confidential, kinds, orders)
    if schema is None:
        given = () if quasi_identifiers is None else quasi_identifiers
        kinds = {} if kinds is None else kinds
        return Schema(given, identifiers, confidential, kinds, {} if orders is None else orders)
    if any(role is not None and not (isinstance(role, Sized) and len(role) == 0) for role in roles):
        raise ParameterError(
            "Roles are given twice, in 'schema' and by name.",
            hint="Give either schema= or quasi_identifiers=, identifiers=, confidential=, kinds=, orders=.",
        )
    return schema if isinstance(schema, Schema) else Schema.from_dict(schema)


def require_columns(frame: Frame, roles: Schema, options: Options) -> None:
    """Raise when a parameter names a column that is not in the data, or none to be replaced."""
    for parameter in ("quasi_identifiers", "identifiers", "confidential", "kinds", "orders"):
        frame.require(getattr(roles, parameter), parameter)
    for parameter, names in options.columns_named().items():
        frame.require(names, parameter)
        for name in names:
            if name not in roles.quasi_identifiers:
                raise ParameterError(
                    f"names {name!r}, which is no quasi-identifier.", parameter=parameter
                )
