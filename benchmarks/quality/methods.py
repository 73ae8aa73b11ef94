"""The information loss of every method on the benchmark data: `python -m benchmarks.quality.methods`.

Writes docs/method_losses.csv, from which the table of methods is made. Every method has its default
parameters; `limit` is the time limit of a search that has one by default.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path

import microagg as ma

TABLE = Path(__file__).parents[2] / "docs" / "method_losses.csv"
DATA = ("tarragona", "census", "eia")
K = 5


def measured(name: str, data: str) -> dict[str, object]:
    """Return the loss and the time of a method."""
    X = ma.datasets.load(data).X
    method = next(each for each in ma.methods() if each.name == name)
    begun = time.perf_counter()
    part = ma.partition(X, K, name)
    seconds = time.perf_counter() - begun
    return {
        "method": name,
        "data": data,
        "k": K,
        "il": f"{ma.information_loss(X, part).il:.4f}",
        "seconds": f"{seconds:.2f}",
        "limit": method.parameters.get("time_limit") or "",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("methods", nargs="*", help="only these; all by default")
    chosen = parser.parse_args().methods
    rows: dict[tuple[str, str], dict[str, object]] = {}
    if TABLE.exists():
        with TABLE.open(encoding="utf-8") as file:
            rows = {(row["method"], row["data"]): dict(row) for row in csv.DictReader(file)}
    for method in ma.methods():
        for data in DATA:
            if (chosen and method.name in chosen) or (
                not chosen and (method.name, data) not in rows
            ):
                rows[method.name, data] = measured(method.name, data)
                sys.stderr.write(f"{rows[method.name, data]}\n")
                _write(rows)


def _write(rows: dict[tuple[str, str], dict[str, object]]) -> None:
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(next(iter(rows.values()))), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))


if __name__ == "__main__":
    main()
