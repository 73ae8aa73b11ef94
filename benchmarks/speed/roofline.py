"""The GPU's kernel against what its memory allows: run it where the GPU is, and write the page elsewhere.

    python -m benchmarks.speed.roofline > roofline.jsonl          on a computer with a GPU; needs CuPy
    python -m benchmarks.speed.roofline --write roofline.jsonl    writes the table to docs/benchmarks.md

MDAV reads the screened coordinates of all records left once for each group: n^2 / 2k records of d numbers
in single precision. That traffic, divided by the time, is compared with what a plain kernel reads per
second from the cache and from the memory.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.page import table_of, write_part

CASES = (
    (10_000, 10, 5),
    (100_000, 10, 3),
    (100_000, 10, 5),
    (300_000, 10, 5),
    (1_000_000, 4, 5),
    (1_000_000, 10, 5),
    (1_000_000, 20, 5),
)
"""Records, columns, k."""

READ = r"""
extern "C" __global__ void read_all(const float4 *x, size_t m, int times, float *out) {
    float s = 0;
    size_t first = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    for (int turn = 0; turn < times; turn++)
        for (size_t i = first; i < m; i += step) {
            float4 v = __ldcg(x + i);
            s += v.x + v.y + v.z + v.w;
        }
    if (s == 12345.678f) out[0] = s;
}"""
"""Reads an array several times past the first-level cache."""

HEAD = (
    "records",
    "k",
    "seconds",
    "of which kernel",
    "per group",
    "read",
    "share of the cache's rate",
)


def read_rate(megabytes: int, times: int) -> float:
    """Return how many terabytes a second a plain kernel reads from an array of this size."""
    import cupy

    kernel = cupy.RawKernel(READ, "read_all")
    values = cupy.ones(megabytes * 262_144, dtype=cupy.float32)
    out = cupy.zeros(1, dtype=cupy.float32)
    for turns in (2, times):
        started = time.perf_counter()
        kernel((528,), (512,), (values, np.uint64(values.size // 4), np.int32(turns), out))
        cupy.cuda.runtime.deviceSynchronize()
    return float(values.nbytes * times / (time.perf_counter() - started) / 1e12)


def grouped(n: int, d: int, k: int) -> dict[str, Any]:
    """Return the least times of three runs of MDAV, with and without the transfer of the records."""
    from microagg.cuda.grouping import _Launcher

    X = np.random.default_rng(0).normal(size=(n, d))
    columns = np.ascontiguousarray(((X - X.mean(axis=0)) / X.std(axis=0)).T)
    times = []
    for _ in range(3):
        started = time.perf_counter()
        launcher = _Launcher(columns)
        launcher._cupy.cuda.runtime.deviceSynchronize()
        sent = time.perf_counter()
        ticker = np.zeros(2, dtype=np.int64)
        launcher.run("centroid_seeded", ticker, k=k, opposite=1, growth=0, enough=2 * k)
        ended = time.perf_counter()
        times.append((ended - started, ended - sent))
    total, kernel = min(times)
    return {"n": n, "d": d, "k": k, "total": total, "kernel": kernel}


def measure() -> None:
    """Print what was measured, one JSON object a line."""
    for megabytes, times in ((40, 500), (4_000, 5)):
        rate = read_rate(megabytes, times)
        print(json.dumps({"megabytes": megabytes, "rate": rate}), flush=True)
    for case in CASES:
        print(json.dumps(grouped(*case)), flush=True)


def write(file: Path) -> None:
    """Write the table of what was measured."""
    measured = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    cache, memory = (line["rate"] for line in measured if "rate" in line)
    rows = []
    for line in measured:
        if "n" not in line:
            continue
        n, d, k, kernel = line["n"], line["d"], line["k"], line["kernel"]
        rate = n * n / (2 * k) * d * 4 / kernel / 1e12
        rows.append(
            (
                f"{n:,} x {d}",
                str(k),
                f"{line['total']:.2f} s",
                f"{kernel:.2f} s",
                f"{kernel / (n / k) * 1e6:.1f} us",
                f"{rate:.2f} TB/s",
                f"{100 * rate / cache:.0f} %",
            )
        )
    ceilings = (
        f"- A plain kernel read {cache:.1f} TB/s from the cache (40 MB) "
        f"and {memory:.1f} TB/s from the memory."
    )
    write_part("roofline", [*table_of(HEAD, rows), "", ceilings])


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the GPU's kernel with its memory.")
    parser.add_argument("--write", type=Path, help="what was measured, to be written to the page")
    options = parser.parse_args()
    if options.write:
        write(options.write)
    else:
        measure()


if __name__ == "__main__":
    main()
