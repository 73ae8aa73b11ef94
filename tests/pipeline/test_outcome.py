"""Outcome: every fact of a release is computed once, and nothing of the original leaves with it."""

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import microagg as ma
from microagg.errors import DataError
from microagg.measure import classes as classes_module
from microagg.measure.loss import information_loss
from microagg.pipeline import read
from microagg.pipeline.pairing import pair_of_outcome
from microagg.prepare import comparable

rng = np.random.default_rng(3)
FRAME = pd.DataFrame(
    {
        "age": rng.integers(20, 70, 60).astype(float),
        "pay": rng.normal(size=60),
        "sex": rng.choice(["f", "m"], 60),
        "ill": rng.choice(["flu", "cold", "none"], 60),
    }
)
ROLES = {"quasi_identifiers": ["age", "pay"], "confidential": ["ill"], "method": "mdav"}


class Calls:
    """Counts the calls of a function and the arguments that tell one from another."""

    def __init__(self, function, key):
        self.function, self.key, self.keys = function, key, []

    def __call__(self, *arguments, **options):
        self.keys.append(self.key(*arguments, **options))
        return self.function(*arguments, **options)


def test_each_fact_is_computed_once_from_frame_to_report(tmp_path, monkeypatch):
    reads = Calls(read.read_columns, lambda *_: "columns")
    scaled = Calls(comparable.prepare, lambda *_, **__: "scaled")
    counted = Calls(classes_module.classes_of, lambda table: tuple(table.column_names))
    lost = Calls(information_loss.squared_errors, lambda *_: "squares")
    monkeypatch.setattr(read, "read_columns", reads)
    monkeypatch.setattr("microagg.pipeline.pairing.read_columns", reads)
    monkeypatch.setattr(comparable, "prepare", scaled)
    monkeypatch.setattr(classes_module, "classes_of", counted)
    monkeypatch.setattr(information_loss, "squared_errors", lost)
    release = ma.protect(FRAME, 3, l_diversity=2, **ROLES)
    release.write({"report": tmp_path / "r.html", "summary": tmp_path / "s.txt"})
    assert len(reads.keys) == 1
    assert len(scaled.keys) == 1
    assert counted.keys == [("age", "pay")]  # k, l-diversity, exposure, measures, report
    assert len(lost.keys) == 2  # SSE and SST


def test_a_written_file_is_counted_once_more(tmp_path, monkeypatch):
    release = ma.protect(FRAME, 3, l_diversity=2, **ROLES)
    counted = Calls(classes_module.classes_of, lambda table: tuple(table.column_names))
    monkeypatch.setattr(classes_module, "classes_of", counted)
    release.save(tmp_path / "out")
    assert counted.keys == [("age", "pay")]


def test_nothing_of_the_original_is_pickled():
    release = ma.protect(FRAME, 3, **ROLES)
    again = pickle.loads(pickle.dumps(release))
    assert again.outcome.pair is None
    assert again.summary() == release.summary()
    assert again.provenance == release.provenance
    pd.testing.assert_frame_equal(again.data, release.data)
    with pytest.raises(DataError, match="not kept"):
        pair_of_outcome(again.outcome)
    pair = pair_of_outcome(again.outcome, FRAME)
    assert pair.keys == ("age", "pay")


def test_the_pair_of_a_release_is_that_of_assess():
    release = ma.protect(FRAME, 3, **ROLES)
    kept = pair_of_outcome(release.outcome)
    again = pair_of_outcome(pickle.loads(pickle.dumps(release)).outcome, FRAME)
    for name in kept.columns:
        assert np.array_equal(kept.columns[name].values, again.columns[name].values)
        assert np.array_equal(kept.values[name], again.values[name])
    judged = ma.assess(FRAME, release.data, quasi_identifiers=["age", "pay"], measures=["il"])
    assert judged.measures["il"] == release.measures["il"]


def test_a_frame_that_was_changed_in_place_is_not_reported_on(tmp_path):
    table = pa.table({"a": rng.normal(size=20)})
    frame = table.to_pandas()
    release = ma.protect(frame, 3, quasi_identifiers=["a"], method="mdav")
    release.outcome.pair.columns["a"].values.flags.writeable = True
    release.outcome.pair.columns["a"].values[0] += 1
    with pytest.raises(DataError, match="not the frame that was protected"):
        release.write({"report": tmp_path / "r.html"})


def test_the_file_of_the_records_is_given_to_a_new_release(tmp_path):
    path = tmp_path / "people.csv"
    FRAME.to_csv(path, index=False)
    from microagg.data.source import read_source

    source = read_source(path)
    release = ma.protect(FRAME, 3, **ROLES)
    with_file = release.with_source(source, blank=("?",))
    assert "file" not in release.provenance["input"]
    kept = with_file.provenance["input"]
    assert (kept["file"], kept["file_sha256"]) == ("people.csv", source.sha256)
    assert kept["blank"] == ["?"]
    assert with_file.data is release.data
