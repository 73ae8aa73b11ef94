"""Ctrl-C in the middle of a long run: no half file, a word to the user, and exit code 130."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

# Says when the grouping has begun, so that the signal comes neither too early nor too late.
SCRIPT = """
import sys
from microagg.progress import Progress

def begin(self, what, total):
    print("grouping", file=sys.stderr, flush=True)

Progress.begin = begin
from microagg.cli import main
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a child alone")
@pytest.mark.parametrize(
    ("sent", "code", "words"),
    [(signal.SIGINT, 130, "no file is left half-written"), (signal.SIGTERM, 143, "")],
    ids=["Ctrl-C", "termination"],
)
def test_an_interrupted_run_leaves_nothing_behind(tmp_path, sent, code, words):
    records = np.random.default_rng(0).normal(size=(60_000, 10))
    names = [f"c{j}" for j in range(10)]
    source = tmp_path / "records.csv"
    np.savetxt(source, records, delimiter=",", header=",".join(names), comments="", fmt="%.6f")
    arguments = ["protect", source, "-k", "2", "--qi", ",".join(names), "-o", tmp_path / "r.csv"]
    running = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *arguments], stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert running.stderr.readline().strip() == b"grouping"
        running.send_signal(sent)
        out, err = running.communicate(timeout=60)
    finally:
        running.kill()
    assert (running.returncode, out) == (code, b"")
    assert words in err.decode()
    assert "Traceback" not in err.decode()
    assert [path.name for path in tmp_path.iterdir()] == ["records.csv"]
