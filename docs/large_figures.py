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
}
SPLIT = {
    "whole-1000000-1": "`mdav-nc` + `swap-shift` on all records, in memory",
    "plain-1000000-1": "`--memory 2GB`",
    "split-1000000-1": "`--memory 1GB`",
    "blocks-1000000-1": '`method="blocks"`, in memory',
}
"""The runs that the cost of splitting is measured by, the one without splits first."""


def results() -> dict[str, dict[str, Any]]:
    """Return the latest result of each case."""
    lines = RESULTS.read_text(encoding="utf-8").splitlines() if RESULTS.exists() else []
    return {result["case"]: result for result in map(json.loads, lines)}


def page() -> str:
    """Return the page with the latest figures."""
    parts: Mapping[str, Callable[[], str]] = {
        "splitting": splitting,
        "cost": cost,
        "model": model,
        "refused": refused,
    }
    text = (DOCS / "large.md").read_text(encoding="utf-8")
    return BLOCK.sub(lambda block: f"{block[1]}{parts[block[2]]()}\n{block[3]}", text)


def refused() -> str:
    """Return the table of what files larger than memory do not take."""
    rows = [f"| {each.what} | {each.reason} |" for each in REFUSED]
    return "\n".join(["| refused | reason |", "| --- | --- |", *rows])


def splitting() -> str:
    """Return what splitting costs, compared with all records at once."""
    runs = results()
    first = runs.get(next(iter(SPLIT)))
    if first is None:
        return "There are no such runs yet."
    lines = [
        "| run on 1,000,000 records | loss | compared with the first | processor time |",
        "| --- | ---: | ---: | ---: |",
    ]
    for case, words in SPLIT.items():
        if case not in runs:
            continue
        own = runs[case]
        more = 100 * (own["loss"] / first["loss"] - 1)
        lines.append(
            f"| {words} | {own['loss']:.3f} % | {more:+.2f} % | {own['processor']:.0f} s |"
        )
    return "\n".join(lines)


def _processors(case: str) -> str:
    kind, _, count = case.split("-")
    one = "process" if kind == "workers" else "thread"
    return f"{count} {one}{'' if count == '1' else 'es' if kind == 'workers' else 's'}"


