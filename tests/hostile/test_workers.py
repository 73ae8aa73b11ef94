"""Random files on a Dask cluster: the bytes of one process, or the same error, which quotes nothing.

`MICROAGG_HOSTILE_WORKERS` sets how many files are tried; `make test-all` tries 500 more, some of them
with worker processes of our own.
"""

import os
import re
import shutil
import subprocess
import sys

import pytest

import microagg as ma
from microagg.errors import MicroaggError
from microagg.large import memory
from tests.clusters import IGNORED, files_of, two_workers
from tests.hostile.checker import require_discreet
from tests.hostile.seeds import rng_of
from tests.hostile.test_large import OPTIONS, OTHERS, judge_files, random_table, write_source

pytestmark = [pytest.mark.timeout(300), IGNORED]
CASES = int(os.environ.get("MICROAGG_HOSTILE_WORKERS", "3"))
SMALL = {"memory": "500MB", "parameters": {"block_size": 30, "within": "mdav"}}


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    monkeypatch.setattr(memory, "LARGEST_PIECE", 29)


@pytest.fixture(scope="module")
def client():
    """Return the client of a cluster of two workers, which are threads of this process."""
    with two_workers(processes=False) as client:
        yield client


def chosen_for(seed, folder):
    """Write a random file; return it with the options of a release."""
    rng = rng_of(seed)
    table = random_table(rng)
    folder.mkdir()
    names = [name for name in table.column_names if name not in OTHERS] or ["weight"]
    chosen = rng.permutation(names)[: rng.integers(1, len(names) + 1)].tolist()
    options = {name: words[rng.integers(len(words))] for name, words in OPTIONS.items()}
    return write_source(rng, table, folder), chosen, options


def attempt(seed, folder, client):
    """Protect one random file twice; return whether it was released."""
    try:
        source, chosen, options = chosen_for(seed, folder)
    except Exception:  # noqa: BLE001  (of the writer, for types that no file can hold)
        return False
    ends = {}
    for name, where in (("alone", {}), ("both", {"client": client})):
        try:
            release = ma.protect_file(
                source, folder / name, 3, quasi_identifiers=chosen, **SMALL, **options, **where
            )
            judge_files(source, release, chosen, 3)
            ends[name] = files_of(folder / name)
        except MicroaggError as error:
            require_discreet(str(error))
            # Which of several blanks is named depends on the task that fails first.
            words = re.sub(r"data row \d+ of '[^']*'|data row \d+", "a row", str(error))
            ends[name] = words.replace(str(folder / name), "")
    assert ends["alone"] == ends["both"]
    return isinstance(ends["both"], dict)


def released_among(seeds, folder, client):
    released = 0
    for seed in seeds:
        try:
            released += attempt(seed, folder / str(seed), client)
        except Exception as error:
            raise AssertionError(f"case {seed}") from error
        shutil.rmtree(folder / str(seed))
    return released


def test_a_cluster_writes_what_one_process_writes(tmp_path, client, record_property):
    released = released_among(range(CASES), tmp_path, client)
    record_property("files", CASES)
    record_property("released", released)
    assert released > 0


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(10))
def test_a_cluster_writes_what_one_process_writes_of_many_files(
    part, tmp_path, client, record_property
):
    seeds = range(CASES + part, CASES + 500, 10)
    record_property("files", len(seeds))
    record_property("released", released_among(seeds, tmp_path, client))


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
def test_files_by_the_command_with_workers(tmp_path, record_property):
    """`--workers 2` starts processes, which see neither the small pieces nor each other's memory."""
    released = 0
    for seed in range(12):
        folder = tmp_path / str(seed)
        try:
            source, chosen, options = chosen_for(seed, folder)
        except Exception:  # noqa: BLE001  (of the writer)
            continue
        if any("," in name or "=" in name or not name for name in chosen):
            continue
        command = [sys.executable, "-m", "microagg", "protect", str(source), "-k", "3"]
        command += ["--qi", ",".join(chosen), "-o", str(folder / "out"), "--workers", "2"]
        command += ["--memory", "500MB", "--missing", options["missing"]]
        done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
        require_discreet(done.stdout + done.stderr)
        assert (done.returncode, "Traceback" in done.stderr) in ((0, False), (1, False)), seed
        released += done.returncode == 0
    record_property("files", 12)
    record_property("released", released)
