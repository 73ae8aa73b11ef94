"""A process that saves releases beside another one: ``python -m tests.hostile.writers``.

It prints a line of JSON for each round: whether its files were written, or were refused.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

import microagg as ma
from microagg.errors import FileError


def main(folder: Path, name: str, rounds: int, overwrite: bool) -> None:
    """Save a release of its own in every round, at the same time as the others."""
    rng = np.random.default_rng(int(name))
    frame = pd.DataFrame({"x": rng.normal(size=300), "who": name})
    release = ma.protect(frame, 3 + int(name), quasi_identifiers=["x"], method="mdav")
    for turn in range(rounds):
        _meet(folder, turn, name)
        try:
            release.save(folder / f"out-{turn}", overwrite=overwrite)
            written = True
        except FileError:
            written = False
        print(json.dumps([turn, written]), flush=True)


def _meet(folder: Path, turn: int, name: str) -> None:
    """Wait until both processes are here."""
    (folder / f"ready-{turn}-{name}").touch()
    deadline = time.monotonic() + 60
    while len(list(folder.glob(f"ready-{turn}-*"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.0005)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4] == "overwrite")
