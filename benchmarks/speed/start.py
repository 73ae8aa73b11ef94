"""What a short command costs once all kernels are compiled: processor seconds and peak memory.

    python -m benchmarks.speed.start
    python -m benchmarks.speed.start --against ../microagg-0.1 --repeats 7 --write

The cases are `import microagg`, `microagg --help`, and `microagg protect` on 1,000 records of 4 columns
with k = 5, by the default method and by MDAV. Each runs in a process of its own, in turns with the other
checkout. The least of the repeats counts: on a busy machine compare the processor seconds.

The first run of each case, which compiles kernels and bytecode, does not count. The peak includes the
pages of shared libraries that the system maps. Recent versions of Linux map whole folios of the page cache.
These are large where a file has just been written, so a fresh installation shows up to 70 MB more than one
that was read from the disk. `own MB`, the memory that only this process uses, does not depend on that.
1 MB is a million bytes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.page import table_of, write_part

HERE = Path(__file__).parents[2]
COMMAND = "import sys; from microagg.cli import main; sys.argv[0] = 'microagg'; main()"
REPORT = "memory.txt"
WATCH = f"""
def report():
    with open("/proc/self/status") as status, open("{REPORT}", "w") as report:
        report.write(status.read())
import atexit
atexit.register(report)
"""
PROTECT = (
    "protect",
    "people.csv",
    "-k",
    "5",
    "--qi",
    "a,b,c,d",
    "--overwrite",
    "-o",
    "release.csv",
)
CASES = {
    "nothing": ("pass",),
    "import microagg": ("import microagg",),
    "microagg --help": (COMMAND, "--help"),
    "microagg protect": (COMMAND, *PROTECT),
    "microagg protect --method mdav": (COMMAND, *PROTECT, "--method", "mdav"),
}
HEAD = ["command", "checkout", "processor s", "peak MB", "own MB"]


@dataclass(frozen=True)
class Cost:
    """What one process took."""

    seconds: float
    processor: float
    peak: float
    own: float


def cost_of(case: str, checkout: Path, folder: Path) -> Cost:
    """Run a case in a process of its own and return what it took."""
    paths = {
        "PYTHONPATH": os.pathsep.join([str(checkout / "src"), os.environ.get("PYTHONPATH", "")]),
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
        "PYTHONDONTWRITEBYTECODE": "",
    }
    begun = time.perf_counter()
    code, *arguments = CASES[case]
    process = subprocess.Popen(
        [sys.executable, "-c", WATCH + code, *arguments],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **paths},
    )
    _, status, used = os.wait4(process.pid, 0)
    taken = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{case} of {checkout} ended with {process.returncode}")
    memory = (folder / REPORT).read_text().splitlines()
    peak, own = (_megabytes(memory, field) for field in ("VmHWM", "RssAnon"))
    return Cost(taken, used.ru_utime + used.ru_stime, peak, own)


def _megabytes(memory: list[str], field: str) -> float:
    """Return a field of /proc/self/status, which only Linux has."""
    return next(int(line.split()[1]) for line in memory if line.startswith(field)) * 1024 / 1e6


def least(costs: list[Cost]) -> Cost:
    """Return the least of each figure."""
    return Cost(*(min(getattr(cost, name) for cost in costs) for name in vars(costs[0])))


def measure(checkouts: dict[str, Path], repeats: int) -> list[list[str]]:
    """Return the lines of the table: every case for every checkout."""
    rows = []
    with tempfile.TemporaryDirectory() as place:
        folders = {name: Path(place) / name for name in checkouts}
        for folder in folders.values():
            folder.mkdir()
            numbers = np.random.default_rng(0).normal(size=(1000, 4))
            np.savetxt(folder / "people.csv", numbers, delimiter=",", header="a,b,c,d", comments="")
        for case in CASES:
            costs: dict[str, list[Cost]] = {name: [] for name in checkouts}
            for turn in range(repeats + 1):
                for name, path in checkouts.items():
                    cost = cost_of(case, path, folders[name])
                    if turn:  # the first run compiles
                        costs[name].append(cost)
            for name, some in costs.items():
                best = least(some)
                rows.append(
                    [
                        f"`{case}`",
                        name,
                        f"{best.processor:.2f}",
                        f"{best.peak:.0f}",
                        f"{best.own:.0f}",
                    ]
                )
                print(*rows[-1], sep="\t", flush=True)
    return rows


def main() -> None:
    """Measure, and write the table where that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, help="another checkout")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="write the table to the page")
    options = parser.parse_args()
    checkouts = {"this": HERE} | ({"other": options.against.resolve()} if options.against else {})
    rows = measure(checkouts, options.repeats)
    if options.write:
        write_part("start", table_of(HEAD, rows))


if __name__ == "__main__":
    main()
