"""Microaggregation with ARX and with microagg: `python -m benchmarks.peers.arx --classpath JARS`.

The class path contains the library of ARX (libarx) and its dependencies; `java` and `javac` must be
installed. ARX clusters the values of each column by a hierarchy before it averages them. The hierarchies
here are intervals with equally many records: 32, 16, 8, 4 and 2 of them, and all values. The results go to
arx.csv, and the table in docs/guides/from-arx.md is written from that file.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import microagg as ma
from benchmarks.page import write_part
from benchmarks.peers import guide

HERE = Path(__file__).parent
RESULTS = HERE / "arx.csv"
FINEST = 32
CASES = {
    "diabetes, 3 columns": ("diabetes", ["age", "bmi", "bp"]),
    "testdata, 3 columns": ("testdata", ["expend", "income", "savings"]),
    "diabetes, 5 columns": ("diabetes", ["age", "bmi", "bp", "s1", "s2"]),
}
NAMES = {
    "arx-global": "ARX, full-domain",
    "arx-local": "ARX, local recoding",
    "mdav": "microagg, `mdav`",
    "auto": "microagg, `auto`",
}


def hierarchy(values: pd.Series) -> list[list[str]]:
    """Return each value with the intervals that contain it, from the finest to all values."""
    distinct = np.sort(values.unique())
    rank = values.rank(method="first").groupby(values).mean().loc[distinct].to_numpy()
    finest = np.minimum(((rank - 0.5) / len(values) * FINEST).astype(int), FINEST - 1)
    sizes = [FINEST >> level for level in range(FINEST.bit_length() - 1)]
    return [
        [str(value), *(f"{size}:{part * size // FINEST}" for size in sizes), "*"]
        for value, part in zip(distinct, finest, strict=True)
    ]


def with_arx(table: pd.DataFrame, k: int, mode: str, classpath: str) -> tuple[pd.DataFrame, float]:
    """Return what ARX releases, with suppressed records as missing values, and its seconds."""
    with tempfile.TemporaryDirectory() as folder:
        table.astype(str).to_csv(Path(folder) / "data.csv", index=False)
        for name in table:
            with (Path(folder) / f"{name}.csv").open("w", newline="") as file:
                csv.writer(file).writerows(hierarchy(table[name]))
        program = HERE / "Microaggregate.java"
        subprocess.run(["javac", "-cp", classpath, "-d", folder, program], check=True)
        path = f"{folder}{os.pathsep}{classpath}"
        command = ["java", "-cp", path, "Microaggregate", folder, str(k), mode]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        masked = pd.read_csv(Path(folder) / "masked.csv", na_values=["*"])
    return masked[list(table)], float(done.stdout.splitlines()[-1])


def measured(classpath: str) -> Iterator[dict[str, object]]:
    """Yield the results of each case, k and tool."""
    for case, (dataset, columns) in CASES.items():
        table = ma.datasets.load(dataset).frame.to_pandas()[columns].astype(float)
        for k in guide.KS:
            for tool in NAMES:
                if tool.startswith("arx"):
                    released, seconds = with_arx(table, k, tool.removeprefix("arx-"), classpath)
                else:
                    released, seconds = guide.with_microagg(table, k, tool)
                yield guide.result(case, k, tool, table, released, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classpath", help="the library of ARX and its dependencies")
    classpath = parser.parse_args().classpath
    if classpath:
        guide.save(RESULTS, measured(classpath))
    write_part("arx", guide.lines(RESULTS, NAMES), guide.GUIDES / "from-arx.md")


if __name__ == "__main__":
    main()
