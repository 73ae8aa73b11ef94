"""`protect_file` in one process and on workers: time, processor time, bytes and tasks of each stage.

    python -m benchmarks.scale.cluster FOLDER --run 0.2 --alone        every case without a result of it
    python -m benchmarks.scale.cluster FOLDER --run 0.2 --step mixed   the cases of one step, likewise
    python -m benchmarks.scale.cluster FOLDER plain-1000000-1          some cases, measured anew
    python -m benchmarks.scale.cluster FOLDER --run test --share 0.04 --results test.jsonl    a rehearsal

A run that was ended goes on with the next case when the same command is started again. At the end, it
prints what was measured beside the bars. A step is what one bar needs: `workers`, `mixed`, `records` or
`loss`.

A case is a kind of run, a number of records and a number of processors: `plain` is one process with as many
threads, `workers` is what `--workers` starts, with each worker bound to one processor, and `mixed` is
`plain` on six columns of numbers and four of categories. `split` is `plain` with 1 GB, which needs smaller
blocks. The input is a folder of Parquet files with
250,000 records each, k = 5 and 2 GB a process. `whole` groups all records at once in memory, by the same
two steps as blocks, and `blocks` groups them in memory, in blocks of the default size.

A case uses only the processors that the command is bound to, and so does the client of the workers: bound
to one processor each, two cases can run side by side. `--alone` records that nothing else ran on these
processors, so that times count. Results are appended to benchmarks/scale/cluster.jsonl, from which `make
docs` writes the tables of docs/large.md. Linux only; up to 1 GB of disk per million records.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.results import keep, kept

RESULTS = Path(__file__).with_name("cluster.jsonl")
ROWS, COLUMNS, K, MEMORY, LITTLE = 250_000, 10, 5, "2GB", "1GB"
CATEGORIES = {"c0": 2, "c1": 5, "c2": 12, "c3": 40}
STEPS = {
    "loss": ("whole-1000000-1", "plain-1000000-1", "split-1000000-1", "blocks-1000000-1"),
    "mixed": ("plain-1000000-1", "mixed-1000000-1"),
    "workers": ("plain-5000000-1", "workers-5000000-1", "workers-5000000-2"),
    "records": ("plain-1000000-1", "plain-10000000-1"),
}
"""The cases of each step."""


def cases_of(steps: Sequence[str], share: float) -> list[str]:
    """Return the cases of some steps, each once, with a share of their records."""
    cases = []
    for case in dict.fromkeys(case for step in steps for case in STEPS[step]):
        kind, n, processors = case.split("-")
        cases.append(f"{kind}-{round(int(n) * share)}-{processors}")
    return cases


def names_of(kind: str) -> list[str]:
    """Return the columns of a case."""
    if kind != "mixed":
        return [f"x{j}" for j in range(COLUMNS)]
    return [*(f"x{j}" for j in range(COLUMNS - len(CATEGORIES))), *CATEGORIES]


def make(folder: Path, n: int, kind: str) -> None:
    """Write n records into files of one row group each."""
    if folder.exists():
        return
    beside = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    for part, first in enumerate(range(0, n, ROWS)):
        rng, rows = np.random.default_rng([0, part]), min(ROWS, n - first)
        columns: dict[str, Any] = {}
        for name in names_of(kind):
            if name in CATEGORIES:
                values = (rng.exponential(size=rows) * CATEGORIES[name] / 4).astype(np.int64)
                codes = np.minimum(values, CATEGORIES[name] - 1)
                columns[name] = pa.array([f"{name}-{i}" for i in range(40)]).take(pa.array(codes))
            else:
                columns[name] = rng.normal(size=rows)
        pq.write_table(pa.table(columns), beside / f"part-{part:04}.parquet")
    beside.rename(folder)


def usage() -> dict[str, float]:
    """Return what this process has used so far: processor seconds, bytes read and written, peak memory."""
    io = dict(re.findall(r"(\w+): (\d+)", Path("/proc/self/io").read_text()))
    peak = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert peak is not None
    return {
        "processor": sum(os.times()[:2]),
        "read": float(io["rchar"]),
        "written": float(io["wchar"]),
        "peak": float(peak[1]) * 1024,
    }


def bind(processor: int) -> None:
    """Let this process use one processor alone."""
    os.sched_setaffinity(0, {processor})
    pa.set_cpu_count(1)


@dataclass
class Stages:
    """Measures each stage of a run: wraps the executor, and asks all processes what they have used."""

    ask: Callable[[], list[dict[str, float]]]
    found: list[dict[str, Any]] = field(default_factory=list)

    def wrap(self, executor: type) -> None:
        """Measure the stages that an executor runs from now on."""
        plain = executor.run  # type: ignore[attr-defined]

        def run(
            own: Any, stage: Any, plan: Any, items: Sequence[Any], *args: Any, **more: Any
        ) -> Any:
            before, started = self.ask(), time.perf_counter()
            result = plain(own, stage, plan, items, *args, **more)
            seconds, after = time.perf_counter() - started, self.ask()
            self.found.append(
                {
                    "stage": stage.__name__,
                    "tasks": len(items),
                    "seconds": seconds,
                    "by_process": [
                        a["processor"] - b["processor"] for a, b in zip(after, before, strict=True)
                    ],
                    **{
                        what: sum(a[what] - b[what] for a, b in zip(after, before, strict=True))
                        for what in ("processor", "read", "written")
                    },
                }
            )
            return result

        executor.run = run  # type: ignore[attr-defined]


def bind_all(client: Any) -> None:
    """Bind each worker to a processor, and let it load the kernels."""
    own = sorted(os.sched_getaffinity(0))
    for place, address in enumerate(sorted(client.scheduler_info()["workers"])):
        client.run(bind, own[place % len(own)], workers=[address])
        client.run(_warm, workers=[address])


def measured(kind: str, source: Path, out: Path, processors: int) -> dict[str, Any]:
    """Protect the records in this process, or on workers as `--workers` starts them."""
    from microagg.large.executors import dask

    with ExitStack() as opened:
        if kind == "workers":
            begun = time.perf_counter()
            client = dask.started(processors, opened)
            starting = time.perf_counter() - begun
            bind_all(client)
            return {**protected(kind, source, out, client), "starting": starting}
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:processors])
        pa.set_cpu_count(processors)
        return protected(kind, source, out, None)


def protected(kind: str, source: Path, out: Path, client: Any) -> dict[str, Any]:
    """Protect the records, and return what each stage took."""
    import microagg as ma
    from microagg.large.executors.dask import DaskExecutor
    from microagg.large.executors.local import LocalExecutor

    options = {} if client is None else {"client": client}
    _warm()

    def ask() -> list[dict[str, float]]:
        workers = [] if client is None else list(client.run(usage).values())
        return [usage(), *workers]

    stages = Stages(ask)
    stages.wrap(LocalExecutor if client is None else DaskExecutor)
    before, started = ask(), time.perf_counter()
    names, memory = names_of(kind), LITTLE if kind == "split" else MEMORY
    release = ma.protect_file(
        source, out, k=K, quasi_identifiers=names, memory=memory, overwrite=True, **options
    )
    seconds, after = time.perf_counter() - started, ask()
    return {
        "seconds": seconds,
        "processor": sum(
            a["processor"] - b["processor"] for a, b in zip(after, before, strict=True)
        ),
        "client_processor": after[0]["processor"] - before[0]["processor"],
        "peaks": [own["peak"] for own in after],
        "read": sum(a["read"] - b["read"] for a, b in zip(after, before, strict=True)),
        "written": sum(a["written"] - b["written"] for a, b in zip(after, before, strict=True)),
        "loss": release.provenance["result"]["il"],
        "blocks": release.provenance["result"]["facts"]["blocks"],
        "input_bytes": sum(path.stat().st_size for path in source.iterdir()),
        "stages": stages.found,
        "sha256": fingerprint(out),
    }


def in_memory(kind: str, source: Path) -> dict[str, Any]:
    """Group the records in memory: all at once, or in blocks."""
    import microagg as ma
    from microagg.partition.search.blocks.blocks import WITHIN

    method, refine = (WITHIN, ["swap-shift"]) if kind == "whole" else ("blocks", None)
    table = pq.read_table(source)
    X = np.stack([column.to_numpy() for column in table.columns], axis=1)
    ma.partition(X[:500], K, method, refine=refine)
    before, started = usage(), time.perf_counter()
    part = ma.partition(X, K, method, refine=refine)
    after = usage()
    return {
        "seconds": time.perf_counter() - started,
        "processor": after["processor"] - before["processor"],
        "peaks": [after["peak"]],
        "loss": ma.information_loss(X, part).il,
    }


def _warm() -> None:
    """Load the kernels, which every process does once."""
    import tempfile

    import microagg as ma

    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.normal(size=400), "c": rng.choice(["a", "b"], 400)})
    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(table, f"{folder}/people.parquet")
        for names in (["x"], ["x", "c"]):
            ma.protect_file(
                f"{folder}/people.parquet", f"{folder}/{len(names)}", k=5, quasi_identifiers=names
            )


def fingerprint(out: Path) -> str:
    """Return a hash of the data and the groups that were released."""
    digest = hashlib.sha256()
    for path in sorted(out.rglob("*.parquet")):
        with path.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


def run_case(case: str, given: argparse.Namespace) -> None:
    """Make the records of a case, and measure it in a process of its own."""
    folder = given.folder
    kind, n, _ = case.split("-")
    make(source_of(case, folder), int(n), kind)
    out = folder / f"release-{case}"
    shutil.rmtree(out, ignore_errors=True)
    words = [sys.executable, "-m", "benchmarks.scale.cluster", str(folder), "--inside", case]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    shutil.rmtree(out, ignore_errors=True)
    result = json.loads(done.stdout.splitlines()[-1])
    about = {
        "case": case,
        "run": given.run,
        "date": time.strftime("%Y-%m-%d"),
        "alone": given.alone,
    }
    keep(given.results, {**about, **result})
    print(
        f"{case}: {result['seconds']:.0f} s, processor {result['processor']:.0f} s, peak "
        f"{max(result['peaks']) / 1e9:.2f} GB, loss {result['loss']:.3f} %",
        flush=True,
    )


def verdicts(runs: dict[str, dict[str, Any]], share: float) -> Iterator[str]:
    """Yield what was measured beside the bars, as far as there are results."""
    million, five, ten = (round(n * share) for n in (10**6, 5 * 10**6, 10**7))

    def compared(
        what: str, one: str, other: str, key: str, bar: str, times: float = 1.0
    ) -> Iterator[str]:
        if one in runs and other in runs:
            yield f"{what}: {times * runs[one][key] / runs[other][key]:.3f} (bar: {bar})"

    plain, one, two = f"plain-{five}-1", f"workers-{five}-1", f"workers-{five}-2"
    first = f"plain-{million}-1"
    for key in ("seconds", "processor"):
        yield from compared(f"one worker by one process, {key}", one, plain, key, "at most 1.10")
        yield from compared(
            f"mixed by numbers, {key}", f"mixed-{million}-1", first, key, "at most 2.5"
        )
        yield from compared(f"per record, {key}", f"plain-{ten}-1", first, key, "0.8 to 1.2", 0.1)
    yield from compared("one worker by two, seconds", one, two, "seconds", "at least 1.7")
    yield from compared("loss by all at once", first, f"whole-{million}-1", "loss", "at most 1.02")
    for case in (one, two):
        if case in runs:
            peak = max(runs[case]["peaks"][1:]) / 1e9
            yield f"peak of a worker, {case}: {peak:.2f} GB (bar: at most 2.00)"
    if {plain, one, two} <= runs.keys():
        same = len({runs[case]["sha256"] for case in (plain, one, two)}) == 1
        yield f"the same bytes: {'yes' if same else 'NO'}"


def main() -> None:
    """Measure the cases that are asked for."""
    parser = argparse.ArgumentParser(description="Measure releases on worker processes.")
    parser.add_argument("folder", type=Path, help="for records and releases")
    parser.add_argument("cases", nargs="*", help="such as plain-1000000-1")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    parser.add_argument("--run", default="", help="a name; cases with a result of it are skipped")
    parser.add_argument(
        "--step", action="append", choices=STEPS, help="what to measure; all by default"
    )
    parser.add_argument("--share", type=float, default=1.0, help="of the records, for a rehearsal")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where results are appended")
    parser.add_argument("--alone", action="store_true", help="nothing else runs meanwhile")
    parser.add_argument("--make", action="store_true", help="write the records alone")
    given = parser.parse_args()
    if given.inside:
        print(json.dumps(inside(given.inside, given.folder)))
        return
    steps = given.step or list(STEPS)
    for case in given.cases or cases_of(steps, given.share):
        if given.make:
            make(source_of(case, given.folder), int(case.split("-")[1]), case.split("-")[0])
        elif given.cases or case not in of_run(given):
            run_case(case, given)
    for line in verdicts(of_run(given), given.share):
        print(line)


def of_run(given: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Return the latest result of each case of this run."""
    results = [result for result in kept(given.results) if result.get("run", "") == given.run]
    return {result["case"]: result for result in results}


def source_of(case: str, folder: Path) -> Path:
    """Return where the records of a case are."""
    kind, n, _ = case.split("-")
    return folder / f"{'mixed' if kind == 'mixed' else 'normal'}-{n}"


def inside(case: str, folder: Path) -> dict[str, Any]:
    """Measure a case in this process."""
    kind, _, processors = case.split("-")
    source = source_of(case, folder)
    if kind in ("whole", "blocks"):
        return in_memory(kind, source)
    return measured(kind, source, folder / f"release-{case}", int(processors))


if __name__ == "__main__":
    main()
