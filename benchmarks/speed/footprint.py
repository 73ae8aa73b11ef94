"""What a fresh process pays: memory for the records, seconds to start, compilation once."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.speed.timing import best_of, seconds

_MEMORY = """
import sys
import numpy as np
import microagg as ma

def kilobytes(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field))

n, d, k = map(int, sys.argv[1:])
rng = np.random.default_rng(0)
ma.partition(rng.normal(size=(n // 2, d)), k, "mdav")  # compiled or loaded, and warm, the same index
X = rng.normal(size=(n, d))
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")  # the peak starts again from what is held now
before = kilobytes("VmRSS")
part = ma.partition(X, k, "mdav")
print(1024 * (kilobytes("VmHWM") - before) / X.nbytes)
"""

_FIRST_USE = """
import numpy as np
import microagg as ma

ma.partition(np.random.default_rng(0).normal(size=(100, 3)), 3, "mdav")
from microagg.kernels.fixed import fixed_size
from microagg.kernels.space import pool, scan

kernels = [f for m in (fixed_size, pool, scan) for f in vars(m).values() if hasattr(f, "stats")]
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels))
"""


def memory_growth(n: int, d: int, k: int) -> float | None:
    """Return the peak growth of memory while n records are grouped, in sizes of the input.

    None where the operating system does not tell (only Linux does, without a package).
    """
    if not Path("/proc/self/clear_refs").exists():
        return None
    return float(_python(_MEMORY, str(n), str(d), str(k)).split()[-1])


def start_times(repeats: int) -> dict[str, float]:
    """Return the best seconds of a whole process, from the call to its end."""
    help_command = "from microagg.cli import main; main()"
    return best_of(
        {
            "nothing": lambda: seconds(lambda: _python("pass")),
            "import": lambda: seconds(lambda: _python("import microagg")),
            "help": lambda: seconds(lambda: _python(help_command, "--help")),
        },
        repeats,
    )


def compiled_functions() -> tuple[int, int]:
    """Return how many kernels the first and the second process compile, from an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        first, second = (int(_python(_FIRST_USE, NUMBA_CACHE_DIR=cache)) for _ in range(2))
    return first, second


def _python(code: str, *arguments: str, **environment: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    ).stdout
