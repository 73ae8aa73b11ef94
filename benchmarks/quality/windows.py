"""Lower the loss of the best groups of a cell in a window of errors, such as where groups lose little.

    export MICROAGG_DATA=...
    python -m benchmarks.quality.windows tarragona 5 --from 60 --to 132

A search over all records hardly improves dense clusters, whose groups lose little beside those of far
records. The groups are put in the order of their errors. The records of a window of groups, --from one
place --to another, are grouped anew: column generation without exact pricing finds the groups that matter
for these records alone, and an integer program chooses from the cheapest of them. A better partition is
written to `labels`, and the folder's ``losses.csv`` is written again.
"""

from __future__ import annotations

import argparse
import math
import sys
import time

import numpy as np

from benchmarks.quality.cell import scaled_columns
from benchmarks.quality.check_labels import LABELS, read_labels
from benchmarks.quality.page import keep_labels
from microagg.partition.bounds.column_generation import ColumnGeneration
from microagg.partition.bounds.integer import best_of
from microagg.partition.bounds.lower_bound import first_groups
from microagg.partition.bounds.quick import quick_prices
from microagg.partition.search.best.candidates import groups_of
from microagg.partition.sum_of_squares import error_of
from microagg.typing import Floats, Labels

ROOM = 1.5
"""Groups are chosen from whose reduced costs are up to this times the gap of the linear program."""

GO = np.zeros(2, dtype=np.int64)


def improved(
    points: Floats, k: int, labels: Labels, window: slice, most: int, minutes: float, seconds: float
) -> Labels:
    """Choose the groups of a window anew; return the labels, which are as good or better.

    Parameters
    ----------
    points : float64[n, d]
        The records.
    k : int
        The smallest size of a group.
    labels : int32[n]
        A partition into groups of k to 2k-1 records.
    window : slice
        Which groups, in the order of their errors.
    most : int
        How many groups the integer program chooses from.
    minutes, seconds : float
        Limits of the column generation and of the integer program.
    """
    groups = groups_of(labels)
    errors = np.array([error_of(points[rows].T, np.zeros(rows.size, np.int32)) for rows in groups])
    rows = np.sort(np.concatenate([groups[number] for number in np.argsort(errors)[window]]))
    own = np.unique(labels[rows], return_inverse=True)[1].astype(np.int32)
    chosen = chosen_anew(np.ascontiguousarray(points[rows]), k, own, most, minutes, seconds)
    if chosen is None:
        return labels
    better = labels.copy()
    better[rows] = labels.max() + 1 + chosen
    return np.unique(better, return_inverse=True)[1].astype(np.int32)


def chosen_anew(
    points: Floats, k: int, labels: Labels, most: int, minutes: float, seconds: float
) -> Labels | None:
    """Return a better partition of some records; None if none was found."""
    until, start = time.monotonic() + 60 * minutes, groups_of(labels)
    found = ColumnGeneration(points, k, quick_prices(points, k, GO))
    found.pool.add(start)
    found.pool.add(first_groups(points, k, GO)[0])
    while not (found.exact or found.finished) and time.monotonic() < until:
        found.step(lambda: math.inf, GO)
    if found.solution is None:
        return None
    found.pool.add(found.near_groups(GO))
    missing = error_of(points.T, labels) - found.solution.value * found.unit
    near, _ = found.cheapest(ROOM * max(missing, 0.0))
    numbers = np.union1d(near[:most], np.arange(len(start)))  # the start came first
    groups = [found.pool.groups[number] for number in numbers]
    chosen = best_of(
        groups,
        found.pool.errors[numbers],
        numbers < len(start),
        found.cuts,
        len(points),
        seconds,
        GO,
    )
    return chosen.labels


def main() -> None:
    """Improve the best partition of a cell in one window, and keep a better one."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("k", type=int)
    parser.add_argument(
        "--from", dest="first", type=int, default=0, help="place of the first group"
    )
    parser.add_argument("--to", dest="last", type=int, help="place after that of the last group")
    parser.add_argument("--most", type=int, default=2500, help="groups to choose from")
    parser.add_argument("--minutes", type=float, default=5.0, help="of column generation")
    parser.add_argument("--seconds", type=float, default=120.0, help="of the integer program")
    options = parser.parse_args()
    columns = scaled_columns(options.data)
    points, sst = np.ascontiguousarray(columns.T), float(np.sum(columns**2))
    labels = read_labels(LABELS / f"{options.data}-k{options.k}.csv.gz").astype(np.int32)
    window = slice(options.first, options.last)
    limits = options.most, options.minutes, options.seconds
    better = improved(points, options.k, labels, window, *limits)
    before, after = error_of(columns, labels), error_of(columns, better)
    sys.stdout.write(f"{100 * before / sst:.8f} % -> {100 * after / sst:.8f} %\n")
    if after < before:
        keep_labels(options.data, options.k, better)


if __name__ == "__main__":
    main()
