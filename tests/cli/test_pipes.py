"""A reader that goes away: no shouting, and no wrong exit code once the files are in place."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes as Unix has them")
MICROAGG = Path(sys.executable).with_name("microagg")
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


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_files_in_place_are_a_success_whoever_listens(people, more):
    done = closed([*PROTECT, "-o", "r.csv", *more], stdout=True, stderr=True)
    assert done.returncode == 0
    assert {"r.csv", "r.groups.csv", "r.provenance.json"} <= {
        p.name for p in people.parent.iterdir()
    }


def test_a_summary_that_nobody_reads(people):
    done = closed([*PROTECT, "-o", "r.csv"], stderr=True)
    assert (done.returncode, done.stdout) == (0, b"")


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
