"""Data sets to practise with: an invented town, and the data sets that are on this computer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from microagg.data import datasets
from microagg.errors import FileError

if TYPE_CHECKING:
    import pyarrow as pa

TOWN = "town"
"""The name of the invented data set."""

OTHERS = ("adult", "census", "diabetes")
"""Data sets to practise with, if they are available."""

RESIDENTS = 2_000

_FIRST_NAMES = (
    *("Ada", "Ben", "Carla", "Dmitri", "Elif", "Farid", "Greta", "Hugo"),
    *("Ines", "Jonas", "Kira", "Luca", "Mina", "Noor", "Olga", "Pavel"),
)
_FAMILY_NAMES = (
    *("Abel", "Brandt", "Costa", "Dahl", "Eriksen", "Fuchs", "Garcia"),
    *("Haas", "Ito", "Jansen", "Keller", "Lopez", "Meyer"),
)
_SCHOOLING = ("primary", "secondary", "vocational", "bachelor", "master")
_POSTCODES = ("10115", "10117", "10119", "10178", "10179")
_DIAGNOSES = ("none", "asthma", "diabetes", "depression", "hypertension", "migraine")


@dataclass(frozen=True)
class Practice:
    """A data set to practise with: its name and its description."""

    name: str
    description: str


def available() -> list[Practice]:
    """Return the data sets that need no network, beginning with the invented one."""
    town = Practice(TOWN, f"{RESIDENTS:,} invented residents of a town; you choose all roles")
    try:
        infos = {info.name: info for info in datasets.available()}
    except FileError:  # the folder that MICROAGG_DATA names is not there
        return [town]
    here = [infos[name] for name in OTHERS if infos[name].where not in ("download", "unavailable")]
    return [town, *(Practice(info.name, info.description) for info in here)]


def write(name: str, path: Path) -> None:
    """Write a data set as a CSV file."""
    from pyarrow import csv

    csv.write_csv(town() if name == TOWN else datasets.load(name).frame, path)


def town(seed: int = 0) -> pa.Table:
    """Return invented residents: names, facts that neighbours know, an income and a diagnosis.

    Incomes rise with age and schooling, and some are missing.

    Examples
    --------
    >>> town().num_rows, town().column_names[:3]
    (2000, ['name', 'born', 'sex'])
    """
    import pyarrow as pa

    rng = np.random.default_rng(seed)
    age = rng.gamma(9.0, 5.0, RESIDENTS).clip(18, 95).astype(int)
    days = (age * 365.25 + rng.integers(0, 365, RESIDENTS)).astype(int)
    schooling = rng.choice(len(_SCHOOLING), RESIDENTS, p=[0.1, 0.3, 0.3, 0.2, 0.1])
    income = 9_000 + 350 * age + 6_500 * schooling + rng.gamma(2.0, 4_000.0, RESIDENTS)
    gaps = rng.random(RESIDENTS) < 0.02
    return pa.table(
        {
            "name": _names(rng),
            "born": pa.array(np.datetime64("2025-06-30") - days),
            "sex": _drawn(rng, ("female", "male"), (0.51, 0.49)),
            "postcode": _drawn(rng, _POSTCODES, (0.3, 0.25, 0.2, 0.15, 0.1)),
            "schooling": [_SCHOOLING[level] for level in schooling],
            "household": rng.integers(1, 7, RESIDENTS),
            "income": pa.array(income.round(-1).astype(int), mask=gaps),
            "diagnosis": _drawn(rng, _DIAGNOSES, (0.62, 0.1, 0.08, 0.07, 0.08, 0.05)),
        }
    )


def _names(rng: np.random.Generator) -> list[str]:
    """Return a different name for each resident."""
    first, family = rng.choice(_FIRST_NAMES, RESIDENTS), rng.choice(_FAMILY_NAMES, RESIDENTS)
    return [f"{a} {b} {i}" for i, (a, b) in enumerate(zip(first, family, strict=True), start=1)]


def _drawn(rng: np.random.Generator, values: Sequence[str], shares: Sequence[float]) -> list[str]:
    drawn: list[str] = rng.choice(values, RESIDENTS, p=shares).tolist()
    return drawn
