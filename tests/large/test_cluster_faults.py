"""Faults of a cluster of real processes: an error that says what failed, then the same bytes."""

import os
import signal
import subprocess
import sys
import time

import pytest

import microagg as ma
from microagg.errors import FileError
from microagg.reporter import Reporter
from tests.clusters import IGNORED, OPTIONS, files_of

resource = pytest.importorskip("resource")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), IGNORED]


@pytest.fixture
def whole(parts, tmp_path):
    """Return the files of the release of one process without a fault."""
    ma.protect_file(parts, tmp_path / "whole", **OPTIONS)
    return files_of(tmp_path / "whole")


def nothing_released(folder):
    return {path.name for path in folder.iterdir()} <= {".microagg-work", ".microagg-lock"}


class Stopping(Reporter):
    """Ends the run when a stage begins."""

    def __init__(self, stage, error=KeyboardInterrupt):
        self.stage, self.error = stage, error

    def begin(self, what, total):
        if what == self.stage:
            raise self.error


def flip(path, at=0.5):
    """Change one byte of a file."""
    content = bytearray(path.read_bytes())
    place = int(at * len(content))
    content[place] ^= 0xFF
    path.write_bytes(content)


def limit_files(size):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard if size is None else size, hard))
    return soft


def test_a_disk_that_takes_no_more(parts, tmp_path, client, whole):
    client.run(limit_files, 4_000)
    try:
        with pytest.raises(FileError, match=r"(?s)cannot be written.*inished work is kept"):
            ma.protect_file(parts, tmp_path / "out", client=client, **OPTIONS)
    finally:
        client.run(limit_files, None)
    assert nothing_released(tmp_path / "out")
    ma.protect_file(parts, tmp_path / "out", client=client, **OPTIONS)
    assert files_of(tmp_path / "out") == whole


@pytest.mark.parametrize("step", ["routed", "grouped", "repaired", "released", "surveyed"])
def test_a_byte_of_the_work_that_changed_while_nothing_ran(parts, tmp_path, client, whole, step):
    with pytest.raises(KeyboardInterrupt):
        ma.protect_file(
            parts,
            tmp_path / "out",
            client=client,
            progress=Stopping("Checking the release"),
            **OPTIONS,
        )
    assert nothing_released(tmp_path / "out")
    work = tmp_path / "out" / ".microagg-work" / step
    flip(max(work.iterdir(), key=lambda path: (path.stat().st_size, path.name)))
    ma.protect_file(parts, tmp_path / "out", client=client, **OPTIONS)
    assert files_of(tmp_path / "out") == whole


class Flipping(Reporter):
    """Changes a byte of the work in mid-run."""

    def __init__(self, stage, work):
        self.stage, self.work = stage, work

    def begin(self, what, total):
        if what == self.stage:
            for path in self.work.glob("*.records.*"):
                flip(path)


def test_a_byte_of_the_work_that_changes_in_mid_run(parts, tmp_path, client, whole):
    work = tmp_path / "out" / ".microagg-work"
    progress = Flipping("Grouping blocks", work / "routed")
    with pytest.raises(FileError, match=r"(?s)damaged.*computed again"):
        ma.protect_file(parts, tmp_path / "out", client=client, progress=progress, **OPTIONS)
    assert nothing_released(tmp_path / "out")
    ma.protect_file(parts, tmp_path / "out", client=client, **OPTIONS)
    assert files_of(tmp_path / "out") == whole


def test_an_input_part_that_is_corrupt(parts, tmp_path, client, whole):
    path = parts / "part-1.parquet"
    sound = path.read_bytes()
    with pytest.raises(KeyboardInterrupt):
        ma.protect_file(
            parts, tmp_path / "out", client=client, progress=Stopping("Grouping blocks"), **OPTIONS
        )
    for at in (0.2, 0.5):
        flip(path, at)
    with pytest.raises(FileError, match=r"(?s)input.*overwrite"):
        ma.protect_file(parts, tmp_path / "out", client=client, **OPTIONS)
    path.write_bytes(sound)
    ma.protect_file(parts, tmp_path / "out", client=client, **OPTIONS)
    assert files_of(tmp_path / "out") == whole


def test_an_input_part_that_cannot_be_read(parts, tmp_path, client):
    path = parts / "part-1.parquet"
    sound = path.read_bytes()
    path.write_bytes(sound[:4] + bytes(len(sound) // 2) + sound[4 + len(sound) // 2 :])
    with pytest.raises(FileError, match=r"part-1\.parquet"):
        ma.protect_file(parts, tmp_path / "out", client=client, **OPTIONS)
    assert not (tmp_path / "out").exists() or nothing_released(tmp_path / "out")


def command_for(parts, out):
    """Return the command that protects the parts with two workers."""
    options = ["-k", "5", "--qi", "x0,x1,x2", "--id", "name", "--set", "block_size=120"]
    code = (
        "import sys; from microagg.large import memory; memory.LARGEST_PIECE = 150;"
        "from microagg.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "protect", str(parts), *options, "-o", str(out)]
    return [*command, "--workers", "2"]


def begun(command, out):
    """Start a command as the leader of a process group, and return it once records are surveyed."""
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 200
    while not (out / ".microagg-work" / "surveyed").exists():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    return process


def is_alive(group):
    """Tell whether a process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_ctrl_c_and_the_link_of_the_dashboard(parts, tmp_path, whole):
    """A command with two workers is interrupted, continued, and gives the same bytes."""
    out = tmp_path / "out"
    command = command_for(parts, out)
    process = begun(command, out)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
    words = process.communicate(timeout=100)[1]
    assert process.returncode == 130, words
    assert "Traceback" not in words
    assert "Finished work is kept" in words
    assert nothing_released(out)
    again = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    assert again.returncode == 0, again.stderr
    assert "http://127.0.0.1:" in again.stderr
    assert files_of(out) == whole


def test_a_command_that_is_killed_takes_its_workers_along(parts, tmp_path, whole):
    """Only the command gets SIGKILL; its workers end by themselves, and the next run continues."""
    out = tmp_path / "out"
    process = begun(command_for(parts, out), out)
    process.kill()
    process.communicate(timeout=100)
    assert nothing_released(out)
    deadline = time.monotonic() + 100
    while is_alive(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    ma.protect_file(parts, out, **OPTIONS)
    assert files_of(out) == whole
