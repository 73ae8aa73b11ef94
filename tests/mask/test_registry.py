"""Maskings: methods of `protect` that make no groups of whole records."""

import numpy as np
import pyarrow as pa
import pytest

import microagg as ma
from microagg.errors import AnonymityError, ParameterError
from microagg.mask import registry
from microagg.mask.masked import Masked
from microagg.measure.anonymity import Promise
from microagg.partition.partition import Partition

PEOPLE = pa.table({"age": [30.0, 31.0, 40.0, 41.0], "income": [5.0, 9.0, 6.0, 8.0]})
CAUTION = "Nothing is promised of both columns together."


@pytest.fixture
def halves(monkeypatch):
    """A masking that gives each column two values, in another order for each."""
    monkeypatch.setattr(registry, "_MASKINGS", dict(registry._MASKINGS))

    @registry.masking("halves", summary="two values a column", reference="ours", promise="columns")
    def mask(task, *, spread: float = 0.0):
        columns = {
            name: np.where(values > np.median(values), 1.0, spread)
            for name, values in task.original.items()
        }
        promises = tuple(Promise((name,), task.k) for name in task.names)
        return Masked(columns, Partition([0, 1, 2, 3], k=1), promises, (CAUTION,))

    return mask


def protect(**kwargs):
    return ma.protect(PEOPLE, 2, quasi_identifiers=["age", "income"], **kwargs)


def test_a_masking_is_a_method_of_protect(halves):
    release = protect(method="Halves", parameters={"spread": 0.5})
    assert release.data["income"].to_pylist() == [0.5, 1.0, 0.5, 1.0]
    assert release.measures["k"] == 1  # counted on the whole, whatever is promised
    assert [promise.columns for promise in release.promises] == [("age",), ("income",)]


def test_what_is_not_promised_opens_summary_and_report(halves, tmp_path):
    release = protect(method="halves")
    summary = release.summary()
    assert summary.startswith(f"CAUTION: {CAUTION}")
    assert "each value of age belongs to at least 2 released records" in summary
    assert "k = 1, for the quasi-identifiers as a whole" in summary
    release.write({"report": tmp_path / "r.html"}, original=PEOPLE)
    report = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert CAUTION in report
    assert "a group of at least 2" not in report


def test_a_broken_promise_is_never_released(halves, monkeypatch):
    broken = Masked(
        {"age": np.arange(4.0), "income": np.zeros(4)},
        Partition([0, 1, 2, 3], k=1),
        (Promise(("age",), 2),),
    )
    registry.masking("broken", summary="", reference="", promise="")(lambda task: broken)
    with pytest.raises(AnonymityError):
        protect(method="broken")


def test_refine_and_unknown_parameters_are_refused(halves):
    with pytest.raises(ParameterError, match="'refine' parameter applies to groups"):
        protect(method="halves", refine="swap-shift")
    with pytest.raises(ParameterError, match="spread"):
        protect(method="halves", parameters={"spred": 1})
    with pytest.raises(ParameterError, match="There is no method 'halfs'"):
        protect(method="halfs")


@pytest.mark.parametrize("name", [masking.name for masking in registry.maskings()])
def test_the_file_of_a_masking_is_named_after_it(name):
    """So that a masking is found without importing all others."""
    module = registry.masking_called(name).function.__module__
    assert module == f"microagg.mask.{name.replace('-', '_')}"


@pytest.mark.parametrize("name", ["mdav", "groups", "../groups", 5, None])
def test_other_names_are_no_masking(name):
    assert registry.masking_called(name) is None
