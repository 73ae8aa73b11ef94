"""`protect_file`: memory, loss, threads and kills on normal records in a Parquet file.

    python -m benchmarks.scale.blocks FOLDER                               10^7 x 10 records, k = 5
    python -m benchmarks.scale.blocks FOLDER --records 1000000 --threads 1,2 --whole --kills 3

Bars: 10,000,000 x 10 records, k=5, in less than 3 GB; at 1,000,000 records, where MDAV can still
group all at once (--whole), a loss within 2 % of its loss; the same bytes for any number of threads, and
when a run is killed and started again (--kills).

Each result is kept in FOLDER/results.jsonl as soon as it is there, and is not measured again: a run that
was ended goes on when it is started again. Linux only.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import microagg as ma
from benchmarks.results import keep, kept
from microagg.partition.search.blocks.blocks import WITHIN

ROWS = 250_000
"""Records of a row group."""

CODE = """
import os, re, sys
from pathlib import Path
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(sys.argv.pop(1))])
from microagg.cli import main
try:
    main()
finally:
    peak = re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1]
    print(int(peak) * 1024, sum(os.times()[:2]), file=sys.stderr)
"""
"""The command line on some processors, and so many threads; then its peak and its processor time."""


def make(path: Path, n: int, d: int) -> None:
    """Write n normal records, never held all at once."""
    schema = pa.schema([(f"x{j}", pa.float64()) for j in range(d)])
    beside = path.with_suffix(".part")
    with pq.ParquetWriter(beside, schema) as writer:
        for part, first in enumerate(range(0, n, ROWS)):
            values = np.random.default_rng([0, part]).normal(size=(d, min(ROWS, n - first)))
            writer.write_table(pa.table(list(values), schema=schema))
    beside.rename(path)


class Runs:
    """Releases of one file, with what is asked for."""

    def __init__(self, path: Path, given: argparse.Namespace) -> None:
        self.path, self.given = path, given
        self.folder = path.with_name(f"release-{path.stem}")

    def start(self, threads: int) -> subprocess.Popen[str]:
        """Start a process that makes the release, or goes on with it."""
        names = ",".join(f"x{j}" for j in range(self.given.columns))
        words = ["protect", str(self.path), "-k", str(self.given.k), "--qi", names, "--json"]
        words += ["-o", str(self.folder), "--memory", self.given.memory, "--quiet"]
        command = [sys.executable, "-c", CODE, str(threads), *words]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def undisturbed(self, threads: int) -> dict[str, Any]:
        """Return what a release needs, what it loses, and its fingerprint."""
        shutil.rmtree(self.folder, ignore_errors=True)
        started = time.perf_counter()
        with self.start(threads) as process:
            out, said = process.communicate()
        if process.returncode:
            raise SystemExit(said)
        peak, processor = said.split()[-2:]
        result = json.loads(out)["result"]
        return {
            "seconds": time.perf_counter() - started,
            "processor": float(processor),
            "peak": int(peak),
            "loss": result["il"],
            "blocks": result["facts"]["blocks"],
            "sha256": self.fingerprint(),
        }

    def killed(self, threads: int, times: int, seconds: float) -> dict[str, Any]:
        """Return the fingerprint of a release that needs so many seconds and is killed some times."""
        shutil.rmtree(self.folder, ignore_errors=True)
        rng = np.random.default_rng()
        for _ in range(times):
            with self.start(threads) as process:
                time.sleep(rng.uniform(0.2, 1) * seconds / (times + 1))
                process.kill()
        with self.start(threads) as process:
            said = process.communicate()[1]
        if process.returncode:
            raise SystemExit(said)
        return {"kills": times, "sha256": self.fingerprint()}

    def whole(self) -> dict[str, Any]:
        """Return the loss of all records at once, by MDAV and by what blocks are grouped by."""
        table = pq.read_table(self.path)
        X = np.stack([column.to_numpy() for column in table.columns], axis=1)
        ways = {"mdav": None, WITHIN: ["swap-shift"]}
        parts = {name: ma.partition(X, self.given.k, name, refine=ways[name]) for name in ways}
        return {name: ma.information_loss(X, part).il for name, part in parts.items()}

    def fingerprint(self) -> str:
        """Return a hash of the data and the groups that were released."""
        found = hashlib.sha256()
        for name in ("release.parquet", "groups.parquet"):
            with (self.folder / name).open("rb") as file:
                found.update(hashlib.file_digest(file, "sha256").digest())
        return found.hexdigest()


def lines(runs: Runs, once: Callable[..., dict[str, Any]]) -> Iterator[str]:
    """Yield what is found, line by line; `once` measures what is not known yet."""
    given = runs.given
    yield f"{given.records:,} x {given.columns}, k={given.k}, --memory {given.memory}"
    first = None
    for threads in map(int, given.threads.split(",")):
        found = once(runs.undisturbed, threads=threads)
        first = first or found
        yield (
            f"threads {threads}: {found['seconds']:.0f} s, {first['seconds'] / found['seconds']:.2f} x; "
            f"processor {found['processor']:.0f} s; peak {found['peak'] / 1e9:.2f} GB; "
            f"{found['blocks']} blocks; loss {found['loss']:.4f} %; "
            f"same bytes: {_yes(found['sha256'] == first['sha256'])}"
        )
    if given.kills:
        again = once(runs.killed, threads=threads, times=given.kills, seconds=found["seconds"])
        same = again["sha256"] == found["sha256"]
        yield f"killed {again['kills']} times and started again: same bytes: {_yes(same)}"
    if given.whole:
        whole = once(runs.whole)
        for name, what in (("mdav", "mdav"), (WITHIN, f"{WITHIN} + swap-shift")):
            times = found["loss"] / whole[name]
            yield f"{what} on all: loss {whole[name]:.4f} %; blocks lose {times:.4f} x as much"


def _yes(true: bool) -> str:
    return "yes" if true else "NO"


def main() -> None:
    """Make the file, protect it and print the numbers."""
    parser = argparse.ArgumentParser(description="Measure releases of a file in pieces.")
    parser.add_argument("folder", type=Path, help="for file and release; 8 GB for 10^7 x 10")
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--threads", default=str(len(os.sched_getaffinity(0))), help="such as 1,2")
    parser.add_argument("--kills", type=int, default=0, help="kill -9 so many times, and go on")
    parser.add_argument("--whole", action="store_true", help="all records at once too")
    given = parser.parse_args()
    results = given.folder / "results.jsonl"
    given.folder.mkdir(parents=True, exist_ok=True)
    path = given.folder / f"normal-{given.records}-{given.columns}.parquet"
    if not path.exists():
        make(path, given.records, given.columns)

    def once(measure: Callable[..., dict[str, Any]], **options: Any) -> dict[str, Any]:
        key = [measure.__name__, path.name, given.k, given.memory, options.get("threads")]
        for result in kept(results):
            if result["key"] == key:
                return result
        keep(results, {"key": key, **measure(**options)})
        return kept(results)[-1]

    for line in lines(Runs(path, given), once):
        print(line, flush=True)


if __name__ == "__main__":
    main()
