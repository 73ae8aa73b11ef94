"""Provenance: what was done, to what, with what result; enough to do it again."""

import hashlib
import json
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

import microagg as ma
from microagg.errors import FileError
from microagg.json_text import to_json
from microagg.prepare.column import Column, fingerprint
from microagg.provenance import read, read_arguments


@pytest.fixture
def frame():
    rng = np.random.default_rng(5)
    return pd.DataFrame({"name": list("abcdefghijk"), "age": rng.integers(20, 70, 11),
                         "income": rng.normal(size=11)})  # fmt: skip


ARGUMENTS = {"quasi_identifiers": ["age", "income"], "identifiers": ["name"], "method": "cbfs-nc",
             "parameters": {"leftovers": "group"}, "seed": 3, "scale": "range",
             "integers": "round"}  # fmt: skip


def test_it_holds_what_is_needed_to_judge_and_to_repeat(frame):
    before = datetime.now(UTC).replace(microsecond=0)
    release = ma.protect(frame, 4, **ARGUMENTS)
    record = release.provenance
    assert record["provenance_format"] == 2
    assert before <= datetime.fromisoformat(record["created"]) <= datetime.now(UTC)
    assert 0 <= record["seconds"] < 100
    assert record["software"]["microagg"] == ma.__version__
    assert record["software"]["numpy"] == np.__version__
    assert record["input"]["rows"] == 11
    assert record["input"]["columns"] == ["name", "age", "income"]
    arguments = record["arguments"]
    assert (arguments["k"], arguments["method"], arguments["seed"]) == (4, "cbfs-nc", 3)
    assert (arguments["parameters"], arguments["scale"]) == ({"leftovers": "group"}, "range")
    assert arguments["identifiers"] == ["name"]
    result = record["result"]
    assert result["k"] == release.measures["k"] >= 4
    assert result["il"] == release.measures["il"]
    assert set(result["il_by_column"]) == {"age", "income"}
    sizes = {int(size): count for size, count in result["group_sizes"].items()}
    assert sum(size * count for size, count in sizes.items()) == 11
    assert sum(sizes.values()) == result["groups"] == release.partition.n_groups


def test_the_fingerprint_is_a_sha256_of_names_and_values():
    column = np.array([1.0, 2.5])
    expected = hashlib.sha256(b'"age"' + column.astype("<f8").tobytes()).hexdigest()

    def of(name, values, labels=()):
        return fingerprint({name: Column(name, "continuous", values, labels)})

    assert of("age", column) == expected
    assert of("age", column + 1) != expected
    assert of("agf", column) != expected
    assert of("age", column[::-1]) != expected
    assert of("age", column, ("low", "high")) != of("age", column, ("low", "mid"))


def test_the_fingerprint_is_that_of_the_records_in_any_kind_of_frame(frame):
    found = {
        ma.protect(kind, 3, quasi_identifiers=["age", "income"]).provenance["input"][
            "quasi_identifiers_sha256"
        ]
        for kind in (frame, pl.from_pandas(frame), frame.convert_dtypes())
    }
    assert len(found) == 1


def test_the_arguments_of_a_file_make_the_same_bytes_again(frame, tmp_path):
    first = ma.protect(frame, 4, **ARGUMENTS).save(tmp_path / "first")
    assert ma.read_arguments(first["provenance"])["parameters"] == {"leftovers": "group"}
    again = ma.protect(frame, **ma.read_arguments(first["provenance"])).save(tmp_path / "again")
    for what in ("data", "groups", "summary"):
        assert again[what].read_bytes() == first[what].read_bytes()
    one, two = (json.loads(paths["provenance"].read_text()) for paths in (first, again))
    for record in (one, two):
        record.pop("created")
        record.pop("seconds")
    assert one == two


def test_integer_names_and_numpy_numbers_survive_the_file(tmp_path):
    frame = pd.DataFrame({0: [1, 2, 8, 9], 1: [5, 6, 7, 8]})
    names = [np.int64(1), np.int64(0)]
    release = ma.protect(frame, np.int64(2), quasi_identifiers=names, seed=np.uint8(1))
    paths = release.save(tmp_path / "out")
    again = ma.protect(frame, **ma.read_arguments(paths["provenance"]))
    pd.testing.assert_frame_equal(again.data, release.data)


@pytest.mark.parametrize("names", [(0, 1), (True, False), (np.True_, np.False_)])
def test_names_that_are_not_text_survive_the_file_in_every_option(names, tmp_path):
    frame = pd.DataFrame({names[0]: [1, 2, 8, 9], names[1]: [5, 6, 7, 8]})
    release = ma.protect(
        frame, 2, quasi_identifiers=list(names), kinds={names[0]: "continuous"},
        round_to={names[1]: 0.5}, aggregate={names[0]: "median"},
    )  # fmt: skip
    paths = release.save(tmp_path / "out")
    again = ma.protect(frame, **ma.read_arguments(paths["provenance"]))
    pd.testing.assert_frame_equal(again.data, release.data)


def test_numpy_values_become_plain_json():
    values = {"a": np.float64(0.5), "b": np.array([1, 2]), "c": np.int32(3), "d": np.bool_(True)}
    assert json.loads(to_json(values)) == {"a": 0.5, "b": [1, 2], "c": 3, "d": True}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"provenance_format": 2}',
        '{"provenance_format": 3, "input": {}, "arguments": {"k": 3, "schema": {}, "parameters": {}}}',
        '{"provenance_format": 1}',
        '{"provenance_format": 1, "input": {}, "arguments": []}',
        '{"provenance_format": 1, "input": {}, "arguments": {"k": 3, "parameters": {}}}',
        '{"provenance_format": 1, "input": {}, "arguments": {"schema": {}, "parameters": {}}}',
        '{"provenance_format": 1, "input": {}, "arguments": {"k": 3, "schema": {}}}',
        '{"provenance_format": 1, "input": {},'
        ' "arguments": {"k": 3, "schema": {}, "parameters": {}, "data": 1}}',
        '{"provenance_format": 1, "input": {"read_as": {"x": 1}},'
        ' "arguments": {"k": 3, "schema": {}, "parameters": {}}}',
    ],
)
def test_what_is_no_provenance_file(tmp_path, content):
    path = tmp_path / "provenance.json"
    path.write_text(content)
    for reader in (read, read_arguments):
        with pytest.raises(FileError, match="provenance file"):
            reader(path)


def test_a_provenance_file_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match="There is no provenance file"):
        read_arguments(tmp_path / "none.json")
    with pytest.raises(FileError, match="cannot be read"):
        read_arguments(tmp_path)


def test_an_entry_that_is_named_twice_is_refused(frame, tmp_path):
    """Readers differ in which of the two counts, so a file could say one k to each."""
    path = tmp_path / "a.provenance.json"
    text = to_json(ma.protect(frame, 4, **ARGUMENTS).provenance)
    path.write_text(text)
    assert read_arguments(path)["k"] == 4
    path.write_text(text.replace('"k": 4', '"k": 4, "k": 2', 1))
    with pytest.raises(FileError, match="cannot be read as a provenance file"):
        read_arguments(path)
