"""The memory that is asked for decides the sizes, or is refused with what is needed."""

import re
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

import microagg as ma
from microagg.errors import ParameterError
from microagg.large import memory, stages
from microagg.large.amounts import bytes_of
from microagg.large.memory import Sizes, budget
from microagg.partition.search.blocks.block import Layout


@pytest.mark.parametrize(
    ("text", "size"),
    [("2GB", 2e9), ("1.5 gb", 1.5e9), ("800M", 8e8), ("1GiB", 2**30), (123, 123), ("4000000", 4e6)],
)
def test_amounts(text, size):
    assert bytes_of(text) == size


@pytest.mark.parametrize("text", ["", "two", "2XB", "-1GB", True, None, "2GBs"])
def test_what_is_no_amount(text):
    with pytest.raises(ParameterError, match="must be an amount"):
        bytes_of(text)


def test_more_memory_means_larger_blocks_up_to_a_size():
    sizes = [budget(size, 10).block_size for size in (6 * 10**8, 10**9, 4 * 10**9)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1] == 1_000_000
    assert budget(4 * 10**9, 10, most=100_000).block_size == 100_000


def test_two_blocks_of_a_million_numbers_fit_into_two_gigabytes(monkeypatch):
    monkeypatch.setattr(memory, "workers", lambda: 4)
    sizes = budget(2 * 10**9, 10)
    assert (sizes.block_size, sizes.threads, sizes.cell_threads) == (1_000_000, 2, 1)
    assert budget(10**9, 10).block_size == 380_000


def test_threads_follow_from_processors_and_memory_and_change_nothing_else(monkeypatch):
    found = {}
    for processors in (1, 3, 64):
        monkeypatch.setattr(memory, "workers", lambda count=processors: count)
        found[processors] = [budget(size, 10, most=100_000) for size in (52 * 10**7, 2 * 10**9)]
    threads = [[(s.threads, s.cell_threads) for s in pair] for pair in found.values()]
    assert threads == [[(1, 1), (1, 1)], [(2, 1), (3, 3)], [(2, 1), (12, 6)]]
    assert len({(sizes.block_size, sizes.piece) for _, sizes in found.values()}) == 1


def test_what_is_said_to_be_needed_is_enough():
    with pytest.raises(ParameterError) as refused:
        budget(10**8, 40)
    needed = re.search(r'memory="(\w+)"', str(refused.value))[1]
    assert budget(bytes_of(needed), 40).block_size >= 10_000


@pytest.mark.parametrize("block_size", [None, 10_000])
def test_many_records_need_more(block_size):
    assert budget(52 * 10**7, 10, block_size, n=10**6) == budget(52 * 10**7, 10, block_size)
    with pytest.raises(ParameterError, match="for 100,000,000 records of 10 quasi") as refused:
        budget(52 * 10**7, 10, block_size, n=10**8)
    needed = bytes_of(re.search(r'memory="(\w+)"', str(refused.value))[1])
    assert budget(needed, 10, block_size, n=10**8).index(10**8) < needed - memory.PROGRAM
    with pytest.raises(ParameterError):
        budget(needed - 10**7, 10, block_size, n=10**8)


def test_what_says_where_blocks_start_is_counted():
    sample = np.random.default_rng(0).normal(size=(4, 20_000))
    for size in (300, 410, 700):
        sizes = Sizes(block_size=size, piece=77, table=1, counted=1000)
        layout = Layout.of(sample, np.arange(20_000), 20_000, size)
        blocks, cells = layout.blocks.n_leaves, layout.cells.n_leaves
        held = 4 * (260 * (blocks + 1) + 260 * (sizes.bins(20_000) + 1) + blocks * (cells + 1))
        assert held <= sizes.index(20_000) < 3 * held


def test_too_many_records_are_refused_once_they_are_counted(source, tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "LARGEST_PIECE", 2)
    monkeypatch.setattr(memory, "SMALLEST_PIECE", 1)
    given = {"quasi_identifiers": ["x0", "x1", "x2"], "parameters": {"block_size": 20}}
    little = memory.PROGRAM + 64 * memory.SAMPLE * 3 + 30_000
    with pytest.raises(ParameterError, match="at least 430MB for 600 records of 3 quasi"):
        ma.protect_file(source(), tmp_path / "out", 5, memory=little, **given)
    assert not (tmp_path / "out").exists()


def test_an_amount_without_a_unit_is_bytes():
    with pytest.raises(ParameterError, match=r"Got 2 bytes\."):
        budget(bytes_of("2"), 10)


def test_a_block_size_that_does_not_fit_is_refused():
    assert budget(10**9, 5, 20_000).block_size == 20_000
    with pytest.raises(ParameterError, match="blocks of 9,000,000 records"):
        budget(10**9, 5, 9_000_000)


PEAK = """
import re, sys
import microagg as ma
ma.protect_file(sys.argv[1], sys.argv[2], 5, quasi_identifiers=["x0", "x1"], memory="480MB")
with open("/proc/self/status") as status:
    print(re.search("VmHWM:\\s*(.*) kB", status.read())[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells the peak")
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_records_that_grow_stay_within_the_memory(tmp_path, suffix):
    x0, x1 = np.random.default_rng(0).normal(size=(2, 8000))
    texts = ["short"] * 2000 + [f"{i} " + "long text " * 1000 for i in range(6000)]
    ma.write_file(pa.table({"x0": x0, "x1": x1, "text": texts}), tmp_path / f"grow.{suffix}")
    command = [sys.executable, "-c", PEAK, tmp_path / f"grow.{suffix}"]
    for folder in ("first", "out"):  # the first compiles, which takes more
        done = subprocess.run(
            [*command, tmp_path / folder], capture_output=True, check=True, timeout=300
        )
    assert int(done.stdout) * 1024 < 480e6
    release = ma.read_file(tmp_path / "out" / f"release.{suffix}")
    assert release["text"].to_pylist() == texts


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, 500),
        ({"strata": "half", "weights": "heavy"}, 50),
        ({"parameters": {"within": "mdav"}}, 50),
        ({"confidential": ["half"], "l_diversity": 2}, 50),
        ({"parameters": {"block_size": 70}}, 70),
    ],
)
def test_blocks_are_large_only_where_that_takes_little_longer(
    tmp_path, monkeypatch, more, expected
):
    monkeypatch.setattr(stages, "LARGEST_BLOCK", 500)
    monkeypatch.setattr(memory, "LARGEST_BLOCK", 500)
    monkeypatch.setattr(stages, "BLOCK_SIZE", 50)
    monkeypatch.setattr(memory, "SMALLEST_BLOCK", 10)
    rng = np.random.default_rng(0)
    columns = {"x": rng.normal(size=200), "half": rng.choice(["a", "b"], 200)}
    path = tmp_path / "people.parquet"
    ma.write_file(pa.table({**columns, "heavy": rng.choice([1.0, 2.0], 200)}), path)
    release = ma.protect_file(path, tmp_path / "out", 3, quasi_identifiers=["x"], **more)
    assert release.provenance["arguments"]["parameters"]["block_size"] == expected
