"""One thread, several threads, and another checkout in one thread, side by side on the same records.

    python -m benchmarks.speed.threads
    python -m benchmarks.speed.threads --against ../microagg-0.1 --repeats 5 --write
    python -m benchmarks.speed.threads --methods mdav --most 100000

Each contender has a process of its own, which compiles first. Then all group the same normal records in
turns. "threads" is the ratio of the least elapsed seconds of one thread and of several, which needs a
computer that does nothing else. "one core" is the ratio of the least processor seconds of the other
checkout and of this one, both in one thread. `labels` says whether all made the same groups.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.page import table_of, write_part
from benchmarks.speed.steady import HERE, Case, Checkout
from microagg.threads import workers

HEAD = ["method", "records", "k", "one thread s", "threads", "one core", "labels"]
CASES = (
    *(Case("mdav", n, 10, k=5) for n in (50_000, 100_000, 1_000_000)),
    *(Case("mdav", 100_000, d, k=5) for d in (20, 50)),
    *(Case("mdav", n, 10, k=k) for k in (10, 30) for n in (10_000, 31_623, 100_000)),
    *(Case("mdav", 100_000, 20, k=k) for k in (10, 30)),
    *(Case(name, 50_000, 10) for name in ("mdav-nc", "cbfs-nn", "cbfs-nc", "tfrp-i", "tfrp-nc")),
    *(Case(name, 50_000, 10) for name in ("v-mdav", "iamat", "dba-1", "gsms")),
)


def compare(case: Case, contenders: dict[str, Checkout], repeats: int) -> list[str]:
    """Return a line of the table."""
    labels = {checkout.run(case)["labels"] for checkout in contenders.values()}  # compiles
    elapsed, spent = (
        dict.fromkeys(contenders, float("inf")),
        dict.fromkeys(contenders, float("inf")),
    )
    for _ in range(repeats):
        for name, checkout in contenders.items():
            result = checkout.run(case)
            elapsed[name] = min(elapsed[name], float(result["elapsed"]))
            spent[name] = min(spent[name], float(result["seconds"]))
    return [
        f"`{case.method}`",
        f"{case.n:,} x {case.d}",
        str(case.k),
        f"{elapsed['one']:.3f}",
        f"{elapsed['one'] / elapsed['several']:.2f} x",
        f"{spent['other'] / spent['one']:.2f} x" if "other" in spent else "-",
        "same" if len(labels) == 1 else "OTHER",
    ]


def main() -> None:
    """Measure the methods, and write the table where that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, help="another checkout")
    parser.add_argument("--methods", default="", help="only these, separated by commas")
    parser.add_argument("--most", type=int, default=1_000_000, help="only up to so many records")
    parser.add_argument("--threads", type=int, default=workers(), help="how many threads")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="write the table to the page")
    options = parser.parse_args()
    wanted = set(filter(None, options.methods.split(",")))
    contenders = {"one": Checkout(HERE), "several": Checkout(HERE, options.threads)}
    if options.against:
        contenders["other"] = Checkout(options.against.resolve())
    rows = []
    for case in CASES:
        if case.n <= options.most and (not wanted or case.method in wanted):
            rows.append(compare(case, contenders, options.repeats))
            print(*rows[-1], sep="\t", flush=True)
    for checkout in contenders.values():
        checkout.close()
    if options.write:
        write_part("threads", table_of(HEAD, rows))


if __name__ == "__main__":
    main()
