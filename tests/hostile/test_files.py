"""Damaged files are refused with a MicroaggError, or read; they never end the process.

`MICROAGG_HOSTILE_FILES` sets how many files are tried; `make test-all` tries 2,000 more.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples import sample

CASES = int(os.environ.get("MICROAGG_HOSTILE_FILES", "60"))
PARTS = 4


@pytest.mark.parametrize("part", sample(range(PARTS)))
def test_damaged_files_are_read_or_refused(part, tmp_path, record_property):
    size = -(-CASES // PARTS)
    record_property("refused", refused(tmp_path, part * size, (part + 1) * size))
    record_property("files", size)


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(10))
def test_many_damaged_files_are_read_or_refused(part, tmp_path, record_property):
    first = CASES + 200 * part
    record_property("refused", refused(tmp_path, first, first + 200))
    record_property("files", 200)


def refused(folder, first, last):
    """Read some damaged files in a process of their own; return how many were refused."""
    pytest.importorskip("pyreadstat")
    command = [sys.executable, "-m", "tests.hostile.files", str(folder), str(first), str(last)]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=500
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    ends = {case: end for case, end in lines if end != "begun"}
    assert done.returncode == 0, f"case {lines[-1][0]} ended the process: {done.returncode}"
    faults = {case: end for case, end in ends.items() if end not in ("released", "refused")}
    assert not faults
    assert set(ends) == set(range(first, last))
    return sum(end == "refused" for end in ends.values())
