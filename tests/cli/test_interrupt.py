"""Ctrl-C in the middle of a long run: no half file, a word to the user, and exit code 130."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from tests.examples import sample

# Says when the grouping has begun, so that the signal comes neither too early nor too late.
SCRIPT = """
import sys
from microagg.cli.console import Milestones
from microagg.reporter import Reporter

def begin(self, what, total):
    print("grouping", file=sys.stderr, flush=True)

Reporter.begin = Milestones.begin = begin
from microagg.cli import main
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a child alone")
@pytest.mark.parametrize(
    ("sent", "code", "words"),
    sample([(signal.SIGINT, 130, "no incomplete file is left"), (signal.SIGTERM, 143, "")]),
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
        out, err = running.communicate(timeout=100)
    finally:
        running.kill()
    assert (running.returncode, out) == (code, b"")
    assert words in err.decode()
    assert "Traceback" not in err.decode()
    assert [path.name for path in tmp_path.iterdir()] == ["records.csv"]


# A search without an end by itself; the signal comes once it has begun.
SEARCHING = """
import sys
from microagg.cli.console import Milestones
from microagg.reporter import Reporter

def begin(self, what, total):
    self.due = what == "Searching"

def reach(self, done):
    if self.due:
        self.due = False
        print("searching", file=sys.stderr, flush=True)

for reporter in (Reporter, Milestones):
    reporter.begin, reporter.reach = begin, reach
from microagg.cli import main
main()
"""


@pytest.fixture
def searching(tmp_path):
    """Return a function that starts a command and returns it once it searches."""
    records = np.random.default_rng(0).normal(size=(300, 3))
    source = tmp_path / "records.csv"
    np.savetxt(source, records, delimiter=",", header="a,b,c", comments="", fmt="%.6f")
    started = []

    def start(*arguments):
        command = [sys.executable, "-c", SEARCHING, arguments[0], source, *arguments[1:]]
        running = subprocess.Popen(
            command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path
        )
        started.append(running)
        assert running.stderr.readline().strip() == b"searching"
        return running

    yield start
    for running in started:
        running.kill()
        running.wait()


ENDLESS = ["--set", "max_iterations=1000000000"]
PROTECT = ["protect", "-k", "3", "--qi", "a,b,c", "--method", "lns", "-o", "r.csv", *ENDLESS]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a child alone")
class TestASearch:
    def test_the_first_interrupt_writes_the_best_and_says_so(self, searching, tmp_path):
        running = searching(*PROTECT)
        running.send_signal(signal.SIGINT)
        err = running.communicate(timeout=100)[1].decode()
        assert running.returncode == 0, err
        assert "Stopping; the best so far will be written. Press Ctrl-C again to write" in err
        assert "CAUTION: The search was stopped by Ctrl-C. The groups are the best found" in err
        assert "\nStopped: Ctrl-C " in err
        kept = json.loads((tmp_path / "r.provenance.json").read_text())
        assert kept["result"]["facts"]["stopped"] == "interrupted"

    def test_the_second_interrupt_writes_nothing(self, searching, tmp_path):
        running = searching(*PROTECT)
        running.send_signal(signal.SIGINT)
        assert b"Stopping" in running.stderr.readline()
        running.send_signal(signal.SIGINT)
        err = running.communicate(timeout=100)[1].decode()
        assert running.returncode == 130, err
        assert [path.name for path in tmp_path.iterdir()] == ["records.csv"]

    @pytest.mark.slow
    def test_in_compare_it_ends_all_and_is_not_kept(self, searching, tmp_path):
        options = ["-k", "3", "--qi", "a,b,c", "--methods", "lns", "--jobs", "1"]
        running = searching("compare", *options, "--cache", "kept.jsonl", *ENDLESS)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=100)
        assert (running.returncode, out) == (130, b""), err
        assert not (tmp_path / "kept.jsonl").exists()


