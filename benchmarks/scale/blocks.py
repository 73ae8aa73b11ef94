"""`protect_file`: memory, loss and time on normal records in a Parquet file.

python -m benchmarks.scale.blocks FOLDER --n 1000000 --whole
python -m benchmarks.scale.blocks FOLDER --n 10000000

Bars: 10,000,000 x 10 records, k=5, in less than 3 GB; at 1,000,000 records, where MDAV can still
group all at once (--whole), a loss within 2 % of its loss.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import microagg as ma

ROWS = 250_000
"""Records of a row group."""


def make(path: Path, n: int, d: int) -> None:
    """Write n normal records, never held all at once."""
    schema = pa.schema([(f"x{j}", pa.float64()) for j in range(d)])
    with pq.ParquetWriter(path, schema) as writer:
        for part, first in enumerate(range(0, n, ROWS)):
            values = np.random.default_rng([0, part]).normal(size=(d, min(ROWS, n - first)))
            writer.write_table(pa.table(list(values), schema=schema))


def release(path: Path, folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    """Run the command line in a process of its own; return what it says, its time and its peak."""
    code = "from microagg.cli import main; main()"
    names = ",".join(f"x{j}" for j in range(given.d))
    command = [sys.executable, "-c", code, "protect", str(path), "-k", str(given.k), "--qi", names]
    command += ["-o", str(folder), "--memory", given.memory, "--overwrite", "--json"]
    started = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024  # Linux counts kilobytes
    return {
        "seconds": time.perf_counter() - started,
        "peak": peak,
        "result": json.loads(done.stdout)["result"],
    }


def whole_loss(path: Path, k: int) -> float:
    """Return the loss of MDAV on all records at once."""
    table = pq.read_table(path)
    X = np.stack([column.to_numpy() for column in table.columns], axis=1)
    return ma.information_loss(X, ma.partition(X, k, "mdav")).il


def main() -> None:
    """Make the file, protect it and print the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "folder", type=Path, help="for the file and its release; 8 GB for 10^7 x 10"
    )
    parser.add_argument("--n", type=int, default=10_000_000)
    parser.add_argument("--d", type=int, default=10)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--whole", action="store_true", help="MDAV on all records too")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    path = given.folder / f"normal-{given.n}-{given.d}.parquet"
    if not path.exists():
        make(path, given.n, given.d)
    found = release(path, given.folder / f"release-{given.n}-{given.d}", given)
    loss = found["result"]["information_loss_percent"]
    print(f"{given.n:,} x {given.d}, k={given.k}, --memory {given.memory}")
    print(f"blocks         {found['result']['details']['blocks']}")
    print(f"peak memory    {found['peak'] / 1e9:.2f} GB")
    print(f"time           {found['seconds']:.0f} s")
    print(f"loss           {loss:.4f} %")
    if given.whole:
        whole = whole_loss(path, given.k)
        print(f"MDAV on all    {whole:.4f} %, ratio {loss / whole:.4f}")


if __name__ == "__main__":
    main()
