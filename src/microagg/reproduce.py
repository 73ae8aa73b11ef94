"""Compute the printed figures of the papers again, and say which ones are met.

The figures come as a CSV with the columns data, k, method, measure, value, source, in the folder that
MICROAGG_PUBLISHED names; the data sets by name (`datasets`).
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from microagg.data.atomic import replacing
from microagg.data.datasets import load
from microagg.errors import FileError, ParameterError
from microagg.measure.loss.information_loss import information_loss
from microagg.partition.driver import partition
from microagg.partition.names import resolve

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
            return "another measure"
        if self.data_set not in BENCHMARKS:
            return "the paper's simulated data"
        if self.plain.startswith("MDAV on "):
            return "MDAV on some of the columns: benchmarks/quality/columns.py"
        try:
            resolve(self.recipe[0])
        except ParameterError:
            return "the method does not exist here"
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


def figures(folder: str | Path | None = None, table: str = "") -> list[Figure]:
    """Read the printed figures whose source contains `table`."""
    where = folder or os.environ.get("MICROAGG_PUBLISHED")
    if where is None:
        raise FileError(
            "The printed figures are not at hand.",
            hint="Set MICROAGG_PUBLISHED to the folder that holds information_loss.csv.",
        )
    try:
        with (Path(where) / "information_loss.csv").open(encoding="utf-8") as stream:
            rows = [row for row in csv.DictReader(stream) if table in row["source"]]
    except OSError as error:
        raise FileError(f"The printed figures cannot be read: {error.strerror}.") from None
    if not rows:
        raise ParameterError(f"No printed figure has a source with {table!r}.")
    return [
        Figure(
            row["data"], int(row["k"]), row["method"], row["measure"], row["value"], row["source"]
        )
        for row in rows
    ]


def reproduce(wanted: Iterable[Figure], *, jobs: int, kept: Path | None = None) -> Iterator[Result]:
    """Yield each figure that can be computed with ours, as they become ready.

    Losses already in the file `kept` are not computed again; new ones are added to it.
    """
    possible = [figure for figure in wanted if not figure.why_not]
    known: dict[str, list[float]] = _read(kept)
    yield from (Result(f, _ours(f, known[f.key])) for f in possible if f.key in known)
    todo = {figure.key: figure for figure in possible if figure.key not in known}
    with ProcessPoolExecutor(jobs) as pool:
        runs = {pool.submit(_loss, figure): key for key, figure in todo.items()}
        for run in as_completed(runs):
            known[runs[run]] = run.result()
            _write(kept, known)
            for figure in possible:
                if figure.key == runs[run]:
                    yield Result(figure, _ours(figure, known[figure.key]))


def _ours(figure: Figure, loss: list[float]) -> float:
    return loss[0] if figure.measure == "IL" else loss[1]


def _loss(figure: Figure) -> list[float]:
    X = _matrix(figure.data_set, figure.columns)
    name, parameters = figure.recipe
    seeds = [0] if resolve(name).method.deterministic else range(SEEDS)
    losses = [
        information_loss(X, partition(X, figure.k, name, seed=seed, parameters=parameters))
        for seed in seeds
    ]
    return [median(loss.il for loss in losses), median(loss.sse for loss in losses)]


@cache
def _matrix(name: str, columns: str) -> Any:
    data = load(name)
    if columns.startswith("Var"):  # the thesis numbers them from 1
        return data.X[:, [int(columns.removeprefix("Var")) - 1]]
    keep = [i for i, column in enumerate(data.columns) if columns == "all" or column != "UTILITYID"]
    return data.X[:, keep]


def _read(kept: Path | None) -> dict[str, list[float]]:
    """Return the losses of a file that the same code wrote; others are out of date."""
    if kept is None or not kept.exists():
        return {}
    content = json.loads(kept.read_text(encoding="utf-8"))
    losses: dict[str, list[float]] = content["losses"] if content.get("code") == _code() else {}
    return losses


@cache
def _code() -> str:
    """Return a digest of the code that the losses depend on."""
    digest = hashlib.sha256()
    for folder in ("kernels", "partition", "prepare"):
        for file in sorted((Path(__file__).parent / folder).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _write(kept: Path | None, known: dict[str, list[float]]) -> None:
    if kept is not None:
        with replacing(kept) as (beside,):
            beside.write_text(json.dumps({"code": _code(), "losses": known}), encoding="utf-8")


def to_csv(results: Iterable[Result]) -> str:
    """Return the results as a table for programs."""
    lines = ["source,data,k,method,computed_as,measure,printed,ours,difference_percent,reproduced"]
    for result in _sorted(results):
        f = result.figure
        lines.append(
            f"{f.source},{f.data},{f.k},{f.plain},{f.recipe[0].lower()},{f.measure},"
            f"{f.printed},{result.ours:.6f},"
            f"{result.difference:.4f},{'yes' if result.met else 'no'}"
        )
    return "\n".join(lines) + "\n"


def _sorted(results: Iterable[Result]) -> list[Result]:
    return sorted(
        results, key=lambda r: (r.figure.source, r.figure.name, r.figure.data, r.figure.k)
    )


def summary(results: Iterable[Result]) -> list[dict[str, Any]]:
    """Return, for each source and method, how many figures there are, are met, are not above.

    The largest difference is that of the figures that are not met.
    """
    rows: dict[tuple[str, str], list[Result]] = {}
    for result in _sorted(results):
        rows.setdefault((result.figure.source.split(" ")[0], result.figure.name), []).append(result)
    return [
        {
            "source": source,
            "method": name,
            "figures": len(group),
            "met": sum(result.met for result in group),
            "met_or_lower": sum(result.met or result.difference < 0 for result in group),
            "largest_percent": max(
                (result.difference for result in group if not result.met), key=abs, default=0.0
            ),
        }
        for (source, name), group in rows.items()
    ]


def as_dict(result: Result) -> dict[str, Any]:
    """Return a result as plain values."""
    return {
        **asdict(result.figure),
        "ours": result.ours,
        "difference_percent": result.difference,
        "reproduced": result.met,
    }
