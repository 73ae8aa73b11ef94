"""Microaggregation with mu-ARGUS and microagg: `python -m benchmarks.peers.mu_argus --library FOLDER`.

The folder contains the source of libnumericalmu, which mu-ARGUS uses for numerical microaggregation; `g++`
must be installed. The results go to mu_argus.csv, and the table in docs/guides/from-mu-argus.md is written
from that file.
"""

from __future__ import annotations

import argparse
import io
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

import microagg as ma
from benchmarks.page import write_part
from benchmarks.peers import guide

HERE = Path(__file__).parent
RESULTS = HERE / "mu_argus.csv"
CASES: dict[str, tuple[str, list[str] | None]] = {
    "free1, 4 columns": ("free1", ["INCOME", "MONEY", "ASSETS", "DEBTS"]),
    "Tarragona, 13 columns": ("tarragona", None),
    "Census, 13 columns": ("census", None),
    "free1, INCOME, optimal": ("free1", ["INCOME"]),
}
NAMES = {
    "mu-argus": "mu-ARGUS",
    "mdav": "microagg, `mdav` or `optimal-1d`",
    "auto": "microagg, `auto`",
}


def compiled(library: Path, folder: Path) -> Path:
    """Compile the library of mu-ARGUS with our program; return the program."""
    program = folder / "microaggregate"
    sources = [HERE / "microaggregate.cpp", library / "MicroAggregation.cpp"]
    subprocess.run(["g++", "-O2", "-w", "-I", library, *sources, "-o", program], check=True)
    return program


def with_argus(table: pd.DataFrame, k: int, program: Path) -> tuple[pd.DataFrame, float]:
    """Return what mu-ARGUS releases, and its seconds; one column is grouped optimally."""
    optimal = int(table.shape[1] == 1)
    command = [program, *map(str, (*table.shape, k, optimal))]
    records = table.to_csv(sep=" ", index=False, header=False)
    started = time.perf_counter()
    done = subprocess.run(command, input=records, check=True, capture_output=True, text=True)
    seconds = time.perf_counter() - started
    return pd.read_csv(io.StringIO(done.stdout), sep=" ", names=list(table)), seconds


def measured(program: Path) -> Iterator[dict[str, object]]:
    """Yield the results of each case, k and tool."""
    for case, (dataset, columns) in CASES.items():
        frame = ma.datasets.load(dataset).frame.to_pandas()
        table = frame[columns or list(frame)].astype(float)
        for k in guide.KS:
            for tool in NAMES:
                if tool == "mu-argus":
                    released, seconds = with_argus(table, k, program)
                else:
                    optimal = tool == "mdav" and table.shape[1] == 1
                    method = "optimal-1d" if optimal else tool
                    released, seconds = guide.with_microagg(table, k, method)
                yield guide.result(case, k, tool, table, released, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path, help="the source of libnumericalmu")
    library = parser.parse_args().library
    if library:
        with tempfile.TemporaryDirectory() as folder:
            guide.save(RESULTS, measured(compiled(library, Path(folder))))
    write_part("mu-argus", guide.lines(RESULTS, NAMES), guide.GUIDES / "from-mu-argus.md")


if __name__ == "__main__":
    main()
