"""`microagg schema`: suggest a role for each column; the user decides."""

from __future__ import annotations

import shlex
from dataclasses import asdict, replace
from typing import Any

from microagg.cli import options
from microagg.cli.console import afterwards, answer, say, write_data
from microagg.cli.speech import DECLARED
from microagg.cli.tables import require_input, text_form
from microagg.data.atomic import replacing
from microagg.data.files import read_file
from microagg.errors import quoted_name, rendered
from microagg.suggest import SchemaSuggestion, Suggestion, suggest_schema


def command(
    file: options.Input,
    output: options.Output = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    numeric_names: options.NumericNames = False,
    overwrite: options.Overwrite = False,
    json: options.Json = False,
) -> None:
    """Suggest a role for each column, as a schema file to read, correct and use.

    You decide: correct the file, then use it with `microagg protect FILE --schema schema.toml`.
    """
    form = text_form(separator, encoding, decimal, numeric_names)
    require_input(file, [] if output is None else [output], overwrite=overwrite)
    suggested = suggest_schema(read_file(file, **form))
    columns = (replace(each, reason=rendered(each.reason, DECLARED)) for each in suggested.columns)
    suggested = replace(suggested, columns=tuple(columns))
    if output is None:
        _show(suggested, json)
        _advise(suggested, "the schema")
        return
    with replacing(output) as (beside,):
        beside.write_text(suggested.to_toml(), encoding="utf-8")
    with afterwards():
        say(f"A suggestion is in {output}. Read every line before you use it with --schema.")
        _advise(suggested, str(output))
        if json:
            _show(suggested, json)


def _show(suggested: SchemaSuggestion, json: bool) -> None:
    if json:
        answer([_as_dict(suggested, column) for column in suggested.columns])
    else:
        write_data(suggested.to_toml())


def _as_dict(suggested: SchemaSuggestion, column: Suggestion) -> dict[str, Any]:
    copies = [asdict(copy) for copy in suggested.copies_of(column.column)]
    return {**asdict(column), "copies": copies}


def _advise(suggested: SchemaSuggestion, where: str) -> None:
    """Print what must be done before the schema can be used."""
    roles = [column.role for column in suggested.columns]
    if "quasi-identifier" not in roles:
        say(
            f"No column was recognised as a quasi-identifier. Before you use {where}, move the columns "
            "that others could know about a person (age, sex, place, occupation, dates) into its list "
            "quasi_identifiers."
        )
    masked = [each for each in suggested.columns if each.role == "quasi-identifier" and each.blanks]
    if masked:
        markers = sorted({marker for each in masked for marker in each.blanks})
        options = " ".join(f"--blank {shlex.quote(marker)}" for marker in markers)
        names = ", ".join(quoted_name(each.column) for each in masked)
        say(f"Some values of {names} look like codes for missing values: protect with {options}.")
