"""`--repeat`: the provenance of a release that is made again, and the records that it needs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from microagg.cli.columns import options_in
from microagg.errors import ParameterError, Phrase
from microagg.provenance import read, refuse_to_spend_again


def recorded_release(
    path: Path | None, texts: Mapping[str, Any], *, spend_again: bool
) -> dict[str, Any]:
    """Return the content of the provenance file, which no option may contradict, if one is named."""
    if path is None:
        if spend_again:
            raise ParameterError(
                "applies only with --repeat.", parameter="spend_again", hint="Leave it out."
            )
        return {"input": {}}
    also = [*options_in(texts), *(name for name in ("schema", "blank") if texts.get(name))]
    if also:
        raise ParameterError(
            Phrase(
                f"takes every option from the provenance file, but {{{also[0]}}} is also set.",
                **{also[0]: ...},
            ),
            parameter="repeat",
            hint="Leave one of them out.",
        )
    recorded = read(path)
    refuse_to_spend_again(recorded, allowed=spend_again)
    return recorded


def other_records(path: Path) -> ParameterError:
    """Return the error for records from which the release of a provenance file was not made."""
    return ParameterError(
        f"The records are not those that '{path}' was made from (their SHA-256 differs).",
        hint="Use the original file.",
    )
