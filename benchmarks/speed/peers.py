"""Other people's MDAV, where it is installed. None of their code is in this repository.

- sdcMicro (R): needs `Rscript` and the R package. Where the package cannot be installed, the
  environment variable MICROAGG_R_SETUP names an R file to be sourced instead; it must define
  `mdav(x, k)`, which takes a numeric matrix and returns the matrix of group means.
- anonypyx (Python): needs `pip install anonypyx`. It holds an n x n matrix, so it runs on fewer
  records. Most of its time is pandas, and depends on pandas' version. On columns that are all
  continuous, 0.2.11 is not quite MDAV: it adds a Hamming distance over no columns, which is NaN, so
  the record "farthest from the centroid" is the first one left. It scans as many records as
  MDAV does, but its groups and its loss differ.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.timing import processor_seconds

Floats = NDArray[np.float64]

_FIND = """
setup <- Sys.getenv("MICROAGG_R_SETUP")
if (nzchar(setup)) {
    source(setup)
    name <- "mdav() of MICROAGG_R_SETUP"
} else {
    if (!requireNamespace("sdcMicro", quietly = TRUE)) quit(status = 3)
    mdav <- function(x, k) {
        as.matrix(sdcMicro::microaggregation(as.data.frame(x), aggr = k, method = "mdav")$mx)
    }
    name <- paste("sdcMicro", packageVersion("sdcMicro"))
}
"""
_NAME = _FIND + 'cat(name, "on R", as.character(getRversion()))'
_TIME = (
    _FIND
    + """
arguments <- commandArgs(trailingOnly = TRUE)
x <- as.matrix(read.csv(arguments[1]))
k <- as.integer(arguments[3])
invisible(mdav(x[seq_len(100), ], k))
seconds <- system.time(y <- mdav(x, k))[["user.self"]]
write.csv(y, arguments[2], row.names = FALSE)
cat(seconds)
"""
)


class SdcMicro:
    """sdcMicro's compiled MDAV: the processor time of the call alone, measured in R."""

    def __init__(self, X: Floats, k: int) -> None:
        self.X, self.k = X, k
        self.released: Floats | None = None

    @staticmethod
    def name() -> str | None:
        """Return what would be measured, or None where it is not there."""
        if shutil.which("Rscript") is None:
            return None
        found = _rscript(_NAME)
        return found.stdout.strip() if found.returncode == 0 else None

    def __call__(self) -> float:
        with tempfile.TemporaryDirectory() as folder:
            given, back = Path(folder) / "x.csv", Path(folder) / "y.csv"
            header = ",".join(f"v{j}" for j in range(self.X.shape[1]))
            np.savetxt(given, self.X, delimiter=",", header=header, comments="", fmt="%.17g")
            done = _rscript(_TIME, str(given), str(back), str(self.k))
            if done.returncode:
                raise RuntimeError(f"R failed:\n{done.stderr}")
            self.released = np.loadtxt(back, delimiter=",", skiprows=1)
        return float(done.stdout.split()[-1])


def _rscript(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    one_thread = {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "R_DATATABLE_NUM_THREADS": "1",
    }
    return subprocess.run(
        ["Rscript", "-e", code, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **one_thread},
        check=False,
    )


class Anonypyx:
    """anonypyx's MDAVGeneric."""

    def __init__(self, X: Floats, k: int) -> None:
        self.X, self.k = X, k
        self.released: Floats | None = None

    @staticmethod
    def name() -> str | None:
        """Return what would be measured, or None where it is not there."""
        try:
            return f"anonypyx {version('anonypyx')} on pandas {version('pandas')}"
        except PackageNotFoundError:
            return None

    def __call__(self) -> float:
        import pandas as pd
        from anonypyx.microaggregation import MDAVGeneric

        frame = pd.DataFrame(self.X, columns=[f"v{j}" for j in range(self.X.shape[1])])
        groups: list[NDArray[np.int64]] = []
        took = processor_seconds(
            lambda: groups.extend(MDAVGeneric(frame, list(frame)).partition(self.k))
        )
        self.released = np.empty_like(self.X)
        for rows in groups:
            self.released[rows] = self.X[rows].mean(axis=0)
        return took
