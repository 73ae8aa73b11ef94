"""Utility: a model, a regression and subgroup means on original and release."""

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.assess import assess
from microagg.errors import DataError
from microagg.report.audience import Audience
from microagg.report.utility import utility_tables, utility_words

N = 600


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    age, sex = rng.normal(45, 12, N), rng.choice(["f", "m"], N)
    pay = 1000 + 40 * age + 300 * (sex == "m") + rng.normal(0, 150, N)
    return pd.DataFrame(
        {"age": age, "sex": sex, "pay": pay, "rich": np.where(pay > 3000, "y", "n")}
    )


def test_an_unchanged_file_loses_nothing(people):
    found = assess(
        people, people, quasi_identifiers=["age", "sex"], target="pay", measures=["il"]
    ).utility
    assert found.prediction.figure == "R^2"
    assert found.prediction.original > 0.8
    assert found.prediction.difference == 0
    assert found.overlap == pytest.approx(100)
    assert all(each.original == each.released for each in found.means)


@pytest.mark.parametrize("unit", [2.0**-600, 2.0**60, 2.0**400])
def test_the_unit_of_the_target_does_not_matter(people, unit):
    options = {"quasi_identifiers": ["age", "sex"], "target": "pay", "measures": ["il"]}
    other = people.assign(pay=people["pay"] * unit)  # far beyond float32, in which models compute
    one, two = (assess(each, each, **options).utility for each in (people, other))
    assert two.prediction == one.prediction
    assert [c.original / unit for c in two.coefficients] == [c.original for c in one.coefficients]
    assert [m.original / unit for m in two.means] == pytest.approx([m.original for m in one.means])


@pytest.mark.parametrize("extreme", [1e20, 1e140, 1.7e308])
def test_a_target_with_one_extreme_value_is_refused(people, extreme):
    extremes = people.assign(pay=people["pay"].where(people.index != 7, extreme))
    with pytest.raises(DataError, match="'pay' has values of too different sizes"):
        assess(extremes, extremes, quasi_identifiers=["age"], target="pay", measures=["il"])


def test_coefficients_are_those_of_least_squares(people):
    found = assess(people, people, quasi_identifiers=["age", "sex"], target="pay", measures=["il"])
    by_name = {each.name: each for each in found.utility.coefficients}
    assert by_name["age"].original == pytest.approx(40 * people["age"].std(ddof=0), rel=0.05)
    other = next(value.original for name, value in by_name.items() if name.startswith("sex"))
    assert abs(other) == pytest.approx(300, rel=0.15)


@pytest.mark.slow
def test_noise_ruins_what_microaggregation_keeps(people):
    keys = ["age", "sex"]
    release = ma.protect(people[[*keys, "rich"]], 5, quasi_identifiers=keys, method="mdav")
    options = {"quasi_identifiers": keys, "target": "rich", "measures": ["il"]}
    original = people[[*keys, "rich"]]
    good = assess(original, release.data, **options).utility
    rng = np.random.default_rng(1)
    shuffled = original.assign(
        age=rng.permutation(original["age"]), sex=rng.permutation(original["sex"])
    )
    poor = assess(original, shuffled, **options).utility
    assert good.prediction.figure == "AUC"
    assert good.prediction.released > 0.9 > 0.7 > poor.prediction.released
    assert poor.prediction.high < 0
    assert poor.overlap < good.overlap
    assert good.event == "y"


def test_words_tables_and_json(people):
    found = assess(people, people, quasi_identifiers=["age", "sex"], target="rich")
    assert "A gradient boosting model that predicts rich" in found.summary()
    assert found.as_dict()["utility"]["prediction"]["figure"] == "AUC"
    assert "not distinguishable from zero" in utility_words(found.utility, Audience("internal"))[0]
    tables = dict(utility_tables(found.utility, Audience.of("internal", 2)))
    assert "Share of rich = y by subgroup" in tables
    assert not utility_tables(found.utility, Audience("external", least=N + 1))


def test_a_target_that_cannot_be_predicted(people):
    with pytest.raises(ma.ParameterError, match="'nothing'"):
        assess(people, people, quasi_identifiers=["age"], target="nothing")
    constant = people.assign(rich="y")
    with pytest.raises(ma.DataError, match="too few different values"):
        assess(constant, constant, quasi_identifiers=["age"], target="rich")
    with pytest.raises(ma.DataError, match="no column to predict the target column 'age' from"):
        assess(people[["age"]], people[["age"]], target="age", measures=["k"])
    nested = people.assign(rich=[[1]] * N)
    with pytest.raises(ma.DataError, match="'rich' contains neither numbers nor text"):
        assess(nested, nested, quasi_identifiers=["age"], target="rich", measures=["k"])


def test_a_report_of_a_release_with_a_target(people, tmp_path):
    release = ma.protect(
        people, 5, quasi_identifiers=["age", "sex"], confidential=["pay"], method="mdav"
    )
    path = tmp_path / "report.html"
    release.write({"report": path}, original=people, target="pay")
    assert "What analysts can still do" in path.read_text(encoding="utf-8")


def test_a_column_that_is_released_as_missing_throughout(people):
    """A model of scikit-learn cannot take a column without any value."""
    empty = people.assign(age=np.nan)
    found = assess(
        people, empty, quasi_identifiers=["age", "sex"], target="pay", measures=["k"]
    ).utility
    assert found.prediction.released < found.prediction.original - 0.2


def test_a_target_of_nearly_as_many_categories_as_records_warns_of_nothing():
    """scikit-learn takes their codes for amounts; warnings are errors in tests."""
    frame = pd.DataFrame({"age": np.arange(60.0), "town": [f"t{i % 45}" for i in range(60)]})
    found = assess(frame, frame, quasi_identifiers=["age"], target="town", measures=["il"])
    assert found.utility.prediction.figure == "AUC"
