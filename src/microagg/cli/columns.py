"""Options that name columns, which are parsed with the columns of the file."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microagg.data.codes import amounts_among
from microagg.declare import is_set, options_of, parsed
from microagg.errors import ParameterError, Phrase
from microagg.mask.registry import Masking, declaration
from microagg.partition.names import NamedMethod
from microagg.provenance import flat_arguments, read, recorded_reading
from microagg.schema import Schema
from microagg.settings import Settings
from microagg.values_by_name import read_parameters

if TYPE_CHECKING:
    import pyarrow as pa


def values_of(
    texts: Mapping[str, Any],
    schema: Path | None,
    columns: Sequence[str],
    *methods: NamedMethod | Masking,
) -> dict[str, Any]:
    """Return the options that were specified for a command, as Python values.

    `texts` contains the options by their names in Python, and `schema` is a file with roles. Parameters are
    parsed by the first of the `methods` that has them.
    """
    values = parsed(Settings, texts, columns)
    if "parameters" in values:
        constraints = [declaration(method).constraints for method in reversed(methods)]
        merged = {name: one for each in constraints for name, one in each.items()}
        values["parameters"] = read_parameters(values["parameters"], merged)
    if schema is not None:
        values["schema"] = Schema.from_toml(schema)
    return values


def recorded_roles(
    path: Path | None, names: Container[str], **others: object
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options with certain `names` of a recorded release, and how its file was read.

    `others` are options that specify the same; none of them may be combined with a provenance file.
    """
    if path is None:
        return {}, {}
    for name, value in others.items():
        if value is not None:
            raise ParameterError(
                Phrase(f"takes the roles from a file, but {{{name}}} is also set.", **{name: ...}),
                parameter="provenance",
                hint="Leave one of them out.",
            )
    content = read(path)
    arguments = flat_arguments(content)
    return {n: v for n, v in arguments.items() if n in names}, recorded_reading(content)


def options_in(texts: Mapping[str, Any]) -> list[str]:
    """Return the declared options that were specified."""
    return [name for name in options_of(Settings) if is_set(texts.get(name))]


def require_k(texts: Mapping[str, Any]) -> None:
    """Raise if k is not specified."""
    if texts.get("k") is None:
        raise ParameterError("is missing.", parameter="k", hint=Phrase("Set k, such as {k}.", k=5))


def with_ordered_confidential(settings: Settings, table: pa.Table) -> Settings:
    """Return settings that declare confidential columns of a text file with amounts as continuous."""
    others = {*settings.kinds, *settings.orders}
    names = [name for name in settings.confidential if name not in others]
    amounts = dict.fromkeys(amounts_among(table, names), "continuous")
    return replace(settings, kinds={**settings.kinds, **amounts})
