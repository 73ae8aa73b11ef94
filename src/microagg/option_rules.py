"""Rules across options: which go together, and what follows from one for another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from microagg.data.tables_of_distances import hierarchy_rows, table_entries
from microagg.errors import ParameterError, Phrase
from microagg.schema import SCHEMA_OPTIONS, Schema


def roles_of(schema: Schema | Mapping[str, Any], values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a schema says, or raise when options say it too."""
    for role in SCHEMA_OPTIONS:
        if values.get(role) is not None and len(values[role]):
            raise ParameterError(
                "Roles are specified twice, in 'schema' and by name.",
                hint=Phrase(
                    "Use either {schema} or {quasi_identifiers}, {identifiers}, {confidential}, "
                    "{kinds}, {orders}.",
                    schema=...,
                    **dict.fromkeys(SCHEMA_OPTIONS, ...),
                ),
            )
    described = schema if isinstance(schema, Schema) else Schema.from_dict(schema)
    return {role: getattr(described, role) for role in SCHEMA_OPTIONS}


def together(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values once it is clear that they go together, with what follows from others."""
    gower = values["distance"] == "gower"
    if gower and values["scale"] not in (None, "range"):
        raise ParameterError(
            f"is {values['scale']!r}, but Gower's distance divides by the range.",
            parameter="scale",
            hint="Leave it out.",
        )
    if values["aggregate"] == "hybrid" and values["integers"] == "round":
        raise ParameterError(
            Phrase(
                'cannot be "round" with {aggregate}: rounded records do not preserve the means and '
                "covariances.",
                aggregate="hybrid",
            ),
            parameter="integers",
            hint="Leave it out.",
        )
    if values["small_strata"] != "error" and not values["strata"]:
        raise ParameterError(
            "applies to strata, but there are none.",
            parameter="small_strata",
            hint=Phrase("Set {strata} as well, or leave it out.", strata=...),
        )
    both = values["hierarchies"].keys() & values["distance_tables"].keys()
    if both:
        raise ParameterError(
            f"Column {min(both, key=str)!r} has both a hierarchy and a distance table.",
            hint="Use only one of them.",
        )
    rows = {name: hierarchy_rows(one, name) for name, one in values["hierarchies"].items()}
    tables = {name: table_entries(one, name) for name, one in values["distance_tables"].items()}
    scale = values["scale"] or ("range" if gower else "zscore")
    identifiers = _with_unit(values)
    return {
        **values,
        "scale": scale,
        "hierarchies": rows,
        "distance_tables": tables,
        "identifiers": identifiers,
    }


def _with_unit(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the identifiers, the unit among them unless it is released as a confidential column."""
    unit, identifiers = values["unit"], values["identifiers"]
    if unit is None or unit in (*identifiers, *values["confidential"]):
        return tuple(identifiers)
    for name, columns in (
        ("quasi_identifiers", values["quasi_identifiers"]),
        ("strata", values["strata"]),
        ("weights", (values["weights"],)),
    ):
        if unit in columns:
            raise ParameterError(
                f"names {unit!r}, which '{name}' names too.",
                parameter="unit",
                hint="The unit is the column that identifies whose record it is; it is not replaced.",
            )
    return (*identifiers, unit)
