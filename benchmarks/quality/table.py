"""The table of quality: losses of `lns` and `best`, bounds and gaps, beside the best published.

    export MICROAGG_DATA=...
    python -m benchmarks.quality.table                      every cell: 13 hours of two cores
    python -m benchmarks.quality.table --minutes 9          goes on where it stopped; 9 minutes of it
    python -m benchmarks.quality.table --cells tarragona:4,eia --methods lns:1,best --seeds 3
    python -m benchmarks.quality.table --write              writes docs/quality.md and the labels

Each run is a process of its own, pinned to its own processors; as many run at once as there are
processors for. A finished run is one line of JSON in the file of results, and is not done again. The
files of several machines are put together by naming all of them (--results a.jsonl b.jsonl); the first
is written to. Once the page is written, the best groups are files of their own, and the results hold
labels no more. Linux only, where processes can be pinned.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable
from pathlib import Path

from benchmarks.quality.check_labels import LABELS, stated
from benchmarks.quality.gaps import draw, earlier_gaps, gaps_of
from benchmarks.quality.page import write_page
from benchmarks.quality.runs import (
    DATA,
    SIZES,
    Run,
    keep_without_labels,
    planned,
    read_results,
)
from benchmarks.results import keep

METHODS = "mdav,best,lns:60,lns:10,lns:1,bound:600"

RESULTS = Path(__file__).with_name("results.jsonl")
"""Where finished runs are kept."""

OVERHEAD = 30.0
"""Seconds beside its limit that a run may need: start, compiled code, the last step."""


def main() -> None:
    """Do what is left of the runs, or write the page."""
    options = _options()
    if options.write:
        results = read_results(options.results)
        write_page(results)
        draw(earlier_gaps(), gaps_of(results, stated(LABELS)))
        keep_without_labels(options.results[0], results)
        return
    done = {result.run for result in read_results(options.results)}
    runs = planned(_cells(options.cells), options.methods.split(","), options.seeds, options.best)
    left = deque(run for run in runs if run not in done)
    until = time.monotonic() + 60 * options.minutes
    print(f"{len(runs) - len(left)} of {len(runs)} runs are done.", flush=True)
    work = Work(left, until, options.results[0])
    threads = [
        threading.Thread(target=work.go_on, args=(cores,)) for cores in _shares(options.cores)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{len(work.left)} runs are left.", flush=True)
    sys.exit(1 if work.failed else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure losses, bounds and gaps.")
    parser.add_argument("--results", type=Path, nargs="+", default=[RESULTS])
    parser.add_argument("--cells", default=",".join(DATA), help="DATA or DATA:K, with commas")
    parser.add_argument("--methods", default=METHODS, help="METHOD or METHOD:SECONDS, with commas")
    parser.add_argument("--seeds", type=int, default=10, help="seeds of lns")
    parser.add_argument("--best", type=int, default=3, help="seeds of best")
    parser.add_argument("--cores", type=int, default=2, help="processors of each run")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="when to stop")
    parser.add_argument("--write", action="store_true", help="write the page and the labels")
    return parser.parse_args()


def _cells(text: str) -> Iterable[tuple[str, int]]:
    for cell in text.split(","):
        data, _, k = cell.partition(":")
        yield from ((data, size) for size in ((int(k),) if k else SIZES))


def _shares(cores: int) -> list[set[int]]:
    """Deal the processors of this process into shares for runs at the same time."""
    own = sorted(os.sched_getaffinity(0))
    shares = [set(own[at : at + cores]) for at in range(0, len(own) - cores + 1, cores)]
    return shares or [set(own)]


class Work:
    """Runs that are left, taken one by one by as many threads as may run at once."""

    def __init__(self, left: deque[Run], until: float, results: Path) -> None:
        self.left, self._until, self._results = left, until, results
        self._lock = threading.Lock()
        self.failed = 0

    def go_on(self, cores: set[int]) -> None:
        """Do runs on some processors while there is time for one."""
        os.sched_setaffinity(0, cores)  # of this thread, and so of the processes it starts
        while (run := self._next()) is not None:
            command = [sys.executable, "-m", "benchmarks.quality.runs"]
            words = [str(word) for word in (run.data, run.k, run.method, run.seconds, run.seed)]
            ended = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
            self._keep(run, ended)

    def _next(self) -> Run | None:
        """Take the first run that there is time for."""
        with self._lock:
            seconds = self._until - time.monotonic() - OVERHEAD
            for run in self.left:
                if run.seconds <= seconds:
                    self.left.remove(run)
                    return run
        return None

    def _keep(self, run: Run, ended: subprocess.CompletedProcess[str]) -> None:
        with self._lock:
            if ended.returncode != 0:
                self.failed += 1
                print(f"{run} failed:\n{ended.stderr}", file=sys.stderr, flush=True)
                return
            keep(self._results, json.loads(ended.stdout))
            print(f"{run.data} {run.k} {run.method} {run.seconds:g} s seed {run.seed}", flush=True)


if __name__ == "__main__":
    main()
