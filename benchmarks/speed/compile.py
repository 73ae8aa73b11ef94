"""What compiling costs on first use: functions, seconds and the size of the cache, for each method.

    python -m benchmarks.speed.compile protect compare mdav lns
    python -m benchmarks.speed.compile protect compare --against ../microagg-0.1 --write

Each case runs in a fresh process with an empty cache. With `--against` it also runs with the package of
another checkout, in turns. Processor seconds are of the whole process, so that a busy machine matters less;
the best of the repeats counts. `--functions` lists what was compiled in each case, slowest first.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.page import table_of, write_part

HERE = Path(__file__).parents[2]

_CASE = """
import json, resource, sys, time
begun = time.perf_counter()
import numpy as np
import pyarrow as pa
import microagg as ma
from numba.core import event

class Compiled(event.Listener):
    def __init__(self):
        self.functions, self.open = [], []

    def on_start(self, event):
        self.open.append([time.perf_counter(), 0.0])

    def on_end(self, event):
        start, inner = self.open.pop()
        spent = time.perf_counter() - start
        if self.open:
            self.open[-1][1] += spent
        function = event.data["dispatcher"].py_func
        self.functions.append([f"{function.__module__}.{function.__name__}", spent - inner])

compiled = Compiled()
event.register("numba:compile", compiled)
case = sys.argv[1]
X = np.random.default_rng(0).normal(size=(1000, 4))
table = pa.table({name: X[:, j] for j, name in enumerate("abcd")})
if case == "protect":
    ma.protect(table, 5, quasi_identifiers=list("abcd"))
elif case == "compare":
    methods = ["mdav", "v-mdav", "tfrp", "cbfs-nc3"]
    ma.compare(table, k=5, quasi_identifiers=list("abcd"), methods=methods)
elif case.startswith("mixed"):
    X = np.random.default_rng(0).normal(size=(4000, 4)) if case == "mixed-refined" else X
    letters = np.array(list("uvwxyz"))[np.digitize(X[:, 2:], [-1.5, -0.5, 0.0, 0.5, 1.5])]
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "c": letters[:, 0], "d": letters[:, 1]})
    ma.protect(table, 5, quasi_identifiers=list("abcd"))
else:
    ma.partition(X, 5, case)
used = resource.getrusage(resource.RUSAGE_SELF)
others = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({
    "functions": compiled.functions,
    "seconds": time.perf_counter() - begun,
    "processor": used.ru_utime + used.ru_stime + others.ru_utime + others.ru_stime,
    "memory": used.ru_maxrss * 1024 / 1e6,
}))
"""


def measure(case: str, checkout: Path) -> dict[str, Any]:
    """Return what a case costs from an empty cache, and what it costs once all is compiled."""
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = (_run(case, checkout, cache) for _ in range(2))
        size = sum(file.stat().st_size for file in Path(cache).rglob("*") if file.is_file())
    return {**cold, "cache": size / 1e6, "warm": warm["seconds"], "memory": warm["memory"]}


def _run(case: str, checkout: Path, cache: str) -> dict[str, Any]:
    paths = {"PYTHONPATH": str(checkout / "src"), "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _CASE, case],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **paths},
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def best(runs: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the run of the fewest processor seconds, with the least seconds of any."""
    runs = list(runs)
    fastest = min(runs, key=lambda run: float(run["processor"]))
    return {**fastest, **{key: min(run[key] for run in runs) for key in ("seconds", "warm")}}


def rows_of(case: str, name: str, run: dict[str, Any]) -> list[str]:
    """Return a line of the table."""
    return [
        case,
        name,
        str(len(run["functions"])),
        f"{run['seconds']:.1f}",
        f"{run['processor']:.1f}",
        f"{run['cache']:.2f}",
        f"{run['warm']:.2f}",
        f"{run['memory']:.0f}",
    ]


HEAD = [
    "case",
    "checkout",
    "functions",
    "seconds",
    "processor s",
    "cache MB",
    "warm s",
    "warm peak MB",
]


def main() -> None:
    """Measure the cases given, and write the table where that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "cases", nargs="+", help="protect, compare, mixed, mixed-refined, or a method"
    )
    parser.add_argument("--against", type=Path, help="another checkout")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--functions", action="store_true", help="list what is compiled")
    parser.add_argument("--write", action="store_true", help="write the table to the page")
    options = parser.parse_args()
    checkouts = {"this": HERE} | ({"other": options.against} if options.against else {})
    rows = []
    for case in options.cases:
        runs: dict[str, list[dict[str, Any]]] = {name: [] for name in checkouts}
        for _ in range(options.repeats):
            for name, path in checkouts.items():
                runs[name].append(measure(case, path.resolve()))
        for name, some in runs.items():
            rows.append(rows_of(case, name, best(some)))
            print(*rows[-1], sep="\t", flush=True)
            if options.functions:
                for function, spent in sorted(some[0]["functions"], key=lambda each: -each[1]):
                    print(f"    {spent:6.3f}  {function}")
    if options.write:
        write_part("compile", table_of(HEAD, rows))


if __name__ == "__main__":
    main()
