"""Compute the printed figures of the papers again and say which are met.

    python -m benchmarks.reproduce                            the page on stdout
    python -m benchmarks.reproduce --table tfrp-2007          one paper
    python -m benchmarks.reproduce --output docs/reproduction.md --keep .reproduce.json

With --output, the page (Markdown) goes to the file and the table of all figures (CSV) beside it.
MICROAGG_DATA names the folder of the benchmark data.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.reproduce.compute import reproduce
from benchmarks.reproduce.figures import figures
from benchmarks.reproduce.page import page_of, to_csv
from microagg.data.atomic import replacing


def main() -> None:
    options = _arguments()
    wanted, results = figures(options.table), []
    for result in reproduce(wanted, jobs=options.jobs, kept=options.keep):
        results.append(result)
        if len(results) % 50 == 0:
            print(f"{len(results)} figures done", file=sys.stderr)
    if options.output is None:
        sys.stdout.write(page_of(wanted, results))
        return
    with replacing(options.output, options.output.with_suffix(".csv")) as (page, table):
        page.write_text(page_of(wanted, results), encoding="utf-8")
        table.write_text(to_csv(results), encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproduce")
    parser.add_argument("--table", default="", help="only sources with this text: tfrp-2007, ...")
    parser.add_argument("--output", type=Path, help="the page to write; the CSV goes beside it")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes")
    parser.add_argument("--keep", type=Path, help="a file of losses that are not computed again")
    return parser.parse_args()


if __name__ == "__main__":
    main()
