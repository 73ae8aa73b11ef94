"""Mixed records: the loss of `auto`, a proven lower bound and the gap, the table of docs/records.md.

MICROAGG_DATA=... python -m benchmarks.quality.mixed_bounds [--seconds 60] [--write]

2,000 random complete records of Adult and of the NIST ACS file, eight mixed quasi-identifiers each, k = 5
and 10. The time limit is one of the clock; the table names the seconds of processor that were used.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import microagg as ma
from benchmarks.page import write_part
from benchmarks.quality.mixed_auto import PAGE, data_sets

RECORDS = 2000
HEAD = "| data | k | loss of `auto` | lower bound | gap | proved by | processor time |"


def rows(seconds: float) -> Iterator[str]:
    """Measure and yield the rows of the table."""
    for name, data, options, _ in data_sets():
        if name.startswith("sdcMicro"):
            continue
        keys = options["quasi_identifiers"]
        records = data[keys].dropna().sample(RECORDS, random_state=0).reset_index(drop=True)
        described = {each: options[each] for each in ("kinds", "orders") if each in options}
        for k in (5, 10):
            release = ma.protect(records, k, quasi_identifiers=keys, **described)
            start = time.process_time()
            bound = ma.lower_bound(
                records, k, groups=release.partition, time_limit=seconds, **described
            )
            used = time.process_time() - start
            assert bound.gap is not None
            assert bound.il <= release.measures["il"]
            figures = f"{release.measures['il']:.2f} % | {bound.il:.2f} % | {100 * bound.gap:.0f} %"
            yield f"| {name} | {k} | {figures} | {bound.proved_by} | {used:.0f} s |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--write", action="store_true", help="put the table into docs/records.md")
    options = parser.parse_args()
    lines = [HEAD, "| --- |" + " ---: |" * 4 + " --- | ---: |"]
    for row in rows(options.seconds):
        print(row, flush=True)
        lines.append(row)
    if options.write:
        write_part("mixed bounds", lines, PAGE)


if __name__ == "__main__":
    main()