def cost() -> str:
    """Return the table of all runs, and what follows from it."""
    runs = {case: own for case, own in results().items() if case.split("-")[0] in KINDS}
    lines = [
        "| run | records | | time | processor time | per record | peak of a process | loss |",
        "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for case, own in sorted(runs.items(), key=lambda item: (int(item[0].split("-")[1]), item[0])):
        kind, n, _ = case.split("-")
        seconds = f"{own['seconds']:.0f} s{'' if own['alone'] else ' *'}"
        lines.append(
            f"| {KINDS[kind]} | {int(n):,} | {_processors(case)} | {seconds} | "
            f"{own['processor']:.0f} s | {1e6 * own['processor'] / int(n):.0f} µs | "
            f"{max(own['peaks']) / 1e9:.2f} GB | {own['loss']:.3f} % |"
        )
    return "\n".join([*lines, "", *comparisons(runs)])


def busiest(run: Mapping[str, Any]) -> float:
    """Return the processor time of the busiest worker of each stage, and that of the client."""
    workers = sum(max(own["by_process"][1:]) for own in run["stages"])
    return float(workers + run["client_processor"])


def comparisons(runs: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return what the runs say of each other, in sentences."""
    lines = []
    if not all(own["alone"] for own in runs.values()):
        lines.append(
            "- Times with an asterisk include waiting, because other work ran on the machine at a lower "
            "priority. Such runs are compared by processor time."
        )
    sizes = {int(case.split("-")[1]) for case in runs if case.startswith("workers")}
    for n in sorted(sizes):
        lines += _of_workers(runs, n)
    numbers = "plain-1000000-1"
    if numbers in runs and "plain-10000000-1" in runs:
        change = 100 * (runs["plain-10000000-1"]["processor"] / runs[numbers]["processor"] / 10 - 1)
        lines.append(
            "- From 1,000,000 to 10,000,000 records, the processor time per record "
            f"{'fell' if change < 0 else 'rose'} by {abs(change):.0f} %."
        )
    if numbers in runs and "mixed-1000000-1" in runs:
        times = runs["mixed-1000000-1"]["processor"] / runs[numbers]["processor"]
        lines.append(f"- Mixed columns took {times:.1f} times the processor time of numbers.")
    return lines


def _of_workers(runs: Mapping[str, Mapping[str, Any]], n: int) -> list[str]:
    one, two, plain = (runs.get(f"{what}") for what in (
        f"workers-{n}-1", f"workers-{n}-2", f"plain-{n}-1"
    ))  # fmt: skip
    lines = []
    same = "the same bytes"
    if one and two:
        quiet = one["alone"] and two["alone"]
        times = one["seconds"] / two["seconds"] if quiet else busiest(one) / busiest(two)
        what = (
            "Two workers were"
            if quiet
            else "By the processor time of the client and of the busiest worker of each stage, two "
            "workers are"
        )
        assert one["sha256"] == two["sha256"]
        lines.append(
            f"- {what} {times:.2f} times as fast as one on {n:,} records, and wrote {same}. Starting the "
            f"workers took {two['starting']:.0f} s, which is not part of these times."
        )
    if one and plain:
        quiet = one["alone"] and plain["alone"]
        key = "seconds" if quiet else "processor"
        more = round(100 * (one[key] / plain[key] - 1))
        what = "time" if quiet else "processor time"
        compared = (
            f"{abs(more)} % {'less' if more < 0 else 'more'} {what} than"
            if more
            else f"as much {what} as"
        )
        assert one["sha256"] == plain["sha256"]
        lines.append(
            f"- One worker and its client took {compared} one process with one thread on {n:,} "
            f"records{_noted(one)}, and wrote {same}."
        )
    return lines


def _noted(run: Mapping[str, Any]) -> str:
    return f" ({run['note']})" if "note" in run else ""


def _model_run() -> tuple[str, dict[str, Any]]:
    """Return the run that the model is made from: the largest one on workers."""
    found = {case: own for case, own in results().items() if case.startswith("workers")}
    case = max(found, key=lambda case: [int(part) for part in case.split("-")[:0:-1]])
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
    busy = sum(sum(own["by_process"][1:]) for own in run["stages"])
    balance = busy / (workers * sum(max(own["by_process"][1:]) for own in run["stages"]))
    between = run["seconds"] - sum(own["seconds"] for own in run["stages"])
    parallel, serial = busy * times / WORKERS / balance, between * times
    client = run["client_processor"] * times
    bytes_moved = (totals["read"] + totals["written"]) * times
    sizes, gigabytes = _sizes(RECORDS)
    seconds = max(parallel + serial, client)
    index = f"{sizes.index(RECORDS) / 1e6:,.0f} MB"
    return [
        f"**Measured** on {n:,} records with {workers} workers: the table above. There were {between:.1f} "
        f"s between the stages, in which no task ran. The client, which contains the scheduler here, used "
        f"{run['client_processor']:.1f} s of processor time. The balance of the work was "
        f"{100 * balance:.0f} %: the mean processor time of the workers divided by that of the busiest "
        "one, over all stages.",
        "",
        f"**Extrapolated** to {RECORDS:,} records with {COLUMNS} columns on {WORKERS} workers, if "
        "all figures grow in proportion to the number of records:",
        "",
        f"- There are about {totals['tasks'] * times:,.0f} tasks.",
        f"- The workers take {busy * times / 3600:,.0f} hours of processor time, which is "
        f"{parallel / 60:,.0f} minutes on {WORKERS} workers with the same balance.",
        f"- The time between the stages is {serial / 60:,.0f} minutes, which more workers do not reduce.",
        f"- Client and scheduler take {client / 60:,.0f} minutes of processor time while the tasks run. "
        f"{_limit(client, parallel + serial)}",
        f"- The run takes about {seconds / 60:,.0f} minutes.",
        f"- The tasks read and write {bytes_moved / 1e12:,.1f} TB, which is "
        f"{bytes_moved / seconds / 1e9:,.1f} GB/s. Slower storage makes the run longer.",
        f"- `--memory {gigabytes}GB` is enough: the positions of all blocks in all pieces take {index}.",
        "",
        "No run of this size has been measured. The model assumes that storage and network do not become "
        f"slower with {WORKERS} workers, that the balance stays the same, and that all records are alike.",
    ]


def _limit(client: float, others: float) -> str:
    if client <= others:
        return "That is less than the duration of the run, so they do not slow it down."
    return "That is longer than everything else, so it limits the run."
