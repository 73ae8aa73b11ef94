"""What options say of columns, for all commands: roles, kinds, values by column, and blanks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from microagg.cli.tables import entries, names, numbers_of, with_numbers, without_codes
from microagg.cli.words import OPTIONS
from microagg.errors import ParameterError

if TYPE_CHECKING:
    import pyarrow as pa


def roles_of(given: Mapping[str, Any], columns: list[str]) -> dict[str, Any]:
    """Return the parts of the schema that options describe, or of the file that they name.

    `given` holds the values of schema, qi, confidential, kinds and order, and of id if there is one.
    """
    from microagg.schema import Schema

    schema = given["schema"]
    if schema is not None and any(given[role] for role in given if role != "schema"):
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


_BY_COLUMN = ("column_weights", "hierarchies", "distance_tables", "aggregate", "round_to")
_NUMBERS = ("column_weights", "round_to")


def arguments_of(given: Mapping[str, Any], columns: list[str]) -> dict[str, Any]:
    """Return the arguments that options stand for, of those that were given, by parameter."""
    found = {name: value for name, value in given.items() if value is not None}
    if "strata" in found:
        found["strata"] = names(found["strata"], columns)
    for name in found.keys() & set(_BY_COLUMN):
        if name == "aggregate" and found[name] == ["hybrid"]:
            found[name] = "hybrid"
            continue
        chosen = entries(found[name], OPTIONS[name], columns)
        found[name] = numbers_of(chosen, OPTIONS[name]) if name in _NUMBERS else chosen
    return found


def typed(table: pa.Table, schema: Mapping[str, Any], blanks: list[str], decimal: str) -> pa.Table:
    """Return a table of text with numbers where the quasi-identifiers have them."""
    roles = schema["quasi_identifiers"]
    kinds, orders = schema.get("kinds", {}), schema.get("orders", {})
    table = without_codes(table, roles, blanks)
    text = [name for name in roles if kinds.get(name) == "nominal" or name in orders]
    return with_numbers(table, [name for name in roles if name not in text], decimal)