# Says so once an interrupt is taken over: a busy computer may deliver it as soon as that is printed.
STARTING = """
import microagg_command

def take_over(before=microagg_command.take_over):
    before()
    print("up", flush=True)

microagg_command.take_over = take_over
microagg_command.main()
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a child alone")
@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.3])
def test_an_interrupt_while_the_program_starts(tmp_path, seconds):
    """The package takes a moment to import, and nobody wants a traceback of that."""
    running = subprocess.Popen(
        [sys.executable, "-c", STARTING, "protect", "none.csv", "-k", "3"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
    )
    assert running.stdout.readline() == b"up\n"
    time.sleep(seconds)
    running.send_signal(signal.SIGINT)
    err = running.communicate(timeout=100)[1].decode()
    assert "Traceback" not in err
    ends = (130, 1)  # 1 where the missing file was found first
    if "There is no file" in err:
        ends += (-signal.SIGINT,)  # the interrupt came when Python itself was ending
    assert running.returncode in ends, err


COMMANDS = {
    "microagg": STARTING,
    "python -m microagg": """
import builtins, runpy, sys
usual = builtins.__import__

def telling(name, *rest):
    if name == "microagg_command":
        builtins.__import__ = usual
        import microagg_command
        def take_over(before=microagg_command.take_over):
            before()
            print("up", flush=True)
        microagg_command.take_over = take_over
    return usual(name, *rest)

builtins.__import__ = telling
sys.argv[0], sys.orig_argv = "-m", [sys.executable, "-m", "microagg"]
runpy.run_module("microagg", run_name="__main__")
""",
}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a child alone")
@pytest.mark.parametrize("script", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("seconds", [0.0, 0.005, 0.02, 0.05])
def test_an_interrupt_in_the_first_moments_is_no_traceback(script, seconds, tmp_path):
    """Once our first line has run, an interrupt prints one line and exits with status 130."""
    running = subprocess.Popen(
        [sys.executable, "-c", script, "protect", "none.csv", "-k", "3"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
    )
    assert running.stdout.readline() == b"up\n"
    time.sleep(seconds)
    running.send_signal(signal.SIGINT)
    err = running.communicate(timeout=100)[1].decode()
    assert (running.returncode, err) == (130, "Interrupted; no incomplete file is left.\n")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a child alone")
def test_the_entry_point_imports_nothing_before_it_takes_over():
    script = (
        "import sys; before = set(sys.modules); import microagg_command; "
        "microagg_command.take_over(); print(sorted(set(sys.modules) - before))"
    )
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {script}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "['microagg_command']\n"


def test_an_ignored_interrupt_stays_ignored():
    script = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); import microagg_command as c; "
        "c.take_over(); c.hand_back(); print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"


SWALLOWING = """
import signal, sys, time
from microagg.cli import app

class Disposed:
    def __del__(self):
        signal.raise_signal(int(sys.argv[1]))

def work(**_):
    Disposed()
    time.sleep(100)

app.app.main = work
app.run()
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a child alone")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_an_object_is_disposed_of_is_not_lost(sent, code):
    command = [sys.executable, "-c", SWALLOWING, str(int(sent))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr


# As on a busy computer, where a new thread may be at work before the old one goes on.
SLOW_TO_GO_ON = """
import threading, time
start = threading.Thread.start

def slow(self):
    start(self)
    time.sleep(0.3)

threading.Thread.start = slow
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a child alone")
@pytest.mark.parametrize(("sent", "code"), sample([(signal.SIGINT, 130), (signal.SIGTERM, 143)]))
def test_a_signal_is_not_delivered_again_where_it_would_be_lost_again(sent, code):
    script = SLOW_TO_GO_ON + SWALLOWING.replace("time.sleep(100)", "time.sleep(3)")
    command = [sys.executable, "-c", script, str(int(sent))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr


PASSING_EVAL = """
import sys
from microagg_command import guarded

def interrupted():
    raise KeyboardInterrupt

def command():
    try:
        eval("interrupted()")
    except KeyboardInterrupt:
        sys.exit(130)

guarded(command)
"""


def test_the_status_does_not_depend_on_where_the_interrupt_struck():
    """Python itself would end by SIGINT once an interrupt has passed through `eval`."""
    done = subprocess.run([sys.executable, "-c", PASSING_EVAL], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"")
