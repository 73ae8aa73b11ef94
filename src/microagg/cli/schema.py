"""`microagg schema`: suggest the role of each column, for a person to decide."""

from __future__ import annotations

import sys
from dataclasses import asdict

from microagg.cli import options
from microagg.cli.console import answer, say
from microagg.cli.tables import text_form

NAME = "schema"


def command(
    file: options.Input,
    output: options.Output = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    overwrite: options.Overwrite = False,
    json: options.Json = False,
) -> None:
    """Suggest a role for each column, as a schema file to read, mend and use.

    Nothing is decided: `microagg protect FILE --schema schema.toml` uses it once you have.
    """
    from microagg.data.atomic import refuse_overwrite, refuse_same_file, replacing
    from microagg.data.files import read_file
    from microagg.suggest import suggest, to_toml

    form = text_form(separator, encoding, decimal)
    if output is not None:
        refuse_same_file(file, output)
        refuse_overwrite([output], overwrite)
    suggestions = suggest(read_file(file, **form))
    if output is not None:
        with replacing(output) as (beside,):
            beside.write_text(to_toml(suggestions), encoding="utf-8")
        say(f"A suggestion is in {output}. Read every line before you use it with --schema.")
    if json:
        answer([asdict(suggestion) for suggestion in suggestions])
    elif output is None:
        sys.stdout.write(to_toml(suggestions))
