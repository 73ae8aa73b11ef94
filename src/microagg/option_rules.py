"""Rules for combinations of options, and defaults that depend on other options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from microagg.data.tables_of_distances import hierarchy_rows, table_entries
from microagg.errors import ParameterError, Phrase
from microagg.schema import SCHEMA_OPTIONS, Schema


def roles_of(schema: Schema | Mapping[str, Any], values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the roles, kinds and orders of a schema, or raise if options specify them, too."""
    for role in SCHEMA_OPTIONS:
        if values.get(role) is not None and len(values[role]):
            raise ParameterError(
                "Roles are specified twice: in a schema and as separate options.",
                hint=Phrase(
                    "Leave {schema} out, or move all roles, kinds and orders into the schema.",
                    schema=...,
                ),
            )
    described = schema if isinstance(schema, Schema) else Schema.from_dict(schema)
    return {role: getattr(described, role) for role in SCHEMA_OPTIONS}


def together(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values after checking their combinations, with defaults that depend on them."""
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
    """Return the identifiers, including the unit unless it is released as a confidential column."""
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
                Phrase(f"names {unit!r}, which {{{name}}} names too.", **{name: ...}),
                parameter="unit",
                hint="The unit is the column that identifies whose record it is; it is not replaced.",
            )
    return (*identifiers, unit)
