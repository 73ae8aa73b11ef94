"""`microagg verify`: check a released file against its provenance."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from click.exceptions import Exit

from microagg.cli import options
from microagg.cli.console import answer, printable
from microagg.cli.parameters import Positional
from microagg.verify import verify

Released = Annotated[
    Path, Positional(metavar="RELEASE", help="The released file, or the folder of its parts.")
]
Provenance = Annotated[
    Path,
    Positional(metavar="PROVENANCE", help="The NAME.provenance.json that was written with it."),
]


def command(release: Released, provenance: Provenance, *, json: options.Json = False) -> None:
    """Check a release against its provenance: its SHA-256, k, and l, t and units if promised.

    The command also lists what is not promised, and the cautions that the provenance records.

    The exit status is 1 if anything differs.
    """
    result = verify(release, provenance)
    if json:
        answer(result.as_dict())
    else:
        sys.stdout.write(printable(result.summary()))
    if not result.holds:
        raise Exit(1)
