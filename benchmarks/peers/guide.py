"""What the comparisons with other tools share: the loss of a masked table, and the table of a guide."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

import microagg as ma
from benchmarks.page import table_of

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
KS = (3, 5, 10)


def with_microagg(table: pd.DataFrame, k: int, method: str) -> tuple[pd.DataFrame, float]:
    """Return what microagg releases, and its seconds without compilation."""
    options = {"k": k, "method": method, "kinds": dict.fromkeys(table, "continuous")}
    ma.protect(table.head(200), quasi_identifiers=list(table), **options)
    started = time.perf_counter()
    release = ma.protect(table, quasi_identifiers=list(table), **options)
    return release.data, time.perf_counter() - started


def loss(table: pd.DataFrame, released: pd.DataFrame) -> float:
    """Return the information loss in percent; a suppressed record counts as the overall mean.

    Examples
    --------
    >>> ages = pd.DataFrame({"age": [30.0, 40.0]})
    >>> loss(ages, ages), loss(ages, pd.DataFrame({"age": [35.0, None]}))
    (0.0, 100.0)
    """
    changes = (table - released.fillna(table.mean())) / table.std(ddof=0)
    return float(100 * (changes**2).to_numpy().sum() / table.size)


def result(
    case: str, k: int, tool: str, table: pd.DataFrame, released: pd.DataFrame, seconds: float
) -> dict[str, object]:
    """Return one line of the results."""
    return {
        "case": case,
        "k": k,
        "tool": tool,
        "records": len(table),
        "suppressed": int(released.isna().all(axis=1).sum()),
        "k_counted": ma.anonymity(released.dropna().round(9).astype(str), list(table)).k,
        "il": f"{loss(table, released):.7g}",
        "seconds": f"{seconds:.2f}",
    }


def save(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Write the results as CSV, each as soon as it is known."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = None
        for row in rows:
            if writer is None:
                writer = csv.DictWriter(file, list(row), lineterminator="\n")
                writer.writeheader()
            writer.writerow(row)
            file.flush()


def percent(value: float) -> str:
    """Return a percentage with two decimals, or six if it is very small."""
    return f"{value:.2f} %" if value >= 0.1 else f"{value:.6f} %"


def lines(path: Path, names: Mapping[str, str]) -> list[str]:
    """Return the losses as a table: a row for each data set and k, and a column for each tool."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    cells = {(row["case"], row["k"], row["tool"]): float(row["il"]) for row in rows}
    body = [
        [case, k, *(percent(cells[case, k, tool]) for tool in names)]
        for case, k in dict.fromkeys((row["case"], row["k"]) for row in rows)
    ]
    return table_of(["data", "k", *names.values()], body)
