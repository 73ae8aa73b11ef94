"""Cautions about single records that determine a release, and the words of errors about settings."""

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.errors import ParameterError


@pytest.mark.parametrize(("largest", "warned"), [(1e12, True), (100.0, True), (20.0, False)])
def test_a_record_that_dominates_its_group_is_a_caution(largest, warned):
    frame = pd.DataFrame({"age": np.arange(60.0), "pay": np.arange(60.0) ** 2, "w": 1.0})
    frame.loc[30, "w"] = largest
    release = ma.protect(
        frame, 5, quasi_identifiers=["age", "pay"], weights="w", method="mdav", scale="zscore"
    )
    (group,) = [own for own in release.partition.groups() if 30 in own]
    share = largest / (largest + len(group) - 1)
    assert (share > 0.9) is warned
    assert (
        any("% of the weight of its group" in each for each in release.outcome.cautions) is warned
    )


@pytest.mark.parametrize("blank", [False, True])
@pytest.mark.parametrize(("largest", "warned"), [(1e12, True), (1_000.0, True), (20.0, False)])
def test_large_files_have_the_same_caution(largest, warned, blank, tmp_path):
    frame = pd.DataFrame({"age": np.arange(400.0), "pay": np.arange(400.0) ** 2, "w": 1.0})
    frame.loc[30, "w"] = largest
    if blank:
        frame.loc[7, "pay"] = np.nan
    frame.to_csv(tmp_path / "in.csv", index=False)
    options = {"quasi_identifiers": ["age", "pay"], "weights": "w", "missing": "keep"}
    release = ma.protect_file(
        tmp_path / "in.csv",
        tmp_path / "out",
        5,
        memory="500MB",
        parameters={"block_size": 50, "within": "mdav"},
        **options,
    )
    words = [each for each in release.outcome.cautions if "of the weight of its group" in each]
    in_memory = ma.protect(frame, 5, method="mdav", **options).outcome.cautions
    assert words == [each for each in in_memory if "of the weight of its group" in each]
    assert bool(words) is warned
    assert ("of the weight of its group" in release.summary()) is warned


def test_a_wrong_environment_variable_is_called_one(monkeypatch):
    monkeypatch.setenv("MICROAGG_ENGINE", "evil")
    with pytest.raises(ParameterError, match="The environment variable MICROAGG_ENGINE must be"):
        ma.partition(np.arange(20.0)[:, None], 3, method="mdav")


@pytest.mark.parametrize(("code", "warned"), [(-99, True), (999, True), (30, False)])
def test_numbers_that_look_like_codes_for_missing_values_are_a_caution(code, warned):
    ages = np.arange(20.0, 80.0)
    ages[[3, 14, 15]] = code
    release = ma.protect(pd.DataFrame({"age": ages}), 3, quasi_identifiers=["age"], method="mdav")
    cautions = [each for each in release.cautions if "look like codes for missing values" in each]
    assert len(cautions) == warned
    assert str(code) not in "".join(cautions).replace("such as -99 or 999", "")
