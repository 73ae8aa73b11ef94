"""Text that a spreadsheet would run is released as it is, with a caution."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import microagg as ma
from microagg.large import memory

HARMLESS = ["-1.5", "+49 30 1", "a=b", "-", "x@y.org", ""]
UNUSUAL = ["\uff1d1+1", "\u200b=1+1", "\ufeff@SUM(1)", "\uff0bcmd|' /C calc'!A0"]
FORMULAS = [
    *UNUSUAL,
    "=1+1",
    "@SUM(1)",
    "+cmd|' /C calc'!A0",
    "-A1",
    " =2",
    "-(1)",
    "-2+3+cmd|' /C calc'!D2",
]


def cautions(column, make):
    column = [*column, *["x"] * (12 - len(column))]
    frame = make({"age": np.arange(12.0), "note": column})
    release = ma.protect(frame, 3, quasi_identifiers=["age"], method="mdav")
    return [text for text in release.outcome.cautions if "formulas" in text]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_a_caution_that_quotes_nothing(text, make):
    (caution,) = cautions([text], make)
    assert caution.startswith(
        "Spreadsheet programs may run text in these columns as formulas: note."
    )
    assert text.strip() not in caution


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_other_text_is_none(make):
    assert not cautions(HARMLESS, make)


def test_categories_and_names():
    frame = pd.DataFrame({"age": np.arange(12.0), "=x": 1, "c": pd.Categorical(["@a", "b"] * 6)})
    release = ma.protect(frame, 3, quasi_identifiers=["age"], method="mdav")
    (caution,) = [text for text in release.outcome.cautions if "formulas" in text]
    assert "=x, c." in caution


def test_large_files_have_the_same_caution(tmp_path, monkeypatch):
    """The formula is in one of several pieces, and in the name of a column."""
    monkeypatch.setattr(memory, "LARGEST_PIECE", 29)
    texts = ["x"] * 120
    texts[70] = "=1+1"
    table = pa.table({"age": np.arange(120.0), "note": texts, "@a": texts[:70] + ["x"] * 50})
    ma.write_file(table, tmp_path / "people.csv")
    release = ma.protect_file(
        tmp_path / "people.csv",
        tmp_path / "out",
        3,
        quasi_identifiers=["age"],
        memory="500MB",
        parameters={"block_size": 60, "within": "mdav"},
    )
    (caution,) = [text for text in release.outcome.cautions if "formulas" in text]
    assert "formulas: note, @a." in caution
    assert "1+1" not in caution
