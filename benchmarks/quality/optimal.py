"""Prove that a partition is the best of all, and write the certificate that `check_optimal.py` reads.

MICROAGG_DATA=... python -m benchmarks.quality.optimal census 3

It takes the better partition of ``NAME-kK.csv`` in this folder and of ``labels``, or that of `best` after
`--seconds` if there is neither. It solves the linear program with cuts, lists all groups that a better
partition could hold, and searches them by branch and bound. A better partition replaces the first one, also
in ``labels``. Other files are written only if the partition is proved to be the best: the certificate, and
``NAME-kK-proof.json``, which says what branch and bound proved. With `--bound`, the certificate of the
linear program is written in any case, for `check_optimal.py --bound`. Cuts are then looked for that are
violated less, which takes longer; prices and cuts are written every minute, and `--minutes` ends it. With
`--kept`, the prices and cuts are those of the certificate in this folder; with `--bound` as well, more cuts
are added to them. With `--share 0.5`, only partitions are searched that close at least half of the gap:
there are far fewer groups, and the bound is valid for all partitions.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import microagg as ma
from benchmarks.quality.cell import scaled_columns
from benchmarks.quality.check_labels import LABELS, read_labels
from benchmarks.quality.page import keep_labels
from microagg.partition.bounds.column_generation import ColumnGeneration
from microagg.partition.bounds.cuts import KINDS, MOST_RECORDS, GroupCuts
from microagg.partition.bounds.duals import Duals
from microagg.partition.bounds.gap import PROVED, SAFETY, safe
from microagg.partition.bounds.listed_proof import SHARES, ListedProof, prove_listed
from microagg.partition.bounds.lower_bound import first_groups
from microagg.partition.bounds.quick import quick_prices
from microagg.partition.sum_of_squares import error_of

HERE = Path(__file__).parent

SAVED_EVERY = 60.0
"""Seconds after which better prices and cuts are written."""

Labels = NDArray[np.int32]
Tell = Callable[[str], None]


def main() -> None:
    """Prove, tell and write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("k", type=int)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--bound", action="store_true", help="write prices and cuts in any case")
    parser.add_argument("--kept", action="store_true", help="start from the kept prices and cuts")
    parser.add_argument("--minutes", type=float, default=math.inf, help="of the linear program")
    parser.add_argument("--search", type=float, default=1e6, help="seconds for branch and bound")
    parser.add_argument("--share", type=float, help="of the gap that branch and bound may close")
    options = parser.parse_args()
    stem, begun_at = HERE / f"{options.data}-k{options.k}", time.monotonic()

    def tell(text: str) -> None:
        sys.stdout.write(f"{time.monotonic() - begun_at:7.1f} s  {text}\n")
        sys.stdout.flush()

    columns = scaled_columns(options.data)
    labels = known_labels(stem, columns, options.k, options.seconds)
    found = kept(columns, options.k, stem) if options.kept else begun(columns, labels, options.k)
    if options.bound or not options.kept:
        save = partial(write, stem, labels, found) if options.bound else None
        solve(found, begun_at + 60 * options.minutes, save)
        percent = 100 * found.bound / np.sum(columns**2)
        tell(f"linear program: {percent:.9f} %, {len(found.cuts)} cuts")
    shares = SHARES if options.share is None else (options.share,)
    listed = listed_proof(found, columns, labels, options.search, tell, shares)
    if listed.labels is not None:
        labels = listed.labels
        if (LABELS / f"{stem.name}.csv.gz").exists():
            keep_labels(options.data, options.k, labels)
    proof = proof_of(columns, labels, listed)
    tell(f"best: {proof['loss_percent']:.9f} %, no partition below {proof['bound_percent']:.9f} %")
    if options.bound or is_proved(proof):
        write(stem, labels, found)
    if not is_proved(proof):
        written = "only prices and cuts were" if options.bound else "nothing was"
        sys.exit(f"The bound is below the loss: nothing is proved, and {written} written.")
    text = json.dumps(proof, indent=2) + "\n"
    (stem.parent / f"{stem.name}-proof.json").write_text(text)


def known_labels(stem: Path, columns: NDArray[np.float64], k: int, seconds: float) -> Labels:
    """Return the better partition of the certificate and of `labels`, or else one of `best`."""
    file, best, known = stem.with_suffix(".csv"), LABELS / f"{stem.name}.csv.gz", []
    if file.exists():
        known.append(np.loadtxt(file, delimiter=",", skiprows=1, usecols=0, dtype=np.int32))
    if best.exists():
        known.append(read_labels(best).astype(np.int32))
    if known:
        return min(known, key=lambda labels: error_of(columns, labels))
    found = ma.partition(columns.T, k, "best", scale="none", parameters={"time_limit": seconds})
    return found.labels


def kept(columns: NDArray[np.float64], k: int, stem: Path) -> ColumnGeneration:
    """Return a column generation with the prices and cuts of a certificate."""
    points, ticker = np.ascontiguousarray(columns.T), np.zeros(2, dtype=np.int64)
    found = ColumnGeneration(points, k, quick_prices(points, k, ticker))
    found.start_at(*read_certificate(stem), ticker)
    found.pool.add(found.near_groups(ticker))
    return found


