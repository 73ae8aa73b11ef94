"""A signal at any moment of a command: afterwards there is the complete set of files, or none.

`MICROAGG_HOSTILE_SIGNALS` sets how many signals `make test-all` sends; they are of both kinds.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from tests.examples import sample
from tests.hostile.seeds import rng_of

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals as Unix has them")
CASES = int(os.environ.get("MICROAGG_HOSTILE_SIGNALS", "48"))
PARTS = 6
ROOT = Path(__file__).parents[2]
SUFFIXES = (".csv", ".groups.csv", ".provenance.json")
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


def interrupted(folder, sent, seconds, *, released=False):
    """Send a signal to a process at work, perhaps after its first release.

    Return its exit code and what it said.
    """
    folder.mkdir(parents=True)
    running = subprocess.Popen(
        [sys.executable, "-m", "tests.hostile.signalled", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    overdue = threading.Timer(100, running.kill)
    overdue.start()
    try:
        assert running.stdout.readline() == "go\n", running.stderr.read()
        while (
            released and running.poll() is None and len(list(folder.glob("[!.]*"))) < len(SUFFIXES)
        ):
            time.sleep(0.01)
        time.sleep(seconds)
        running.send_signal(sent)
        err = running.communicate()[1]
    finally:
        overdue.cancel()
        running.kill()
    return running.returncode, err


def complete_sets(folder):
    """Return how many releases a folder holds, all of which must be complete."""
    names = {path.name for path in folder.iterdir()}
    turns = {name.split(".")[0] for name in names}
    assert names == {f"{turn}{suffix}" for turn in turns for suffix in SUFFIXES}
    for turn in turns:
        recorded = json.loads((folder / f"{turn}.provenance.json").read_text())
        data = (folder / f"{turn}.csv").read_bytes()
        assert recorded["release"]["sha256"] == hashlib.sha256(data).hexdigest()
    return len(turns)


def attempt(folder, seed, *, released=False):
    """Interrupt a process at a random moment; return how many releases it had finished."""
    rng = rng_of(seed)
    sent = (signal.SIGINT, signal.SIGTERM)[seed // PARTS % 2]
    seconds = float(rng.uniform(0.0, 0.6))
    code, err = interrupted(folder / "out", sent, seconds, released=released)
    assert (code, "Traceback" in err) == (CODES[sent], False), f"{code}: {err}"
    return complete_sets(folder / "out")


@pytest.mark.timeout(120)
@pytest.mark.parametrize("seed", sample([0, PARTS]))
def test_a_signal_leaves_complete_sets_or_nothing(seed, tmp_path, record_property):
    record_property("releases", attempt(tmp_path, seed))


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(PARTS))
def test_signals_at_many_moments(part, tmp_path, record_property):
    seeds = range(1 + PARTS + part, 1 + PARTS + CASES, PARTS)
    # On a busy computer, all others may be interrupted before their first release.
    finished = [attempt(tmp_path / str(seed), seed, released=seed == seeds[0]) for seed in seeds]
    record_property("signals", len(seeds))
    record_property("releases", sum(finished))
    assert sum(finished) > 0


KILLED = """
import os, signal, sys
import microagg as ma

class Killed(ma.Reporter):
    def begin(self, what, total):
        self.stage = what

    def reach(self, done):
        if self.stage == sys.argv[3]:
            os.kill(os.getpid(), signal.SIGKILL)

os.umask(0)
ma.protect_file(sys.argv[1], sys.argv[2], k=3, quasi_identifiers=list("abcd"), memory="500MB",
                parameters={"block_size": 2000, "within": "mdav"}, progress=Killed())
"""


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "stage", ["Grouping blocks", pytest.param("Writing the release", marks=pytest.mark.slow)]
)
def test_a_killed_run_leaves_no_file_open_to_others(stage, tmp_path):
    """Work that a kill leaves behind holds records: its folder is 0700 and its files are 0600."""
    source, out = tmp_path / "records.csv", tmp_path / "release"
    records = np.random.default_rng(0).normal(size=(10_000, 4))
    np.savetxt(source, records, delimiter=",", header="a,b,c,d", comments="", fmt="%.4f")
    command = [sys.executable, "-c", KILLED, source, out, stage]
    killed = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    work = out / ".microagg-work"
    left = list(work.rglob("*"))
    assert left
    assert work.stat().st_mode & 0o777 == 0o700
    for path in left:
        assert path.stat().st_mode & 0o077 == 0, path.name
