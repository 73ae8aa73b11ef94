"""Somebody swaps the names of outputs, locks, caches and work folders for links while we write.

Every run ends with a release or a MicroaggError, and nothing outside the folder changes: no file is
emptied, replaced, added or opened to others. `MICROAGG_HOSTILE_RACES` sets how many seconds each race
lasts; `make test-all` runs longer ones.
"""

import contextlib
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.errors import MicroaggError
from tests.hostile.seeds import SEED

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="links as Unix has them"),
    pytest.mark.filterwarnings("ignore::microagg.MicroaggWarning"),  # of what cannot be removed
]
SECONDS = float(os.environ.get("MICROAGG_HOSTILE_RACES", "2"))
LONGEST = 300.0
OUTPUTS = ["release.csv", "groups.csv", "provenance.json", "summary.txt"]
WORK = [".microagg-work", ".microagg-work.new", ".microagg-work.gone"]
LOCK = ".microagg-lock"
FOREIGN_LINKS = os.geteuid() == 0  # only root can make links that belong to others


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"x": rng.normal(size=60).round(3), "y": rng.integers(0, 9, 60)})


@pytest.fixture(scope="module")
def release(frame):
    return ma.protect(frame, 3, quasi_identifiers=["x"], method="mdav")


@pytest.fixture
def place(tmp_path, frame):
    """Return a folder to write to, beside files that must not change and traps that lead to them."""
    victim, traps = tmp_path / "victim", tmp_path / "traps"
    names = [*OUTPUTS, LOCK, "cache.jsonl", "manifest.json", "records.npz"]
    for inner in (victim, victim / "out", victim / "out" / "data", traps, traps / "out"):
        inner.mkdir(mode=0o700)
    for folder in (victim, victim / "out", victim / "out" / "data"):
        for name in names:
            (folder / name).write_text(f"precious {name}")
    (victim / "precious.csv").write_text("name,age\nAda,36\n")
    (victim / "empty").touch()
    for folder in (traps, traps / "out"):
        for name in names:
            (folder / name).symlink_to(victim / "precious.csv")
    (traps / "out" / "data").symlink_to(victim)
    for path in victim.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    frame.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def state_of(folder):
    """Return all that is in a folder: who may read it, and what it holds."""
    found = {".": stat.S_IMODE(folder.stat().st_mode)}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(about.st_mode) else b""
        found[str(path.relative_to(folder))] = (stat.S_IMODE(about.st_mode), content)
    return found


def race(place, names, write, seconds, seed):
    """Write again and again while names are swapped; return how often it went well, and how often not.

    Races that last go on until both has happened: a busy computer may take long for one of them.
    """
    victim, traps = place.parent / "victim", place.parent / "traps"
    before = state_of(victim), state_of(traps)
    command = [sys.executable, "-m", "tests.hostile.swapper", str(place), str(seed), *names]
    root = Path(__file__).parents[2]
    swapper = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
    counts = {"written": 0, "refused": 0}
    try:
        assert swapper.stdout.readline() == b"swapping\n"
        start, turn = time.monotonic(), 0
        while _goes_on(time.monotonic() - start, seconds, turn, counts):
            turn += 1
            _clear(place)
            try:
                write(turn)
                counts["written"] += 1
            except MicroaggError:
                counts["refused"] += 1
            assert (state_of(victim), state_of(traps)) == before
    finally:
        out = swapper.communicate()[0]
    assert (state_of(victim), state_of(traps)) == before
    return {**counts, "swaps": int(out)}


def _goes_on(elapsed, seconds, turn, counts):
    """Tell whether a race goes on: for some seconds, three turns, or until both ends were seen."""
    missing = seconds > SECONDS and min(counts.values()) == 0
    return elapsed < seconds or turn < 3 or (missing and elapsed < LONGEST)


def _clear(place):
    """Remove what is in the folder, as far as it can be done: a release has a chance again."""
    for path in list(place.iterdir()):
        with contextlib.suppress(OSError):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def saving(release, place):
    def write(turn):
        overwrite = bool(turn % 2) and FOREIGN_LINKS
        release.save(place, overwrite=overwrite)

    return write


def protecting(place):
    def write(turn):
        overwrite = bool(turn % 2) and FOREIGN_LINKS
        ma.protect_file(
            place.parent / "people.csv", place, 3, quasi_identifiers=["x"], memory="500MB",
            parameters={"block_size": 30, "within": "mdav"}, overwrite=overwrite,
        )  # fmt: skip

    return write


def comparing(frame, place):
    def write(turn):
        ma.compare(
            frame,
            [2, 3],
            methods=["mdav"],
            quasi_identifiers=["x"],
            cache=place / "cache.jsonl",
            seed=turn,
        )

    return write


def raced(what, frame, release, place, seconds, seed):
    """Run one kind of race."""
    if what == "save":
        return race(place, [*OUTPUTS, LOCK], saving(release, place), seconds, seed)
    if what == "memory":
        return race(place, [*OUTPUTS, *WORK * 3, LOCK], protecting(place), seconds, seed)
    return race(place, ["cache.jsonl"], comparing(frame, place), seconds, seed)


@pytest.mark.parametrize("what", ["save", "memory", "cache"])
def test_links_that_come_and_go(what, frame, release, place, record_property):
    counts = raced(what, frame, release, place, SECONDS, SEED)
    for name, count in counts.items():
        record_property(name, count)
    assert counts["swaps"] > 0


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("what", ["save", "memory", "cache"])
def test_links_that_come_and_go_for_long(what, part, frame, release, place, record_property):
    counts = raced(what, frame, release, place, 12.0, SEED + 1 + part)
    for name, count in counts.items():
        record_property(name, count)
    shutil.rmtree(place, ignore_errors=True)
    assert min(counts.values()) > 0
