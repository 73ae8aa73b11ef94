"""The summary: what a person wants to know, and nothing of a single record."""

import pandas as pd
import pytest

import microagg as ma
from microagg.report.summary import summary_of
from microagg.report.text import render


@pytest.fixture
def release():
    frame = pd.DataFrame(
        {
            "name": [f"person {i}" for i in range(7)],
            "age": [987001, 987002, 987003, 987101, 987102, 987103, 987104],
            "ill": [0, 1] * 3 + [1],
            "city": ["x"] * 7,
        }
    )
    roles = {"quasi_identifiers": ["age"], "identifiers": ["name"], "confidential": ["ill"]}
    return ma.protect(frame, 3, method="mdav", **roles)


def test_the_numbers(release):
    summary = summary_of(release.outcome)
    assert (summary.rows, summary.groups, summary.method) == (7, 2, "mdav")
    assert (summary.k_promised, summary.k) == (3, 3)
    assert summary.group_sizes == {3: 1, 4: 1}
    assert summary.information_loss == release.measures["il"]
    assert summary.loss_by_column == pytest.approx({"age": release.measures["il"]})


def test_every_column_is_listed_once_by_what_became_of_it(release):
    summary = summary_of(release.outcome)
    assert summary.removed == ("name",)
    assert summary.replaced == ("age",)
    assert summary.confidential == ("ill",)
    assert summary.unchanged == ("city",)


def test_the_text(release):
    text = release.summary()
    assert text == render(summary_of(release.outcome))
    assert "7 records in 2 groups by mdav." in text
    assert "belongs to at least 3 released records (k = 3)" in text
    assert "Checked on the released values: k = 3." in text
    assert "Group sizes: 1 of 3, 1 of 4." in text
    assert f"Information loss: {release.measures['il']:.3f} %" in text
    assert "Removed (identifiers): name\n" in text
    assert "Released unchanged (no role): city\n  Check these" in text
    assert text.endswith("\n")


def test_the_text_holds_no_record(release):
    text = release.summary()
    assert "9870" not in text
    assert "9871" not in text
    assert "person 1" not in text


def test_an_index_that_is_released_is_named():
    frame = pd.DataFrame({"a": [1, 2, 3, 4]}, index=pd.Index(list("wxyz"), name="passport"))
    text = ma.protect(frame, 2, quasi_identifiers=["a"], index="keep").summary()
    assert "Index of the frame (not written to files): passport\n  Check these" in text
    assert "CAUTION: The index (passport) is unique in each record" in text


def test_an_index_that_names_records_is_removed():
    index = pd.Index(list("wxyz"), name="passport")
    release = ma.protect(pd.DataFrame({"a": [1, 2, 3, 4]}, index=index), 2, quasi_identifiers=["a"])
    assert list(release.data.index) == [0, 1, 2, 3]
    assert "Removed (index that identifies each record): passport" in release.summary()
    assert release.provenance["result"]["index_dropped"]
    repeated = pd.DataFrame({"a": [1, 2, 3, 4]}, index=list("xxyy"))
    kept = ma.protect(repeated, 2, quasi_identifiers=["a"])
    assert list(kept.data.index) == list("xxyy")
    assert "index that names" not in kept.summary()


def test_nothing_to_check_is_no_warning():
    release = ma.protect(pd.DataFrame({"a": [1, 2, 3, 4]}), 2, quasi_identifiers=["a"])
    assert "(no role): none\n" in release.summary()
    assert "Check these" not in release.summary()


def test_many_sizes_are_cut_short():
    from dataclasses import replace

    frame = pd.DataFrame({"a": range(10)})
    summary = summary_of(ma.protect(frame, 2, quasi_identifiers=["a"]).outcome)
    sizes = dict.fromkeys(range(2, 12), 1)
    text = render(replace(summary, group_sizes=sizes))
    assert "Group sizes: 1 of 2, 1 of 3, 1 of 4, 1 of 5, 1 of 6, ..., 1 of 11." in text


def test_how_many_columns_are_unchanged_stands_by_the_promise(release):
    text = release.summary()
    assert "k = 3.\n2 of 3 columns are released unchanged.\n" in text
    exposure = "on it and the quasi-identifiers together, no record is in a class of fewer than 3."
    assert f"1 of them is not confidential: {exposure}\nGroup sizes" in text
    alone = ma.protect(pd.DataFrame({"a": [1, 2, 3, 4]}), 2, quasi_identifiers=["a"])
    assert "Every column was replaced." in alone.summary()


def test_names_that_would_run_into_each_other_are_quoted():
    frame = pd.DataFrame({"net, pay": [1, 2, 3, 4], "a b": list("wxyz"), "two\nlines": [0] * 4})
    text = ma.protect(frame, 2, quasi_identifiers=["net, pay"]).summary()
    assert '(quasi-identifiers): "net, pay"\n' in text
    assert '(no role): "a b", "two\\nlines"\n' in text
    assert '\n  "net, pay"  ' in text
