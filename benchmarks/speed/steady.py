"""Steady speed of every method beside another checkout: processor seconds once all kernels are compiled.

    python -m benchmarks.speed.steady ../microagg-0.1
    python -m benchmarks.speed.steady ../microagg-0.1 --methods mdav,lns --repeats 15 --write

Each checkout has a process of its own, which compiles first. Then both group the same records in turns, and
the least processor seconds of each count, so that a busy moment hits both. Methods that search take a fixed
number of steps. A ratio above 1.03 is more than the noise of a quiet machine; `labels` says whether
both made the same groups.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.page import table_of, write_part

HERE = Path(__file__).parents[2]
HEAD = ["method", "records", "other s", "this s", "ratio", "labels"]


@dataclass(frozen=True)
class Case:
    """A method on normal records; `more` are its parameters, `refine` what follows it.

    `data` is a file of records, float64[n, d], that are grouped instead; "" for none.
    """

    method: str
    n: int
    d: int = 4
    more: dict[str, Any] = field(default_factory=dict)
    refine: str | None = None
    k: int = 5
    data: str = ""

    @property
    def name(self) -> str:
        """What the table calls it."""
        index = f" ({self.more['index']})" if "index" in self.more else ""
        return self.method + index + (f" + {self.refine}" if self.refine else "")


TREE, SCAN = {"index": "tree"}, {"index": "brute"}
FIXED = ("cbfs-nc", "cbfs-nn", "dba-1", "dbfs-nc", "gsms", "iamat", "md", "mdav", "mdav-nc")
FIXED = (*FIXED, "ip-style", "tfrp-i", "tfrp-nc", "v-mdav")
LINE = (
    "fixed-1d",
    "gap-width",
    "hanani",
    "k-ward-1d",
    "kwd",
    "kwdr",
    "kwr",
    "moving-average",
    "optimal-1d",
)
PATH = ("cbfs-mhm", "hilbert-mhm", "md-mhm", "mdav-mhm", "npn-mhm", "tsp-mhm")
CASES = (
    *(Case(name, 20_000, more=TREE) for name in FIXED),
    *(Case(name, 8_000, more=SCAN) for name in FIXED),
    *(
        Case("mdav", 4_000, more=SCAN, refine=r)
        for r in ("decompose", "decompose-2018", "decompose-shrink")
    ),
    Case("mdav", 4_000, more=SCAN, refine="swap-shift"),
    *(Case(name, 20_000) for name in LINE),
    Case("genetic-1d", 1_000),
    *(Case(name, 5_000) for name in PATH),
    Case("imhm", 500),
    *(Case(name, 3_000) for name in ("k-ward", "m-d", "mu-approx")),
    Case("genetic", 300, more={"max_iterations": 100}),
    Case("omma", 200, more={"max_iterations": 5}),
    Case("lns", 1_000, more={"max_iterations": 100_000, "threads": 1}),
    Case("blocks", 20_000, more={"block_size": 5_000}),
)

_WORKER = """
import hashlib, json, sys, time
import numpy as np
import microagg as ma

def group(case):
    X = np.random.default_rng(0).normal(size=(case["n"], case["d"]))
    X = np.load(case["data"]) if case["data"] else X
    more = {"refine": case["refine"]} if case["refine"] else {}
    try:
        return ma.partition(X, case["k"], case["method"], parameters=case["more"], **more)
    except TypeError:
        return ma.partition(X, case["k"], case["method"], **case["more"], **more)
    except ma.MicroaggError:
        return ma.partition(X, case["k"], case["method"], **case["more"], **more)

for line in sys.stdin:
    case = json.loads(line)
    begun, clock = time.process_time(), time.perf_counter()
    part = group(case)
    spent, elapsed = time.process_time() - begun, time.perf_counter() - clock
    digest = hashlib.sha256(np.ascontiguousarray(part.labels, dtype=np.int64)).hexdigest()
    print(json.dumps({"seconds": spent, "elapsed": elapsed, "labels": digest}), flush=True)
"""


class Checkout:
    """A process that groups with the package of one checkout, in so many threads."""

    def __init__(self, path: Path, threads: int = 1) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", _WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "PYTHONPATH": str(path / "src"),
                "MICROAGG_THREADS": str(threads),
            },
        )

    def run(self, case: Case) -> dict[str, Any]:
        """Return the processor and the elapsed seconds of one call, and the digest of its labels."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(vars(case)) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{case.name} ended the process")
        result: dict[str, Any] = json.loads(answer)
        return result

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def compare(case: Case, checkouts: dict[str, Checkout], repeats: int) -> list[str]:
    """Return a line of the table."""
    first = {name: checkout.run(case) for name, checkout in checkouts.items()}  # compiles
    least = dict.fromkeys(checkouts, float("inf"))
    for _ in range(repeats):
        for name, checkout in checkouts.items():
            least[name] = min(least[name], float(checkout.run(case)["seconds"]))
    same = len({result["labels"] for result in first.values()}) == 1
    return [
        f"`{case.name}`",
        f"{case.n:,}",
        f"{least['other']:.4f}",
        f"{least['this']:.4f}",
        f"{least['this'] / least['other']:.2f}",
        "same" if same else "other",
    ]


def main() -> None:
    """Measure the methods, and write the table where that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, help="another checkout")
    parser.add_argument("--methods", default="", help="only these, separated by commas")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--write", action="store_true", help="write the table to the page")
    options = parser.parse_args()
    wanted = set(filter(None, options.methods.split(",")))
    checkouts = {"other": Checkout(options.other.resolve()), "this": Checkout(HERE)}
    rows = []
    for case in CASES:
        if not wanted or case.method in wanted:
            rows.append(compare(case, checkouts, options.repeats))
            print(*rows[-1], sep="\t", flush=True)
    for checkout in checkouts.values():
        checkout.close()
    if options.write:
        write_part("steady", table_of(HEAD, rows))


if __name__ == "__main__":
    main()