def begun(columns: NDArray[np.float64], labels: Labels, k: int) -> ColumnGeneration:
    """Return a column generation at its beginning, with good groups in its pool."""
    points, ticker = np.ascontiguousarray(columns.T), np.zeros(2, dtype=np.int64)
    found = ColumnGeneration(points, k, quick_prices(points, k, ticker))
    groups, _ = first_groups(points, k, ticker)
    found.pool.add([np.flatnonzero(labels == label) for label in np.unique(labels)])
    found.pool.add(groups)
    return found


def solve(found: ColumnGeneration, until: float, save: Callable[[], None] | None) -> None:
    """Solve the linear program to its end, or until the clock shows a time.

    If it is to be saved, cuts are looked for that are violated less, and it is saved every minute.
    """
    ticker, bound, saved = np.zeros(2, dtype=np.int64), found.bound, time.monotonic()
    while time.monotonic() < until and (not found.finished or (save and found.look_deeper())):
        found.step(lambda: until - time.monotonic(), ticker)
        if save and found.bound > bound and time.monotonic() > saved + SAVED_EVERY:
            save()
            bound, saved = found.bound, time.monotonic()
    if save:
        save()


def listed_proof(
    found: ColumnGeneration,
    columns: NDArray[np.float64],
    labels: Labels,
    seconds: float,
    tell: Tell,
    shares: Sequence[float] = SHARES,
) -> ListedProof:
    """Return what the groups within shares of the gap of the linear program prove."""
    missing = error_of(columns, labels) - found.bound
    proof = prove_listed(found, labels, missing, seconds, np.zeros(2, dtype=np.int64), shares)
    if proof.listed is None:
        sys.exit("Too many groups are within the gap: nothing is proved.")
    counts = [len(rows) for rows in proof.listed.groups]
    tell(f"groups below {proof.listed.threshold:.9g}: {counts}")
    return proof


def proof_of(columns: NDArray[np.float64], labels: Labels, proof: ListedProof) -> dict[str, Any]:
    """Return what was found and proved, in numbers."""
    sst, lost = float(np.sum(columns**2)), error_of(columns, labels)
    groups = proof.listed.groups if proof.listed else []
    return {
        "loss_percent": 100 * lost / sst,
        "bound_percent": 100 * safe(proof.bound) / sst,
        "loss": lost,
        "bound": safe(proof.bound),
        "bound_lowered_by": SAFETY,
        "groups": {str(rows.shape[1]): len(rows) for rows in groups},
        "solver": f"HiGHS {version('highspy')}",
        "date": datetime.now(UTC).date().isoformat(),
    }


def read_certificate(stem: Path) -> tuple[Duals, GroupCuts]:
    """Return the prices and charges of a certificate, and its cuts."""
    prices = np.loadtxt(stem.with_suffix(".csv"), delimiter=",", skiprows=1, usecols=1)
    numbers = {(kind.weights, kind.modulus): number for number, kind in enumerate(KINDS)}
    cuts, charges = GroupCuts.of(0), []
    lines = (stem.parent / f"{stem.name}-cuts.csv").read_text().splitlines()[1:]
    for line in lines:
        charge, modulus, *pairs = map(float, line.split(","))
        rows, weights = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        number = numbers[tuple(weights[weights > 0].tolist()), int(modulus)]
        cuts = cuts.plus(GroupCuts.of(number, rows[weights > 0]))
        charges.append(charge * KINDS[number].limit)
    return Duals(prices, np.array(charges)), cuts


def is_proved(proof: dict[str, Any]) -> bool:
    """Tell whether the bound is the loss, but for the room that is left for rounding.

    Examples
    --------
    >>> is_proved({"loss": 1.0, "bound": 1 - 1e-6}), is_proved({"loss": 1.0, "bound": 0.999})
    (True, False)
    """
    return bool(proof["bound"] >= proof["loss"] * (1 - PROVED))


def write(stem: Path, labels: Labels, found: ColumnGeneration) -> None:
    """Write the labels and prices, and the charges."""
    prices, charges = found.proved.prices, found.proved.charges
    with stem.with_suffix(".csv").open("w") as file:
        file.write("label,price\n")
        file.writelines(
            f"{a},{b!r}\n" for a, b in zip(labels.tolist(), prices.tolist(), strict=True)
        )
    cuts, places = found.charged_cuts, range(1, MOST_RECORDS + 1)
    with (stem.parent / f"{stem.name}-cuts.csv").open("w") as file:
        named = [f"record{place},weight{place}" for place in places]
        file.write(",".join(["charge", "modulus", *named]) + "\n")
        for number in np.flatnonzero(charges > 0):
            pairs = np.column_stack([cuts.rows[number], cuts.weights[number]]).ravel().tolist()
            charge = float(charges[number] / cuts.limits[number])
            file.write(",".join(map(str, [repr(charge), cuts.moduli[number], *pairs])) + "\n")


if __name__ == "__main__":
    main()
