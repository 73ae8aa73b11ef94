"""Which columns to group on: the thesis' exhaustive search and its EMAD, printed and ours.

MICROAGG_DATA=... python -m benchmarks.quality.columns [--jobs 2]

Table 6.4: MDAV on every set of one, two and three columns, loss of all columns: the best, the worst
and the mean (its rows for four and five columns repeat those for three: only the first three were
used). Tables 6.5 and 6.8: MDAV on the columns that EMAD chose. The MDAV of this chapter takes the
record farthest from the centroid of all the data, one group at a time: `v-mdav` with gamma=0.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import combinations
from math import comb
from statistics import mean

import microagg as ma
from benchmarks.reproduce.figures import figures

DATA = ("tarragona", "census")
K = 3
SIZES = (1, 2, 3)

EXTREMES = {
    ("tarragona", 1): ((10,), (8,)),
    ("tarragona", 2): ((11, 13), (5, 8)),
    ("tarragona", 3): ((2, 3, 10), (5, 6, 11)),
    ("census", 1): ((10,), (1,)),
    ("census", 2): ((4, 13), (1, 8)),
    ("census", 3): ((7, 8, 10), (1, 8, 9)),
}
"""The columns of the best and the worst loss in table 6.4, counted from 1."""

CHOICES = {
    ("tarragona", "emi", 50_000): ((7, 4), (1, 10, 2, 12, 6)),
    ("tarragona", "emi", 100_000): ((7, 4), (1, 2, 12)),
    ("tarragona", "emi", 150_000): ((7, 4), (2, 12)),
    ("census", "emi", 1_000): ((1, 10), (7, 12)),
    ("census", "emi", 5_000): ((2, 10), (8, 5, 1, 13, 7, 12)),
    ("census", "emi", 10_000): ((1, 2, 12), ()),
    ("tarragona", "chi2", 50_000): ((7, 2, 12), ()),
    ("tarragona", "chi2", 100_000): ((7, 1, 12), ()),
    ("tarragona", "chi2", 150_000): ((7, 4, 12), ()),
    ("census", "chi2", 1_000): ((1, 10), (7, 12)),
    ("census", "chi2", 5_000): ((), (10, 2, 8, 5)),
    ("census", "chi2", 10_000): ((), (1, 5, 8, 12)),
    ("tarragona", "normal", None): ((2, 4), (10, 1, 7, 12, 6)),
    ("census", "normal", None): ((4, 10), (5, 9, 6, 7, 12)),
}
"""Tables 6.5, 6.7 and 6.8: the columns in every printed set of three, and those that take turns."""


def loss(task: tuple[str, tuple[int, ...]]) -> float:
    """Return the loss of all columns when groups are made on some, counted from 1."""
    data, columns = task
    X = ma.datasets.load(data).X
    on = [j - 1 for j in columns]
    return ma.information_loss(
        X, ma.partition(X, K, "v-mdav", columns=on, parameters={"gamma": 0})
    ).il


@cache
def printed() -> dict[tuple[str, str], float]:
    """Return the printed losses of chapter 6 by data and method."""
    rows = figures(table="fayyoumi-thesis-2008 table 6")
    return {(row.data, row.method): float(row.printed) for row in rows}


def every_set(jobs: int) -> dict[tuple[str, tuple[int, ...]], float]:
    """Return the loss of every set of columns."""
    tasks = [
        (data, columns)
        for data in DATA
        for size in SIZES
        for columns in combinations(range(1, 14), size)
    ]
    with ProcessPoolExecutor(jobs) as pool:
        return dict(zip(tasks, pool.map(loss, tasks, chunksize=20), strict=True))


def line(label: str, was: float, ours: float, more: str = "") -> None:
    """Print a figure and ours beside it."""
    sys.stdout.write(
        f"{label:<52}{was:>9.4f}{ours:>9.4f}{100 * (ours / was - 1):>+8.2f} %  {more}\n"
    )


def named(columns: Iterable[int]) -> str:
    """Return columns as the thesis writes them."""
    return ",".join(map(str, columns))


def table_6_4(losses: dict[tuple[str, tuple[int, ...]], float]) -> None:
    """Print the best, the worst and the mean of all sets."""
    for (data, size), (best, worst) in EXTREMES.items():
        own = {c: il for (of, c), il in losses.items() if of == data and len(c) == size}
        sys.stdout.write(f"{data}, {comb(13, size)} sets of {size}\n")
        for word, columns, ours in (
            ("best", best, min(own, key=lambda c: own[c])),
            ("worst", worst, max(own, key=lambda c: own[c])),
        ):
            was = printed()[data, f"MDAV on the {word} {size} variables"]
            line(f"  {word}: printed {named(columns)}, on these", was, own[columns])
            line(f"  {word} of all: ours {named(ours)}", was, own[ours])
        was = printed()[data, f"MDAV on {size} variables, mean over all subsets"]
        line("  mean", was, mean(own.values()))


def tables_6_5_and_6_8() -> None:
    """Print the losses of the sets that EMAD chose."""
    for (data, method), was in printed().items():
        if "EMAD" in method:
            columns = tuple(int(j) for j in method.split("variables ")[1].split(","))
            line(f"{data}, {method.removeprefix('MDAV on ')}", was, loss((data, columns)))


def trees() -> None:
    """Print which columns the trees choose: always, and in turns."""
    for (data, measure, width), (always, turns) in CHOICES.items():
        found = ma.select_columns(ma.datasets.load(data).X, measure=measure, width=width)
        last = found.edges[found.columns[-1]]
        ours = {int(c) + 1 for c in found.names if found.edges[c] > last}
        tied = {int(c) + 1 for c in found.tied}
        if len(ours) + len(tied) == 3:  # no choice is left
            ours, tied = ours | tied, set()
        met = "met" if (ours, tied) == (set(always), set(turns)) else "NOT met"
        taken = named(int(c) + 1 for c in found.columns)
        sys.stdout.write(
            f"{data:<10}{measure:<7}{width or '':>8}  printed {named(always)} + "
            f"[{named(turns)}]: {met}; ours {named(sorted(ours))} + [{named(sorted(tied))}], "
            f"taken {taken}, loss {loss((data, tuple(int(c) + 1 for c in found.columns))):.2f}\n"
        )


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=2)
    jobs = parser.parse_args().jobs
    sys.stdout.write(f"{'k = 3':<52}{'printed':>9}{'ours':>9}\n\nTable 6.4\n")
    losses = every_set(jobs)
    table_6_4(losses)
    sys.stdout.write("\nTables 6.5 and 6.8\n")
    tables_6_5_and_6_8()
    sys.stdout.write("\nColumns of tables 6.5, 6.7 and 6.8: always + [in turns]\n")
    trees()
    sys.stdout.write('\ncolumns="emad:3", without a width\n')
    for data in DATA:
        own = [il for (of, columns), il in losses.items() if of == data and len(columns) == 3]
        found = ma.select_columns(ma.datasets.load(data).X).columns
        il = loss((data, tuple(int(c) + 1 for c in found)))
        better = sum(other < il for other in own)
        sys.stdout.write(f"{data}: {il:.2f} %; {better} of {len(own)} sets of three lose less\n")


if __name__ == "__main__":
    main()
