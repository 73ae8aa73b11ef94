"""`microagg demo`: protect real records and suggest what to try next."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

from microagg.cli import console
from microagg.cli.console import say
from microagg.cli.parameters import Flag
from microagg.data.datasets import Dataset, available, load
from microagg.data.files import write_file
from microagg.protect import protect


def command(
    folder: Annotated[Path, Flag(help="The folder for the files.")] = Path("demo"),
    k: Annotated[int, Flag("-k", "--k", help="The minimum group size.")] = 5,
) -> None:
    """Protect the records of a diabetes study (442 patients) and, if available, of the Census.

    The study is part of scikit-learn. The Census benchmark is used if MICROAGG_DATA or the cache
    contains it. Nothing is downloaded.
    """
    here = {info.name for info in available() if info.where in ("MICROAGG_DATA", "cache")}
    study = load("diabetes")
    roles = {
        "quasi_identifiers": list(study.columns),
        "identifiers": ["sex"],  # a code: its mean says little, and kept it would break up groups
        "confidential": ["progression"],
    }
    _protect(study, folder / "diabetes", k, roles)
    if "census" in here:
        census = load("census")
        _protect(census, folder / "census", k, {"quasi_identifiers": list(census.columns)})
    _next(folder, k)


def _protect(data: Dataset, folder: Path, k: int, roles: dict[str, list[str]]) -> None:
    with console.progress() as progress:
        release = protect(data.frame, k, schema=roles, progress=progress)
    paths = release.save(folder, overwrite=True)
    paths["report"] = folder / "report.html"
    release.write({"report": paths["report"]}, original=data.frame, overwrite=True)
    original = folder / "original.csv"
    write_file(data.frame, original, overwrite=True)
    say(f"== {data.name}: {data.description}")
    say("")
    say(release.summary())
    for what, path in {"original": original, **paths}.items():
        say(f"{what:<11} {path}")
    say("")


def _next(folder: Path, k: int) -> None:
    original = shlex.quote(str(folder / "diabetes" / "original.csv"))
    say("Try next:")
    say(f"  microagg schema {original}")
    say(f"  microagg protect {original} -k {k + 5} --qi age,bmi,bp --id sex -o release.csv")
    say("  microagg methods")
    say("  microagg datasets")
