"""Peak memory of every method that makes groups of fixed or variable size, each in a fresh process.

    python -m benchmarks.speed.memory            prints a table; goes on where it stopped
    python -m benchmarks.speed.memory --write    writes what is kept to docs/benchmarks.md

Normal records, k = 5. The peak is that of the whole process: Python, libraries and compiled kernels
(loaded from the cache by a first small run, so that no compiler is counted), the records, the groups.
Linux only, where a process can start its peak again.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np

from benchmarks.page import table_of, write_part
from benchmarks.results import keep, kept

N, D, K = 20_000, 10, 5
FEW = 400
"""Records of the first small run."""

BAR = 500
"""Megabytes that no method may need."""

RESULTS = Path(__file__).with_name("memory.jsonl")
METHODS = (
    *("cbfs-nn", "cbfs-nc", "dba-1", "dbfs-nc", "gsms", "iamat", "ip-style", "md", "mdav"),
    *(
        "mdav-nc",
        "tfrp-i",
        "tfrp-nc",
        "v-mdav",
        "tfrp",
        "centroid+",
        "diameter+",
        "gsms-t2",
        "dba-2",
    ),
    *("mdav-nn3", "mdav-nc3", "tfrp-nn3", "tfrp-nc3", "gsms-nn3", "mdav + swap-shift"),
)


def one(name: str, index: str) -> float:
    """Return the peak megabytes of this process while it groups."""
    import microagg as ma

    method, _, refine = name.partition(" + ")
    more = {"refine": refine} if refine else {}
    X = np.random.default_rng(0).normal(size=(N, D))
    ma.partition(X[:FEW], K, method, parameters={"index": index}, **more)
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from what is held now
    ma.partition(X, K, method, parameters={"index": index}, **more)
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1000


def measure(name: str, index: str) -> float:
    """Return the peak megabytes of a fresh process; its first run warms the cache of kernels."""
    command = [sys.executable, "-m", "benchmarks.speed.memory", "--one", name, index]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the peak memory of methods.")
    parser.add_argument("--one", nargs=2, help="one method and index, for the table's own use")
    parser.add_argument("--write", action="store_true", help="write the page of what is kept")
    options = parser.parse_args()
    if options.one:
        print(one(*options.one))
        return
    known = {(row["name"], row["index"]): row["peak"] for row in kept(RESULTS)}
    for name in () if options.write else METHODS:
        for index in ("brute", "tree"):
            if (name, index) not in known:
                known[name, index] = measure(name, index)
                keep(RESULTS, {"name": name, "index": index, "peak": known[name, index]})
                print(f"{name}, {index}: {known[name, index]:.0f} MB", flush=True)
    if options.write:
        rows = [
            [f"`{name}`", *(f"{known[name, index]:.0f} MB" for index in ("brute", "tree"))]
            for name in METHODS
            if (name, "brute") in known and (name, "tree") in known
        ]
        write_part("memory", table_of(["method", "scans", "tree"], rows))


if __name__ == "__main__":
    main()
