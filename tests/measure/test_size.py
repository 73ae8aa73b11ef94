"""Measures do not depend on the unit of a column, however large or small its numbers are."""

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.errors import DataError
from microagg.measure.pair import of_usual_size

KEYS = ["a", "b", "c"]


def pair(unit):
    """Return 60 records and groups of four of them, two columns in a unit."""
    X = np.random.default_rng(0).normal(0.5, 0.2, size=(60, 3))
    means = np.repeat(X.reshape(15, 4, 3).mean(axis=1), 4, axis=0)
    return tuple(pd.DataFrame(values * [unit, 1.0, unit], columns=KEYS) for values in (X, means))


def measured(unit):
    findings = ma.assess(*pair(unit), quasi_identifiers=KEYS).findings
    return {f.measure.name: -1.0 if f.value is None else f.value for f in findings}


@pytest.mark.parametrize("exponent", [256, 400, 490, -256, -450])
def test_every_measure_is_the_same_in_any_unit(exponent):
    usual, other = measured(1.0), measured(2.0**exponent)
    assert other == pytest.approx(usual, rel=1e-9, abs=1e-12, nan_ok=False)


@pytest.mark.parametrize("unit", [1e78, 1e149])
def test_a_report_of_very_large_values(unit, tmp_path):
    release = ma.protect(pair(unit)[0], 4, quasi_identifiers=KEYS, method="mdav")
    release.write({"report": tmp_path / "report.html"})
    assert "<svg" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("unit", [1e200, 1e307])
def test_values_whose_squares_overflow_are_refused(unit):
    with pytest.raises(DataError, match=r"beyond 1e\+150"):
        ma.assess(*pair(unit), quasi_identifiers=KEYS)
    with pytest.raises(DataError, match=r"beyond 1e\+150"):
        ma.protect(pair(unit)[0], 4, quasi_identifiers=KEYS)


def test_numbers_of_usual_size_stay_as_they_are():
    X = np.array([[1.5, np.nan, -3.0], [1e30, 0.0, np.nan], [0.0, 0.0, 0.0]])
    before, after = of_usual_size(X, X / 2)
    assert np.array_equal(before, X, equal_nan=True)
    assert np.array_equal(after, X / 2, equal_nan=True)


def test_a_number_next_to_zero_has_no_relative_change():
    before = pd.DataFrame({"a": [5e-324, 1e10, 2e10, 3e10], "b": [1.0, 2.0, 3.0, 4.0]})
    after = before.assign(a=1.5e10)
    findings = {
        f.measure.name: f for f in ma.assess(before, after, quasi_identifiers=["a", "b"]).findings
    }
    for name in ("variation-data", "g-il"):
        assert findings[name].value is None
        assert "close to 0" in findings[name].reason
    assert findings["variation-means"].value == pytest.approx(0.0, abs=1e-9)
