"""A process that swaps the names in a folder for links, as another user of the folder could.

``python -m tests.hostile.swapper FOLDER SEED NAME...`` says that it begins, and goes on until its standard
input ends. It then prints how often it put something in place of a name. Names that begin with a dot are
found by looking.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
import time
from pathlib import Path

import numpy as np

NOBODY = 65534


class Swapper:
    """Moves away what has a name, puts a link there, and sometimes undoes that."""

    def __init__(self, folder: Path, rng: np.random.Generator) -> None:
        self._folder, self._rng = folder, rng
        self._away = folder.parent / "away"
        self._away.mkdir(exist_ok=True)
        self.swaps, self._pause = 0, 0.0

    def swap(self, names: list[str]) -> None:
        """Swap one name."""
        with contextlib.suppress(FileNotFoundError):
            names = names + [p.name for p in self._folder.iterdir() if p.name.startswith(".")]
        path = self._folder / names[self._rng.integers(len(names))]
        kept = self._away / str(self.swaps)
        with contextlib.suppress(OSError):
            path.rename(kept)
        self._put(path)
        self.swaps += 1
        if self.swaps % 20 == 1:
            self._pause = float(self._rng.choice([0.0, 0.0003, 0.003, 0.03, 0.1]))
        time.sleep(float(self._rng.exponential(self._pause)) * self._rng.random())
        if self._rng.random() < 0.9:
            self._undo(path, kept)
        time.sleep(float(self._rng.exponential(self._pause)))

    def _put(self, path: Path) -> None:
        victim, traps = self._folder.parent / "victim", self._folder.parent / "traps"
        ways = [
            lambda: _foreign_link(victim / "precious.csv", path),
            lambda: os.link(victim / "precious.csv", path),
            lambda: os.link(victim / "empty", path),
            lambda: _foreign_link(victim, path),
            lambda: _foreign_link(traps, path),
            lambda: _foreign_link(victim / "nothing", path),
            lambda: path.mkdir(),
            lambda: None,
        ]
        with contextlib.suppress(OSError):
            ways[self._rng.integers(len(ways))]()

    def _undo(self, path: Path, kept: Path) -> None:
        with contextlib.suppress(OSError):
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        with contextlib.suppress(OSError):
            kept.rename(path)

    def clear(self) -> None:
        """Remove what was moved away."""
        shutil.rmtree(self._away, ignore_errors=True)


def _foreign_link(target: Path, path: Path) -> None:
    """Make a symbolic link, of another user where that can be done."""
    path.symlink_to(target)
    if os.geteuid() == 0:
        os.lchown(path, NOBODY, NOBODY)


def main(folder: Path, seed: int, names: list[str]) -> None:
    """Swap names until the standard input ends."""
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    swapper = Swapper(folder, np.random.default_rng(seed))
    print("swapping", flush=True)
    swapper.swap(names)
    while not over.is_set():
        swapper.swap(names)
    swapper.clear()
    print(swapper.swaps)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
