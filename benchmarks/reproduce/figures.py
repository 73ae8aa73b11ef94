"""The printed figures: what each one measures, which method gives it, and whether ours meets it."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from microagg.errors import ParameterError
from microagg.partition.names import resolve

FOLDER = Path(__file__).parent
PRINTED = FOLDER / "information_loss.csv"
BEST_KNOWN = FOLDER / "best_known.csv"

BENCHMARKS = ("tarragona", "census", "eia")

DIGITS = {"group-decomposition-2018": 3, "tfrp-2007": 3, "k-anonymity-survey-2006": 2}
"""Decimals that a source prints at least; the CSV drops zeros at the end."""

OTHER_NAMES = {"IP": "ip-style", "MDAV (thesis)": "cbfs-nn", "kWard": "k-ward-1d"}
"""Our names where they are not those of the papers. The code of others that the thesis ran as MDAV
forms one group at a time around the record farthest from the centroid of what is left: CBFS-NN."""

WARD: dict[str, tuple[str, dict[str, Any]]] = {
    "kWard": ("k-ward-1d", {}),
    "kWD": ("kwd", {}),
    "kWR-F": ("kwr", {"theta": 0.8}),
    "kWR-D": ("kwr", {"theta": "dynamic"}),
    "kWDR": ("kwdr", {"theta": "dynamic"}),
}
"""The rows of the thesis' table 3.10: F is its fixed theta for Tarragona, D the dynamic one."""

AXES = {"sum of z-scores": "zsum", "first principal component": "pc1"}
"""The axes of the thesis' table 3.10."""

PARAMETERS: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {
    ("comparative-study-2012", "MDAV"): ("v-mdav", {"gamma": 0}),
    **{
        ("fayyoumi-thesis-2008", f"{name} on {words}"): (ours, {**parameters, "axis": axis})
        for name, (ours, parameters) in WARD.items()
        for words, axis in AXES.items()
    },
}
"""What a source runs under a name that means something else here: the study quotes V-MDAV's paper, whose
MDAV is V-MDAV without extension, with the centroid of all the data."""

CYCLES = {
    ("tarragona", 2): 7,
    ("tarragona", 3): 5,
    ("tarragona", 6): 5,
    ("census", 3): 5,
    ("census", 4): 4,
    ("census", 5): 4,
    ("census", 6): 4,
}
"""The cycles after which the thesis' OMMA stayed, in its table 4.3."""

SEEDS = 10
"""Runs of a method that draws: the figure is their median."""


@dataclass(frozen=True)
class Figure:
    """One printed figure."""

    data: str
    k: int
    method: str
    measure: str
    printed: str
    source: str

    @property
    def plain(self) -> str:
        """The method as printed, without the marks of its type."""
        return self.method.replace("<i>", "").replace("</i>", "")

    @property
    def name(self) -> str:
        """The method as a user types it."""
        return OTHER_NAMES.get(self.plain, self.plain)

    @property
    def decimals(self) -> int:
        """How many decimals were printed."""
        given = len(self.printed.partition(".")[2])
        return max(given, DIGITS.get(self.source.split(" ")[0], 0))

    @property
    def key(self) -> str:
        """What is computed for it: figures that differ only in the print share it."""
        name, parameters = self.recipe
        return f"{name.lower()}|{parameters}|{self.data}|{self.k}|{self.columns}"

    @property
    def recipe(self) -> tuple[str, dict[str, Any]]:
        """The method that gives the figure, and its parameters."""
        if self.name == "OMMA" and (self.data, self.k) in CYCLES:
            return "omma", {"max_iterations": CYCLES[self.data, self.k]}
        return PARAMETERS.get((self.source.split(" ")[0], self.name), (self.name, {}))

    @property
    def data_set(self) -> str:
        """The data set, without the column that may follow it: ``tarragona:Var3``."""
        return self.data.partition(":")[0]

    @property
    def columns(self) -> str:
        """Which columns of the data set the paper used."""
        if ":" in self.data:
            return self.data.partition(":")[2]
        return "without UTILITYID" if self.data == "eia" and "tfrp-2007" in self.quoted else "all"

    @property
    def quoted(self) -> str:
        """Where the figure was first printed."""
        return "tfrp-2007" if self.name == "TFRP-1" else self.source

    @property
    def why_not(self) -> str:
        """Why it cannot be computed, or nothing."""
        if self.measure not in ("IL", "SSE"):
            return "they state another measure than the information loss or the SSE"
        if self.data_set not in BENCHMARKS:
            return "the simulated data of the paper are not published"
        if self.plain.startswith("MDAV on "):
            return (
                "MDAV groups on some of the columns; `benchmarks/quality/columns.py` computes them"
            )
        try:
            resolve(self.recipe[0])
        except ParameterError:
            return "the method does not exist in microagg"
        return ""


@dataclass(frozen=True)
class Result:
    """A figure and ours beside it."""

    figure: Figure
    ours: float

    @property
    def difference(self) -> float:
        """Ours against the print, in percent of the print."""
        return 100 * (self.ours / float(self.figure.printed) - 1)

    @property
    def met(self) -> bool:
        """Whether ours rounds to the print."""
        return round(self.ours, self.figure.decimals) == float(self.figure.printed)


def figures(table: str = "") -> list[Figure]:
    """Read the printed figures whose source contains `table`."""
    with PRINTED.open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if table in row["source"]]
    if not rows:
        raise ParameterError(f"No printed figure has a source with {table!r}.")
    return [
        Figure(
            row["data"], int(row["k"]), row["method"], row["measure"], row["value"], row["source"]
        )
        for row in rows
    ]
