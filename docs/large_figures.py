"""The figures of docs/large.md, written from benchmarks/scale/cluster.jsonl and from the code."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from microagg.errors import ParameterError
from microagg.large.memory import Sizes, budget
from microagg.large.refused import REFUSED

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "benchmarks" / "scale" / "cluster.jsonl"
BLOCK = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end of figures -->)", re.DOTALL)

RECORDS, WORKERS, COLUMNS = 10**9, 100, 10
"""What the model predicts."""

STAGES = {
    "survey_split": "surveying",
    "route_split": "routing",
    "group_one": "grouping",
    "repair_one": "repair",
    "release_one": "replacing values",
    "write_file": "writing",
    "hash_file": "reading the release",
    "count_bins": "counting",
}
KINDS = {
    "plain": "one process",
    "workers": "workers",
    "mixed": "one process, mixed columns",
    "whole": "all records at once, in memory",
}


def results() -> dict[str, dict[str, Any]]:
    """Return the latest result of each case."""
    lines = RESULTS.read_text(encoding="utf-8").splitlines() if RESULTS.exists() else []
    return {result["case"]: result for result in map(json.loads, lines)}


def page() -> str:
    """Return the page with the latest figures."""
    parts: Mapping[str, Callable[[], str]] = {
        "cost": cost,
        "model": model,
        "refused": refused,
        "splitting": splitting,
    }
    text = (DOCS / "large.md").read_text(encoding="utf-8")
    return BLOCK.sub(lambda block: f"{block[1]}{parts[block[2]]()}\n{block[3]}", text)


def refused() -> str:
    """Return the table of what files larger than memory do not take."""
    rows = [f"| {each.what} | {each.reason} |" for each in REFUSED]
    return "\n".join(["| refused | reason |", "| --- | --- |", *rows])


def _processors(case: str) -> str:
    kind, _, count = case.split("-")
    one = "process" if kind == "workers" else "thread"
    return f"{count} {one}{'' if count == '1' else 'es' if kind == 'workers' else 's'}"


def cost() -> str:
    """Return the table of all runs, and what follows from it."""
    runs = {case: own for case, own in results().items() if not case.startswith("whole")}
    lines = [
        "| run | records | | time | processor time | per record | peak of a process | loss |",
        "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for case, own in sorted(runs.items(), key=lambda item: (int(item[0].split("-")[1]), item[0])):
        kind, n, _ = case.split("-")
        lines.append(
            f"| {KINDS[kind]} | {int(n):,} | {_processors(case)} | {own['seconds']:.0f} s | "
            f"{own['processor']:.0f} s | {1e6 * own['processor'] / int(n):.0f} µs | "
            f"{max(own['peaks']) / 1e9:.2f} GB | {own['loss']:.3f} % |"
        )
    return "\n".join([*lines, "", *comparisons(runs)])


def comparisons(runs: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return what the runs say of each other, in sentences."""
    lines = []

    def both(one: str, other: str) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
        return (runs[one], runs[other]) if one in runs and other in runs else None

    if pair := both("workers-5000000-1", "workers-5000000-2"):
        times = pair[0]["seconds"] / pair[1]["seconds"]
        same = "the same" if pair[0]["sha256"] == pair[1]["sha256"] else "DIFFERENT"
        lines.append(
            f"- Two workers took 1/{times:.2f} of the time of one, and wrote {same} bytes."
        )
    if pair := both("plain-5000000-1", "workers-5000000-1"):
        wall, processor = (
            100 * (pair[1][what] / pair[0][what] - 1) for what in ("seconds", "processor")
        )
        same = "the same" if pair[0]["sha256"] == pair[1]["sha256"] else "DIFFERENT"
        lines.append(
            f"- One worker took {wall:+.0f} % time and {processor:+.0f} % processor time, compared "
            f"with one process of one thread, and wrote {same} bytes."
        )
    if pair := both("plain-1000000-2", "plain-10000000-2"):
        change = 100 * (pair[1]["processor"] / pair[0]["processor"] / 10 - 1)
        wall = 100 * (pair[1]["seconds"] / pair[0]["seconds"] / 10 - 1)
        lines.append(
            f"- From 1,000,000 to 10,000,000 records, the processor time per record changed by "
            f"{change:+.0f} %, and the time per record by {wall:+.0f} %."
        )
    if pair := both("plain-1000000-2", "mixed-1000000-2"):
        times = pair[1]["processor"] / pair[0]["processor"]
        lines.append(f"- Mixed columns took {times:.1f} times the processor time of numbers.")
    loads = max((own["load"] for own in runs.values()), default=0.0)
    lines.append(f"- The load average of the machine was at most {loads:.1f} when a run began.")
    return lines


