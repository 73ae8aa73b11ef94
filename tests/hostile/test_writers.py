"""Two processes that save into one folder at the same time: one set of files, never a mixture.

`MICROAGG_HOSTILE_WRITERS` sets how many folders are tried; `make test-all` tries 300.
"""

import csv
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples import sample

CASES = int(os.environ.get("MICROAGG_HOSTILE_WRITERS", "5"))
NAMES = {"release.csv", "groups.csv", "provenance.json", "summary.txt"}


def saved_by(folder, overwrite, rounds):
    """Run two writers; return for each round which of them wrote."""
    how = "overwrite" if overwrite else "new"
    command = [sys.executable, "-m", "tests.hostile.writers", str(folder)]
    running = [
        subprocess.Popen(
            [*command, name, str(rounds), how],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        for name in "01"
    ]
    written = {turn: [] for turn in range(rounds)}
    for name, process in zip("01", running, strict=True):
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        for turn, success in map(json.loads, out.splitlines()):
            written[turn] += [name] if success else []
    return written


def owner_of(folder):
    """Return whose files a folder holds, which must be one set of one writer."""
    assert {path.name for path in folder.iterdir()} == NAMES
    data = (folder / "release.csv").read_bytes()
    (owner,) = {row["who"] for row in csv.DictReader(data.decode().splitlines())}
    recorded = json.loads((folder / "provenance.json").read_text())
    assert recorded["release"]["sha256"] == hashlib.sha256(data).hexdigest()
    assert recorded["arguments"]["k"] == 3 + int(owner)
    groups = list(csv.DictReader((folder / "groups.csv").read_text().splitlines()))
    assert len({row["group"] for row in groups}) == recorded["result"]["groups"]
    return owner


@pytest.mark.timeout(400)
@pytest.mark.parametrize("overwrite", sample([False, True]))
@pytest.mark.parametrize("rounds", [CASES, pytest.param(300, marks=pytest.mark.exhaustive)])
def test_one_set_of_files_and_never_a_mixture(tmp_path, rounds, overwrite, record_property):
    written = saved_by(tmp_path, overwrite, rounds)
    for turn, writers in written.items():
        owner = owner_of(tmp_path / f"out-{turn}")
        assert writers == (["0", "1"] if overwrite else [owner])
    record_property("folders", len(written))
