"""`microagg schema`: suggest the role of each column, for a person to decide."""

from __future__ import annotations

import sys
from dataclasses import asdict

from microagg.cli import options
from microagg.cli.console import answer, say

NAME = "schema"


def command(
    file: options.Input,
    output: options.Output = None,
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    decimal: options.Decimal = ".",
    overwrite: options.Overwrite = False,
    json: options.Json = False,
) -> None:
    """Suggest a role for each column, as a schema file to read, mend and use.

    Nothing is decided: `microagg protect FILE --schema schema.toml` uses it once you have.
    """
    from microagg.data.files import read_file
    from microagg.suggest import suggest, to_toml

    suggestions = suggest(read_file(file, separator=separator, encoding=encoding, decimal=decimal))
    if json:
        answer([asdict(suggestion) for suggestion in suggestions])
    elif output is None:
        sys.stdout.write(to_toml(suggestions))
    else:
        from microagg.data.atomic import refuse_overwrite, replacing

        refuse_overwrite([output], overwrite)
        with replacing(output) as (beside,):
            beside.write_text(to_toml(suggestions), encoding="utf-8")
        say(f"A suggestion is in {output}. Read every line before you use it with --schema.")
