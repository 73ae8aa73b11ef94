"""What options say of columns, for all commands: roles, kinds, values by column, and blanks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from microagg.cli.tables import entries, names, numbers_of
from microagg.cli.words import OPTIONS
from microagg.errors import ParameterError

if TYPE_CHECKING:
    import pyarrow as pa


ROLES = ("qi", "id", "confidential", "kinds", "order")
"""Options that say what a schema file can say."""


def roles_of(given: Mapping[str, Any], columns: list[str]) -> dict[str, Any]:
    """Return the parts of the schema that options describe, or of the file that they name.

    `given` holds the options of a command: schema, qi, confidential, kinds, order, and id if it has it.
    """
    from microagg.schema import Schema

    schema = given["schema"]
    if schema is not None and any(given.get(option) for option in ROLES):
        raise ParameterError(
            "Roles are given twice, by --schema and by --qi, --id or --confidential, --kinds or "
            "--order.",
            hint="Put them all in the schema file.",
        )
    if schema is not None:
        return Schema.from_toml(schema).as_dict()
    orders = {}
    for text in given["order"] or ():
        orders.update(entries([text], "--order", columns))
    return {
        "quasi_identifiers": names(given["qi"], columns),
        "identifiers": names(given.get("id"), columns),
        "confidential": names(given["confidential"], columns),
        "kinds": entries(given["kinds"], "--kinds", columns),
        "orders": {name: [w.strip() for w in text.split(",")] for name, text in orders.items()},
    }


OF_PROTECT = {
    "scale": "scale",
    "distance": "distance",
    "column_weight": "column_weights",
    "hierarchy": "hierarchies",
    "distance_table": "distance_tables",
    "aggregate": "aggregate",
    "integers": "integers",
    "round_to": "round_to",
    "missing": "missing",
    "weights": "weights",
    "strata": "strata",
    "small_strata": "small_strata",
    "l_diversity": "l_diversity",
    "t_closeness": "t_closeness",
    "p_sensitive": "p_sensitive",
    "seed": "seed",
}
"""Options of commands that are parameters of `protect`, by the names that both have in Python."""

_BY_COLUMN = ("column_weights", "hierarchies", "distance_tables", "aggregate", "round_to")
_NUMBERS = ("column_weights", "round_to")


def arguments_of(given: Mapping[str, Any], columns: list[str]) -> dict[str, Any]:
    """Return the arguments of `protect` among the options of a command that were given."""
    options = ((name, given.get(option)) for option, name in OF_PROTECT.items())
    found = {name: value for name, value in options if value is not None}
    if "strata" in found:
        found["strata"] = names(found["strata"], columns)
    for name in found.keys() & set(_BY_COLUMN):
        if name == "aggregate" and found[name] == ["hybrid"]:
            found[name] = "hybrid"
            continue
        chosen = entries(found[name], OPTIONS[name], columns)
        found[name] = numbers_of(chosen, OPTIONS[name]) if name in _NUMBERS else chosen
    return found


def ordered_confidential(table: pa.Table, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema with the confidential columns of a text file that hold amounts named so."""
    from microagg.suggest import amounts_among

    kinds = dict(schema.get("kinds", {}))
    others = {*kinds, *schema.get("orders", {})}
    names = [name for name in schema["confidential"] if name not in others]
    return {**schema, "kinds": kinds | dict.fromkeys(amounts_among(table, names), "continuous")}


def categories_of(schema: Mapping[str, Any]) -> list[str]:
    """Return the columns that a schema says hold categories, even if these look like numbers."""
    kinds = schema.get("kinds", {})
    return [name for name in kinds if kinds[name] == "nominal"] + list(schema.get("orders", {}))
