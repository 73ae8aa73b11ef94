"""Microaggregation with sdcMicro and microagg: `python -m benchmarks.peers.sdcmicro --run`.

R and sdcMicro must be installed (docs/benchmarks.md describes it). The results go to sdcmicro.csv, and the
table in docs/guides/from-sdcmicro.md is written from that file.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

import microagg as ma
from benchmarks.page import write_part
from benchmarks.peers import guide
from benchmarks.speed.peers import SdcMicro

RESULTS = Path(__file__).with_name("sdcmicro.csv")
CASES: dict[str, tuple[str, list[str] | None]] = {
    "testdata, 3 columns": ("testdata", ["expend", "income", "savings"]),
    "free1, 4 columns": ("free1", ["INCOME", "MONEY", "ASSETS", "DEBTS"]),
    "Tarragona, 13 columns": ("tarragona", None),
    "Census, 13 columns": ("census", None),
}
NAMES = {
    "sdcmicro": "sdcMicro, `mdav`",
    "mdav": "microagg, `mdav`",
    "auto": "microagg, `auto`",
}


def with_sdcmicro(table: pd.DataFrame, k: int) -> tuple[pd.DataFrame, float]:
    """Return what sdcMicro releases, and its seconds in R."""
    task = SdcMicro(table.to_numpy(), k)
    seconds = task()
    return pd.DataFrame(task.released, columns=list(table)), seconds


def measured() -> Iterator[dict[str, object]]:
    """Yield the results of each case, k and tool."""
    for case, (dataset, columns) in CASES.items():
        frame = ma.datasets.load(dataset).frame.to_pandas()
        table = frame[columns or list(frame)].astype(float)
        for k in guide.KS:
            for tool in NAMES:
                if tool == "sdcmicro":
                    released, seconds = with_sdcmicro(table, k)
                else:
                    released, seconds = guide.with_microagg(table, k, tool)
                yield guide.result(case, k, tool, table, released, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--run", action="store_true", help="measure; otherwise only write the table"
    )
    if parser.parse_args().run:
        guide.save(RESULTS, measured())
    write_part("sdcmicro", guide.lines(RESULTS, NAMES), guide.GUIDES / "from-sdcmicro.md")


if __name__ == "__main__":
    main()