def splitting() -> str:
    """Return what grouping in blocks loses, compared with all records at once."""
    found = results()
    lines = [
        "| records | in blocks | number of blocks | all at once | difference |",
        "| ---: | ---: | ---: | ---: | ---: |",
    ]
    for case, own in found.items():
        kind, n, _ = case.split("-")
        plain = found.get(f"plain-{n}-2")
        if kind == "whole" and plain is not None:
            more = 100 * (plain["loss"] / own["loss"] - 1)
            lines.append(
                f"| {int(n):,} | {plain['loss']:.3f} % | {plain['blocks']} | {own['loss']:.3f} % | "
                f"{more:+.1f} % |"
            )
    return "\n".join(lines)


def _model_run() -> tuple[str, dict[str, Any]]:
    """Return the run that the model is made from: the largest one on workers."""
    found = {case: own for case, own in results().items() if case.startswith("workers")}
    case = max(found, key=lambda case: [int(part) for part in case.split("-")[1:]])
    return case, found[case]


def _sizes(n: int) -> tuple[Sizes, int]:
    """Return the sizes for so many records, and the memory in GB that they need, from 2 GB on."""
    for gigabytes in range(2, 65):
        try:
            return budget(gigabytes * 10**9, COLUMNS, n=n), gigabytes
        except ParameterError:
            continue
    raise ValueError("No memory up to 64 GB is enough.")


def model() -> str:
    """Return the stages of one run, and what they predict for many records and workers."""
    if not any(case.startswith("workers") for case in results()):
        return "There is no run on workers yet."
    case, run = _model_run()
    n = int(case.split("-")[1])
    lines = [
        "| stage | tasks | processor time | read | written |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    totals = dict.fromkeys(("tasks", "processor", "read", "written"), 0.0)
    for own in run["stages"]:
        lines.append(
            f"| {STAGES.get(own['stage'], own['stage'])} | {own['tasks']} | "
            f"{1e6 * own['processor'] / n:.1f} µs | {own['read'] / n:.0f} B | {own['written'] / n:.0f} B |"
        )
        for what in totals:
            totals[what] += own[what]
    lines.append(
        f"| together | {totals['tasks']:.0f} | {1e6 * totals['processor'] / n:.1f} µs | "
        f"{totals['read'] / n:.0f} B | {totals['written'] / n:.0f} B |"
    )
    return "\n".join([*lines, "", *prediction(case, run, totals, n)])


def prediction(case: str, run: Mapping[str, Any], totals: Mapping[str, float], n: int) -> list[str]:
    """Return the model in words: what was measured, and what is extrapolated from it."""
    times, workers = RECORDS / n, int(case.split("-")[2])
    busy = totals["processor"] - run["client_processor"]
    efficiency = busy / (workers * sum(own["seconds"] for own in run["stages"]))
    parallel = busy * times / WORKERS / efficiency
    serial = run["client_processor"] * times
    bytes_moved = (totals["read"] + totals["written"]) * times
    sizes, gigabytes = _sizes(RECORDS)
    seconds = parallel + serial
    index = f"{sizes.index(RECORDS) / 1e6:,.0f} MB"
    return [
        f"**Measured**, per record where it says so, on {n:,} records with {workers} workers: the table "
        f"above; {run['client_processor']:.0f} s of processor time of the client; and a share of "
        f"{100 * efficiency:.0f} % of their time in which the workers were busy.",
        "",
        f"**Extrapolated** to {RECORDS:,} records with {COLUMNS} columns on {WORKERS} workers:",
        "",
        f"- Tasks grow with the records, to about {totals['tasks'] * times:,.0f}.",
        f"- The workers take {busy * times / 3600:,.0f} hours of processor time, which is "
        f"{parallel / 60:,.0f} minutes on {WORKERS} workers that are as busy as these.",
        f"- The client takes {serial / 60:,.0f} minutes, if its time grows with the records. It does not "
        "shrink with more workers.",
        f"- Together that is about {seconds / 60:,.0f} minutes.",
        f"- Storage is read and written for {bytes_moved / 1e12:,.1f} TB, which is "
        f"{bytes_moved / seconds / 1e9:,.1f} GB/s. Slower storage makes the run longer.",
        f"- `--memory {gigabytes}GB` is enough: the positions of all blocks in all pieces take {index}.",
        "",
        "Nobody has run this size. The model assumes that storage and scheduler do not become slower with "
        f"{WORKERS} workers, and that the records are alike.",
    ]
