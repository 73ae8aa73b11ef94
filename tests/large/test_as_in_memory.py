"""protect_file has the groups of memory, whatever the pieces, the tables, the cuts and the cells."""

import numpy as np
import pyarrow as pa
import pytest

import microagg as ma
from microagg.data.streams import Stream
from microagg.large import memory, survey
from microagg.partition.search.blocks import block
from microagg.partition.search.blocks import blocks as search_blocks
from microagg.prepare import moments

ROLES = {"quasi_identifiers": ["x0", "x1", "x2"], "identifiers": ["name"]}
SMALL = {"parameters": {"block_size": 80}, **ROLES}


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    monkeypatch.setattr(memory, "LARGEST_PIECE", 77)


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_ties_fall_as_in_memory_whatever_the_pieces(tmp_path, monkeypatch, suffix):
    # Most distances are tied, and the last bit of a scale decides: it must not depend on the pieces.
    rng = np.random.default_rng(5)
    columns = {f"x{j}": rng.integers(0, 5, 900) * 0.1 for j in range(3)}
    path, given = (
        tmp_path / f"ties.{suffix}",
        {"quasi_identifiers": [*columns], "parameters": {"block_size": 100}},
    )
    ma.write_file(pa.table(columns), path)
    monkeypatch.setattr(moments, "CHUNK", 64)
    expected = ma.protect(pa.table(columns), 4, method="blocks", **given).partition.labels
    for piece in (77, 400):
        monkeypatch.setattr(memory, "LARGEST_PIECE", piece)
        release = ma.protect_file(path, tmp_path / f"out{piece}", 4, **given)
        assert np.array_equal(ma.read_file(release.paths["groups"])["group"], expected)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize("table", [500, 3000])
def test_tables_shorter_than_a_piece_change_nothing(
    people, source, tmp_path, monkeypatch, suffix, table
):
    expected = ma.protect_file(source(suffix), tmp_path / "whole", 5, **SMALL)
    in_memory = ma.protect(people, 5, method="blocks", **SMALL)
    monkeypatch.setattr(memory, "LARGEST_TABLE", table)
    lengths, plain = set(), Stream.tables

    def tables(self, rows, columns=None, stretches=None):
        for found in plain(self, rows, columns, stretches):
            lengths.add(found.num_rows)
            yield found

    monkeypatch.setattr(Stream, "tables", tables)
    found = ma.protect_file(source(suffix), tmp_path / "out", 5, **SMALL)
    assert len(lengths - {77}) > 1  # all columns take more than those that are grouped
    groups = ma.read_file(found.paths["groups"])
    assert groups["row"].to_pylist() == list(range(1, 601))
    assert np.array_equal(groups["group"], in_memory.partition.labels)
    assert found.measures == pytest.approx(expected.measures)
    data = [ma.read_file(release.paths["data"]) for release in (found, expected)]
    assert data[0].equals(data[1])
    for what in ("data", "groups"):
        assert found.paths[what].read_bytes() == expected.paths[what].read_bytes()


def test_integers_beyond_floats_among_fractions_are_read_as_in_memory(tmp_path):
    """Some pieces have integers alone, of which float64 has not the last digit."""
    values = [str(2**53 + 1 + i % 3) for i in range(150)] + [f"{i}.5" for i in range(50)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["x", *values]) + "\n")
    given = {"quasi_identifiers": ["x"], "parameters": {"block_size": 100, "within": "mdav"}}
    release = ma.protect_file(path, tmp_path / "out", 4, **given)
    table = ma.read_file(path, parse=["x"])
    in_memory = ma.protect(table, 4, method="blocks", **given)
    assert ma.read_file(release.paths["data"], parse=["x"])["x"].equals(in_memory.data["x"])


def test_joined_leaves_are_grouped_as_in_memory(tmp_path, monkeypatch):
    for module in (search_blocks, survey):
        monkeypatch.setattr(module, "SAMPLE", 40)  # knows little, so some leaves have too few
    X = np.random.default_rng(0).standard_cauchy(size=(1000, 2)).round()
    table, names = pa.table(list(X.T), names=["a", "b"]), ["a", "b"]
    ma.write_file(table, tmp_path / "far.parquet")
    given = {"quasi_identifiers": names, "parameters": {"block_size": 40}, "scale": "none"}
    expected = ma.protect(table, 10, method="blocks", **given).partition
    assert expected.facts.blocks < 32  # of a leaf for each of the sample
    release = ma.protect_file(tmp_path / "far.parquet", tmp_path / "out", 10, **given)
    assert np.array_equal(ma.read_file(release.paths["groups"])["group"], expected.labels)


@pytest.mark.slow
def test_overfull_cells_are_halved_as_in_memory(people, source, tmp_path, monkeypatch):
    plain = ma.protect(people, 5, method="blocks", **SMALL).partition
    monkeypatch.setattr(block, "OVERFULL", 0.3)
    expected = ma.protect(people, 5, method="blocks", **SMALL).partition
    assert expected != plain
    release = ma.protect_file(source(), tmp_path / "out", 5, **SMALL)
    assert np.array_equal(ma.read_file(release.paths["groups"])["group"], expected.labels)


@pytest.mark.slow
def test_chance_falls_as_in_memory(people, source, tmp_path):
    given = {"seed": 3, **ROLES, "parameters": {"within": "auto", "block_size": 80}}
    release = ma.protect_file(source(), tmp_path / "out", 5, **given)
    in_memory = ma.protect(people, 5, method="blocks", **given)
    assert ma.read_file(release.paths["data"]).equals(in_memory.data)
