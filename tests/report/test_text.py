"""The summary: what a person wants to know, and nothing of a single record."""

import pandas as pd
import pytest

import microagg as ma
from microagg.errors import AnonymityError
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
    assert "7 records in 2 groups, formed by mdav." in text
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
    assert (
        "CAUTION: The index (passport) is released and has a different value in each record" in text
    )


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


@pytest.mark.parametrize("levels", [["house"], ["house", None]])
def test_an_index_whose_labels_single_records_out_is_a_caution(levels):
    frame = pd.DataFrame({"a": [1.0, 2, 3, 4]})
    shared = pd.MultiIndex.from_arrays([list("xxyy")] * len(levels), names=levels)
    single = pd.MultiIndex.from_arrays([list("xyyy")] * len(levels), names=levels)
    options = {"quasi_identifiers": ["a"], "method": "mdav"}
    assert not ma.protect(frame.set_axis(shared), 2, **options).cautions
    (caution,) = ma.protect(frame.set_axis(single), 2, **options).cautions
    assert "single records out: fewer than k = 2" in caution
    with pytest.raises(AnonymityError, match="single records out"):
        ma.protect(frame.set_axis(single), 2, strict=True, **options)


def test_nothing_to_check_is_no_warning():
    release = ma.protect(pd.DataFrame({"a": [1, 2, 3, 4]}), 2, quasi_identifiers=["a"])
    assert "(no role): none\n" in release.summary()
    assert "Check these" not in release.summary()


def test_what_is_to_be_checked_follows_its_columns():
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "w": [1.0, 1, 2, 2]})
    text = ma.protect(frame, 2, quasi_identifiers=["a"], weights="w").summary()
    assert "Released unchanged (weights of the records): w\n  Check these" in text


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
    exposure = (
        "on this column and the quasi-identifiers together, no record is in a class of fewer than 3 "
        "records."
    )
    assert f"1 of them is not declared confidential: {exposure}\nGroup sizes" in text
    alone = ma.protect(pd.DataFrame({"a": [1, 2, 3, 4]}), 2, quasi_identifiers=["a"])
    assert "Every column was replaced." in alone.summary()


def test_names_that_would_run_into_each_other_are_quoted():
    frame = pd.DataFrame({"net, pay": [1, 2, 3, 4], "a b": list("wxyz"), "two\nlines": [0] * 4})
    text = ma.protect(frame, 2, quasi_identifiers=["net, pay"]).summary()
    assert '(quasi-identifiers): "net, pay"\n' in text
    assert '(no role): "a b", "two\\nlines"\n' in text
    assert '\n  "net, pay"  ' in text


def test_labels_of_an_index_that_single_units_out_are_a_caution():
    frame = pd.DataFrame({"a": [1.0, 1, 1, 1], "person": [1, 1, 2, 3]}, index=list("xxyy"))
    options = {"quasi_identifiers": ["a"], "identifiers": ["person"]}
    assert not [c for c in ma.protect(frame, 2, **options).cautions if "single records out" in c]
    release = ma.protect(frame, 2, quasi_identifiers=["a"], unit="person")
    assert [c for c in release.cautions if "single records out" in c]
