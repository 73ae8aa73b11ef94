"""A process that protects one file after the other until a signal ends it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from microagg.cli.app import run
from microagg_command import guarded


def main(folder: Path) -> None:
    """Protect to 0.csv, 1.csv and so on; "go" is printed once all is compiled and imported."""
    records = np.random.default_rng(0).normal(size=(200, 3)).round(3)
    source = folder.parent / "records.csv"
    np.savetxt(source, records, delimiter=",", header="a,b,c", comments="", fmt="%.3f")
    options = ["-k", "3", "--qi", "a,b,c", "--method", "mdav", "--quiet", "--overwrite"]
    for turn in range(-1, 100_000):
        output = folder.parent / "warm.csv" if turn < 0 else folder / f"{turn}.csv"
        sys.argv = ["microagg", "protect", str(source), *options, "-o", str(output)]
        try:
            run()
        except SystemExit as end:
            if end.code:
                raise
        if turn < 0:
            print("go", flush=True)


if __name__ == "__main__":
    guarded(lambda: main(Path(sys.argv[1])))
