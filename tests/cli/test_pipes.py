"""A reader that goes away: no shouting, and no wrong exit code once the files are in place."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples import sample

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes as Unix has them")
MICROAGG = Path(sys.executable).with_name("microagg")
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
PROTECT = ["protect", "people.csv", "-k", "3", "--qi", "age"]


def closed(arguments, *, stdout=False, stderr=False):
    """Run a command whose readers have all gone before it starts."""
    read, write = os.pipe()
    os.close(read)
    try:
        return subprocess.run(
            [MICROAGG, *arguments],
            stdout=write if stdout else subprocess.PIPE,
            stderr=write if stderr else subprocess.PIPE,
            check=False,
            timeout=120,
        )
    finally:
        os.close(write)


@pytest.mark.parametrize("more", sample([[], ["--json"]]))
def test_files_in_place_are_a_success_whoever_listens(people, more):
    done = closed([*PROTECT, "-o", "r.csv", *more], stdout=True, stderr=True)
    assert done.returncode == 0
    assert {"r.csv", "r.groups.csv", "r.provenance.json"} <= {
        p.name for p in people.parent.iterdir()
    }


@pytest.mark.slow
def test_a_summary_that_nobody_reads(people):
    done = closed([*PROTECT, "-o", "r.csv"], stderr=True)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.slow
def test_data_that_nobody_takes_is_said_with_141(people):
    done = closed([*PROTECT, "-q"], stdout=True)
    assert done.returncode == 141
    assert done.stderr == b""
    assert closed(["methods"], stdout=True).returncode == 141


def test_an_error_that_nobody_reads_is_still_one(people):
    assert closed(["protect", "none.csv", "-k", "3"], stderr=True).returncode == 1


def test_a_schema_that_is_written(people):
    done = closed(["schema", "people.csv", "-o", "s.toml", "--json"], stdout=True, stderr=True)
    assert done.returncode == 0
    assert Path("s.toml").exists()


def started(arguments, redirection, **variables):
    """Run a command as a shell does, with a redirection such as ``>&-``."""
    words = shlex.join(map(str, [sys.executable, "-c", COMMAND, *arguments]))
    return subprocess.run(
        ["sh", "-c", f"{words} {redirection}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, **variables},
    )


COMMAND = "from microagg_command import main; main()"
RELEASE = {"r.csv", "r.groups.csv", "r.provenance.json"}


@pytest.mark.parametrize(
    "redirection",
    [
        ">&-",
        pytest.param(">&- 2>&- <&-", marks=pytest.mark.slow),
        pytest.param(">/dev/full", marks=[FULL, pytest.mark.slow]),
        pytest.param("2>/dev/full", marks=FULL),
        pytest.param(">/dev/full 2>/dev/full", marks=[FULL, pytest.mark.slow]),
    ],
)
def test_files_in_place_are_a_success_without_stdout(people, redirection):
    done = started([*PROTECT, "-o", "r.csv", "--json"], redirection)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert {p.name for p in people.parent.iterdir()} == {"people.csv", *RELEASE}


@pytest.mark.parametrize(
    ("redirection", "words"),
    [
        (">&-", "The release goes to stdout, which is closed"),
        pytest.param(
            ">/dev/full",
            "Standard output cannot be written: No space left",
            marks=[FULL, pytest.mark.slow],
        ),
    ],
)
def test_data_that_cannot_go_to_stdout_is_an_error(people, redirection, words):
    done = started([*PROTECT, "-q"], redirection)
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_an_ascii_stdout_gets_numbers_with_escapes(people):
    people.write_text("\u00e1ge,pay\n1,5\n2,6\n3,7\n4,8\n", encoding="utf-8")
    options = ["-k", "2", "--qi", "\u00e1ge", "-o", "r.csv", "--json"]
    done = started(["protect", "people.csv", *options], "", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["arguments"]["quasi_identifiers"] == ["\u00e1ge"]
    schema = started(["schema", "people.csv"], "", PYTHONIOENCODING="ascii")
    assert schema.returncode == 1
    assert "Standard output is in ascii" in schema.stderr
