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


def interrupted(folder, sent, seconds):
    """Send a signal to a process at work; return its exit code and what it said."""
    folder.mkdir(parents=True)
    running = subprocess.Popen(
        [sys.executable, "-m", "tests.hostile.signalled", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    overdue = threading.Timer(60, running.kill)
    overdue.start()
    try:
        assert running.stdout.readline() == "go\n", running.stderr.read()
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


def attempt(folder, seed):
    """Interrupt a process at a random moment; return how many releases it had finished."""
    rng = rng_of(seed)
    sent = (signal.SIGINT, signal.SIGTERM)[seed // PARTS % 2]
    code, err = interrupted(folder / "out", sent, float(rng.uniform(0.0, 0.6)))
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
    finished = [attempt(tmp_path / str(seed), seed) for seed in seeds]
    record_property("signals", len(seeds))
    record_property("releases", sum(finished))
    assert sum(finished) > 0


@pytest.mark.timeout(120)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_killed_run_leaves_no_file_open_to_others(seed, tmp_path):
    """Work that a kill leaves behind holds records: its folder is 0700 and its files are 0600."""
    source, out = tmp_path / "records.csv", tmp_path / "release"
    records = np.random.default_rng(0).normal(size=(60_000, 4))
    np.savetxt(source, records, delimiter=",", header="a,b,c,d", comments="", fmt="%.4f")
    script = (
        "import os, sys, microagg as ma; os.umask(0); "
        "ma.protect_file(sys.argv[1], sys.argv[2], k=3, quasi_identifiers=list('abcd'), memory='500MB', "
        "parameters={'block_size': 2000, 'within': 'mdav'})"
    )
    running = subprocess.Popen([sys.executable, "-c", script, source, out], stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 60
        work = out / ".microagg-work"
        while time.monotonic() < deadline and running.poll() is None:
            if sum(len(files) for _, _, files in os.walk(work)) > 3 + 20 * seed:
                break
            time.sleep(0.002)
    finally:
        running.kill()
        err = running.communicate()[1]
    left = list(work.rglob("*"))
    assert left, err
    assert work.stat().st_mode & 0o777 == 0o700
    for path in left:
        assert path.stat().st_mode & 0o077 == 0, path.name
