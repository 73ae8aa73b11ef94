"""One thread, several threads, and another checkout in one thread, side by side on the same records.

    python -m benchmarks.speed.threads
    python -m benchmarks.speed.threads --against ../microagg-0.1 --repeats 5
    python -m benchmarks.speed.threads --methods mdav --most 100000 --threads 1
    python -m benchmarks.speed.threads --write    measures nothing: the table of what is kept

Each contender has a process of its own, which compiles first. Then all group the same records in turns.
"threads" is the ratio of the least elapsed seconds of one thread and of several, which needs a computer
that does nothing else; `--threads 1` leaves it out. The next columns compare the least processor seconds
of the other checkout and of this one, both in one thread: with its default index, and with its scans.
`labels` says whether all made the same groups. Each row is kept in a file (`--results`) as soon as it is
measured, and what is kept is not measured again.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.page import table_of, write_part
from benchmarks.results import keep, kept
from benchmarks.speed.steady import HERE, Case, Checkout
from microagg.data.datasets import Dataset, load
from microagg.errors import MicroaggError
from microagg.partition.rules.index import kind_of
from microagg.threads import workers

Floats = NDArray[np.float64]
RESULTS = Path(__file__).with_name("threads.jsonl")
SCANNED = 2_000_000
"""So many numbers are scanned at most."""

HEAD = [
    "method",
    "data",
    "size",
    "k",
    "one thread s",
    "threads",
    "against default",
    "against scans",
    "labels",
]
NORMAL = (
    *(Case("mdav", n, 10) for n in (50_000, 100_000, 1_000_000)),
    *(Case("mdav", n, 10, k=k) for k in (10, 30) for n in (10_000, 31_623, 100_000)),
    *(Case("mdav", 100_000, 20, k=k) for k in (5, 10, 30)),
    Case("mdav", 100_000, 50),
    *(Case(name, 50_000, 10) for name in ("mdav-nc", "cbfs-nn", "cbfs-nc", "tfrp-i", "tfrp-nc")),
    *(Case(name, 50_000, 10) for name in ("v-mdav", "iamat", "dba-1", "gsms")),
)


def cases(folder: Path) -> Iterator[tuple[str, Case]]:
    """Yield the records' name and what is done with them: normal ones, and wide ones of real data."""
    for case in NORMAL:
        yield "normal", case
    for name, what, read in REAL:
        try:
            X = read(load(name))
        except MicroaggError:
            print(f"{name} is not at hand")
            continue
        np.save(folder / name, X)
        yield what, Case("mdav", *X.shape, data=str(folder / f"{name}.npy"))


def all_numbers(data: Dataset) -> Floats:
    """Return all columns of numbers; what is missing, as it does not apply, is 0."""
    columns = [column for column in data.frame.columns if pa.types.is_integer(column.type)]
    return np.stack([column.fill_null(0).to_numpy() for column in columns], axis=1).astype(float)


def with_noise(data: Dataset) -> Floats:
    """Return the records 93 times, with noise of a tenth of each standard deviation."""
    X = np.tile(data.X, (93, 1))
    return X + np.random.default_rng(0).normal(size=X.shape) * X.std(axis=0) / 10


REAL = (
    ("nist-acs", "nist-acs", all_numbers),
    ("census", "census, 93 times with noise", with_noise),
    ("nycflights", "nycflights", lambda data: data.complete().X[:100_000]),
)


def compare(case: Case, contenders: dict[str, Checkout], repeats: int) -> dict[str, Any]:
    """Return the least seconds of each contender, and whether all made the same groups."""
    turns = [(name, checkout, case) for name, checkout in contenders.items()]
    if "other" in contenders and case.method == "mdav" and case.n * case.d <= SCANNED:
        turns.append(("scans", contenders["other"], replace(case, more={"index": "brute"})))
    few = {"n": min(case.n, 2_000), "data": ""}
    for _, checkout, each in turns:
        kind = {"index": kind_of("auto", each.n)}
        checkout.run(replace(each, **few, more=kind | each.more))  # compiles
    best: dict[str, list[float]] = {}
    labels = set()
    for _ in range(repeats):
        for name, checkout, each in turns:
            result = checkout.run(each)
            labels.add(result["labels"])
            elapsed, spent = best.get(name, [float("inf")] * 2)
            best[name] = [min(elapsed, result["elapsed"]), min(spent, result["seconds"])]
    return {"best": best, "same": len(labels) == 1}


def cells(row: dict[str, Any]) -> list[str]:
    """Return a line of the table."""
    best = row["best"]

    def ratio(name: str, which: int) -> str:
        return f"{best[name][which] / best['one'][which]:.2f} x" if name in best else "-"

    faster = f"{best['one'][0] / best['several'][0]:.2f} x" if "several" in best else "-"
    return [
        f"`{row['method']}`",
        row["data"],
        f"{row['n']:,} x {row['d']}",
        str(row["k"]),
        f"{best['one'][1]:.3f}",
        faster,
        ratio("other", 1),
        ratio("scans", 1),
        "same" if row["same"] else "OTHER",
    ]


def measure(options: argparse.Namespace, folder: Path) -> None:
    """Measure what is asked for and not kept yet; each row is kept and printed at once."""
    wanted = set(filter(None, options.methods.split(",")))
    contenders = {"one": Checkout(HERE)}
    if options.threads > 1:
        contenders["several"] = Checkout(HERE, options.threads)
    if options.against:
        contenders["other"] = Checkout(options.against.resolve())
    keys = ("data", "method", "n", "d", "k")
    before = {tuple(row[key] for key in keys) for row in kept(options.results)}
    for data, case in cases(folder):
        row = dict(zip(keys, (data, case.method, case.n, case.d, case.k), strict=True))
        if tuple(row.values()) in before or case.n > options.most:
            continue
        if not wanted or case.method in wanted:
            measured = compare(case, contenders, options.repeats)
            row |= {**measured, "date": time.strftime("%Y-%m-%d")}
            keep(options.results, row)
            print(*cells(row), sep="\t", flush=True)
    for checkout in contenders.values():
        checkout.close()


def main() -> None:
    """Measure the methods, or write the table of what is kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, help="another checkout")
    parser.add_argument("--methods", default="", help="only these, separated by commas")
    parser.add_argument("--most", type=int, default=1_000_000, help="only up to so many records")
    parser.add_argument("--threads", type=int, default=workers(), help="how many threads")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--results", type=Path, default=RESULTS, help="where rows are kept")
    parser.add_argument("--write", action="store_true", help="write the table of what is kept")
    options = parser.parse_args()
    if options.write:
        write_part("threads", table_of(HEAD, map(cells, kept(options.results))))
        return
    with tempfile.TemporaryDirectory() as folder:
        measure(options, Path(folder))


if __name__ == "__main__":
    main()
