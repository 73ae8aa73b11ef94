"""assess: any masked file, of any tool, matched by position or by key."""

import re
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import microagg as ma
from microagg.assess import assess
from microagg.errors import DataError, ParameterError


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, 200).astype(float)
    income = (age * 700 + rng.normal(0, 9000, 200)).round()
    names = [f"person {i}" for i in range(200)]
    city = rng.choice(["north", "south"], 200)
    return pd.DataFrame({"name": names, "age": age, "income": income, "city": city})


def with_noise(frame, share=0.1):
    rng = np.random.default_rng(1)
    noise = {c: frame[c] + rng.normal(size=len(frame)) * share * frame[c].std()
             for c in ("age", "income")}  # fmt: skip
    return frame.assign(**noise)


def rank_swapped(frame, reach=10):
    """Swap each value with one up to `reach` ranks away."""
    rng, out = np.random.default_rng(2), frame.copy()
    for column in ("age", "income"):
        order = np.argsort(frame[column].to_numpy(), kind="stable")
        for i in range(0, len(order) - reach, 2):
            j = i + int(rng.integers(1, reach))
            order[i], order[j] = order[j], order[i]
        values = np.empty(len(frame))
        values[order] = np.sort(frame[column].to_numpy())
        out[column] = values
    return out


def rounded(frame):
    return frame.assign(age=(frame["age"] / 10).round() * 10, income=frame["income"].round(-4))


def microaggregated(frame):
    return ma.protect(frame, k=5, quasi_identifiers=["age", "income"]).data


@pytest.mark.parametrize("masked", [with_noise, rank_swapped, rounded, microaggregated])
def test_files_of_other_tools(people, masked):
    people = people[["age", "income"]]
    found = assess(people, masked(people))
    assert found.pair.keys == ("age", "income")
    assert found.warnings == ()
    assert 0 < found.measures["il"] < 30
    assert 0 < found.measures["g-dr"] < 100
    assert (found.score is None) == (found.measures["k"] == 1)
    assert found.score == pytest.approx(found.measures.get("score"))


def test_what_is_safer_is_found_safer(people):
    risks = [assess(people, m(people)).measures["rld"] for m in (with_noise, microaggregated)]
    assert risks[0] > risks[1]
    assert assess(people, microaggregated(people)).measures["k"] >= 5
    assert assess(people, with_noise(people)).measures["k"] == 1


def test_its_il_is_that_of_protect(people):
    release = ma.protect(people, k=3, quasi_identifiers=["age", "income"])
    assert assess(people, release.data).measures["il"] == pytest.approx(release.measures["il"])


@pytest.mark.parametrize("kind", [pl.from_pandas, pa.Table.from_pandas])
def test_frames_of_any_type(people, kind):
    expected = assess(people, rounded(people)).as_dict()
    assert assess(kind(people), kind(rounded(people))).as_dict() == expected


class TestKey:
    def test_rows_that_were_moved_and_left_out(self, people):
        masked = with_noise(people)
        expected = assess(people.iloc[:150], masked.iloc[:150]).measures
        shuffled = masked.iloc[:150].sample(frac=1, random_state=3)
        found = assess(people, shuffled, match_on="name")
        assert found.measures == pytest.approx(expected)
        assert found.left_out == 50
        assert "50 original records are not in the release" in found.warnings[-1]
        assert found.pair.keys == ("age", "income")

    def test_row_numbers_are_those_of_the_original(self, people):
        masked = with_noise(people)
        shuffled = masked.sample(frac=1, random_state=4)
        assert (
            assess(people, shuffled, match_on="name").at_risk.rows
            == assess(people, masked).at_risk.rows
        )

    def test_a_key_that_does_not_name_records(self, people):
        with pytest.raises(DataError, match="198 are repeated"):
            assess(people, people, match_on="city")

    def test_records_that_the_original_does_not_have(self, people):
        other = people.assign(name=people["name"] + "!")
        with pytest.raises(DataError, match="200 released records"):
            assess(people, other, match_on="name")

    def test_no_such_column(self, people):
        with pytest.raises(ParameterError, match="'nam'"):
            assess(people, people, match_on="nam")


class TestSamePopulation:
    def test_other_numbers_of_rows(self, people):
        with pytest.raises(DataError, match="has 200 records and the release 199"):
            assess(people, people.iloc[1:])

    def test_moved_rows_are_suspected(self, people):
        moved = with_noise(people).sample(frac=1, random_state=5).reset_index(drop=True)
        moved["name"] = people["name"]
        assert "in a different order" in assess(people, moved).warnings[-1]

    def test_another_unit_is_suspected_or_refused(self, people):
        one = people.assign(income=people["income"] + 1e9)
        assert "'income'" in assess(people, one, quasi_identifiers=["age", "income"]).warnings[0]
        with pytest.raises(DataError, match="overlaps"):
            assess(people, one)

    def test_one_mean_for_all_is_not_suspected(self, people):
        flat = people.assign(age=people["age"].mean(), income=people["income"].mean())
        assert "in a different order" not in " ".join(assess(people, flat).warnings)


def test_no_value_of_a_record_is_said(people):
    people["age"] += 0.5  # so that ages are no row numbers
    found = assess(people, with_noise(people), confidential=["city"])
    said = found.summary() + str(found.as_dict()) + repr(found)
    assert "person" not in said
    assert not [v for v in people["income"] if re.search(rf"\b{int(v)}\b", said)]
    assert "Data rows that distance-based record linkage on the quasi-identifiers is most " in said


def test_a_weight_and_its_bounds(people):
    found = assess(people, microaggregated(people), loss_weight=1.0)
    assert found.score == pytest.approx(found.measures["g-il"])
    assert "With a weight of 1 on loss" in found.summary()
    with pytest.raises(ParameterError, match="from 0 to 1"):
        assess(people, people, loss_weight=2.0)


def test_only_some_measures(people):
    found = assess(people, rounded(people), measures=["il", "k"])
    assert list(found.measures) == ["il", "k"]
    assert found.at_risk.rows == ()
    assert found.score is None


def test_missing_values_and_categories(people):
    people.loc[3:9, "age"] = np.nan
    masked = rounded(people).assign(city=people["city"].replace("south", "north"))
    found = assess(people, masked)
    assert found.pair.keys == ("age", "income", "city")
    assert found.measures["categories-changed"] > 0
    assert not [f for f in found.findings if "estimated" in f.note]


def test_columns_that_are_not_judged_are_named():
    people = pa.table({"age": [30, 32, 60, 64], "pay": [1, 2, 3, 4], "city": [1, 1, 2, 2]})
    masked = pa.table({"age": [31, 31, 62, 62], "pay": [1, 2, 3, 4], "town": [1, 1, 2, 2]})
    said = " ".join(assess(people, masked).not_judged)
    assert "Not evaluated, because they are not quasi-identifiers: pay." in said
    assert "only one file has them: city, town." in said


def test_what_is_printed_has_the_counts():
    frame = pd.DataFrame({"age": [20.0, 20, 40, 40], "home": [1, 1, 1, 2]})
    options = {"quasi_identifiers": ["age"], "unit": "home", "measures": ["k", "k-units"]}
    result = ma.assess(frame, frame[["age"]], **options)
    assert repr(result) == f"Assessment(n=4, k=2, units=1, warnings={len(result.warnings)})"
    printed = repr(ma.assess(frame[["age"]], frame[["age"]], measures="il"))
    assert printed.startswith("Assessment(n=4, k=2, il=0.000 %, warnings=")


def test_text_that_looks_like_dates_is_a_warning(people):
    days = pd.date_range("2020-01-01", periods=len(people)).strftime("%Y-%m-%d")
    frame = people.assign(visit=days)
    keys = {"quasi_identifiers": ["age", "visit"], "identifiers": ["name"]}
    masked = ma.protect(frame, 5, kinds={"visit": "continuous"}, **keys).data
    about = "columns of text look like dates: visit"
    options = {"quasi_identifiers": ["age", "visit"], "measures": "k"}
    (warned,) = (each for each in assess(frame, masked, **options).warnings if about in each)
    assert "risk of linkage may be understated" in warned
    assert "most frequent value" not in warned  # nothing is replaced here
    for described in ({"kinds": {"visit": "continuous"}}, {"kinds": {"visit": "nominal"}}):
        judged = assess(frame, masked, **options, **described)
        assert not any(about in warning for warning in judged.warnings)


def test_other_units_are_no_mask():
    values = np.random.default_rng(0).normal(50, 10, size=100)
    people, masked = pa.table({"age": values}), pa.table({"age": values * 0.8})
    assert any("other units" in warning for warning in assess(people, masked).warnings)
    rounded = pa.table({"age": values.round(-1)})
    assert not any("other units" in warning for warning in assess(people, rounded).warnings)


def test_the_numbers_of_a_shuffled_copy_are_in_doubt(people):
    copy = people.sample(frac=1, random_state=5).reset_index(drop=True)
    found = assess(people, copy, quasi_identifiers=["age", "income"])
    assert "in a different order" in found.warnings[-1]
    doubtful = {f.measure.name for f in found.findings if f.doubtful}
    assert {"linkage", "il"} <= doubtful
    assert found.measures["uniques-released"] > 90
    assert not {"uniques-released", "error-correlations"} & doubtful
    assert found.at_risk.rows == ()
    assert "Data rows" not in found.summary()


def test_what_is_judged_in_any_order_does_not_depend_on_it(people):
    people["ill"] = np.arange(200) % 3
    masked = rounded(people).assign(city=people["city"].replace("south", "north"))
    moved = masked.sample(frac=1, random_state=5).reset_index(drop=True)
    how = {"quasi_identifiers": ["age", "income", "city"], "confidential": ["ill"]}
    found, again = assess(people, masked, **how), assess(people, moved, **how)
    assert not any(f.doubtful for f in found.findings)
    certain = [f for f in again.findings if not f.doubtful and f.value is not None]
    assert len(certain) >= 15
    for finding in certain:
        name = finding.measure.name
        assert finding.value == pytest.approx(found.measures[name]), name
    assert "il" not in {f.measure.name for f in certain}


def test_the_external_face_names_no_row(people):
    found = assess(people, with_noise(people))
    assert (
        "Data rows that distance-based record linkage on the quasi-identifiers" in found.summary()
    )
    assert "Data rows" not in found.summary("external")
    assert found.as_dict()["worst_rows"]
    assert not {"worst_rows", "worst_chance"} & set(found.as_dict("external"))


class TestKinds:
    def test_are_said_and_follow_the_rules_of_protect(self):
        days = pd.to_datetime(
            pd.Series(["2020-01-01", "2020-01-05", "2020-02-01", "2020-02-03"] * 9)
        )
        grade = pd.Categorical(["b", "a", "c", "b"] * 9, categories=["c", "b", "a"], ordered=True)
        before = pd.DataFrame({"day": days, "grade": grade, "sex": ["f", "m"] * 18})
        after = before.assign(day=days + pd.Timedelta(days=1), grade=grade[::-1], sex="f")
        found = assess(before, after)
        kinds = {"day": "continuous", "grade": "ordinal", "sex": "nominal"}
        assert found.as_dict()["kinds"] == kinds
        assert "Treated as ordered categories: grade." in found.summary()
        assert found.pair.categories["grade"].labels == ("c", "b", "a")
        notes = {f.measure.name: f.note for f in found.findings}
        assert notes["variation-data"] == "only numeric columns: 1 of 3 quasi-identifiers"
        assert notes["interval-disclosure"] == notes["linkage"] == ""

    def test_orders_and_weights(self):
        before = pd.DataFrame({"size": ["s", "m", "l", "s"] * 10, "w": [1, 2, 3, 4] * 10})
        after = before.assign(size="m")
        found = assess(before, after, orders={"size": ["s", "m", "l"]}, weights="w")
        assert found.measures["categories-changed"] == pytest.approx(100 * 0.5 * 8 / 10)
        assert "w" not in " ".join(found.not_judged).split()
        il = next(f for f in found.findings if f.measure.name == "il")
        assert il.note == "records weighted with 'w'"

    def test_intervals_as_text_are_told_of(self, people):
        masked = people.assign(age=pd.cut(people["age"], [0, 40, 60, 120]).astype(str))
        found = assess(people, masked)
        assert (
            "'age' was released in categories that the original does not have" in found.warnings[-1]
        )
        assert found.measures["il"] == pytest.approx(100)
        assert not [f for f in found.findings if f.measure.kind == "risk" and not f.doubtful
                    and f.measure.compares_values]  # fmt: skip

    def test_a_code_among_numbers_is_told_of(self):
        before = pd.DataFrame({"pay": [str(17 * i) for i in range(40)] + ["N"] * 9})
        found = assess(before, before.assign(pay=["17"] * 49))
        assert (
            "'pay' was treated as categorical: it contains numbers and, in some records, a word"
            in found.warnings[0]
        )


class TestWhatIsReleasedUnchanged:
    def test_a_file_that_is_almost_unmasked_is_told_of_with_a_number(self):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(rng.normal(size=(200, 13)), columns=list("abcdefghijklm"))
        found = assess(frame, frame.assign(a=frame["a"].round(0)))
        assert found.measures["k"] >= 1
        assert "12 columns are released unchanged" in found.warnings[0]
        assert "100 % of the records are unique" in found.warnings[0]
        assert "Warning: 12 columns" in found.summary("external")
        assert found.as_dict()["unchanged"]["records_alone_percent"] == 100

    def test_records_alone_are_counted_on_all_columns_together(self):
        before = pd.DataFrame({"a": [1.0, 2, 3, 4, 5], "b": list("xxxyz"), "c": list("uuvuu")})
        found = assess(before, before.assign(a=[1.5, 1.5, 3.5, 3.5, 3.5]))
        numbers = found.as_dict()["unchanged"]
        assert (numbers["columns"], numbers["records_alone"]) == (["b", "c"], 3)
        assert "with them and the quasi-identifiers, 60.0 % of the records" in found.warnings[0]
        named = assess(before, before.assign(a=1.0), confidential=["b", "c"])
        assert named.warnings == ()

    @pytest.mark.parametrize("key", ["name", None])
    def test_a_column_that_names_each_record(self, people, key):
        found = assess(people, rounded(people), match_on=key)
        assert "Column 'name' identifies each record in the release: remove it." in found.warnings
        assert found.as_dict()["unchanged"]["naming_records"] == ["name"]
        moved = rounded(people).iloc[::-1].reset_index(drop=True)
        keys = ["age", "income"]
        assert assess(people, moved, match_on=key, quasi_identifiers=keys).other_columns.naming == (
            "name",
        )
        assert "each record in the release" not in " ".join(
            assess(people[keys], rounded(people)[keys]).warnings
        )


def test_a_warning_about_a_code_does_not_quote_it():
    before = pd.DataFrame({"pay": [str(17 * i) for i in range(40)] + ["N"] * 9})
    found = assess(before, before.assign(pay=["17"] * 49))
    for audience in ("internal", "external"):
        assert "in some records, a word" in found.summary(audience)
        assert "'N'" not in found.summary(audience)


def test_amounts_that_are_all_different_name_no_one_but_a_key_does():
    before = pd.DataFrame({"a": np.arange(40) / 3, "tax": 1000 * np.arange(40), "id": range(40)})
    after = before.assign(a=before["a"].round(-1))
    found = assess(before, after).other_columns
    assert (found.naming, found.unchanged, found.alone) == (("id",), ("tax",), 40)
    assert assess(before, after, match_on="tax").other_columns.naming == ("tax", "id")


def test_a_column_that_the_release_lacks_is_named_as_such(people):
    released = people[["age", "income"]]
    for options in (
        {"quasi_identifiers": ["city"]},
        {"confidential": ["city"]},
        {"target": "city"},
    ):
        with pytest.raises(
            ParameterError, match="names a column 'city' that is not in the release"
        ):
            assess(people, released, **options)
    with pytest.raises(ParameterError, match=r"'match_on' .*'name' that is not in the release"):
        assess(people, released, match_on="name")


def test_files_of_different_length_ask_for_a_key(people):
    with pytest.raises(DataError, match='match_on="id"'):
        assess(people, people[:-5])


class TestOneFile:
    visits = pd.DataFrame(
        {
            "patient": ["p", "p", "q", "r", "r", "s"],
            "age": [30, 30, 30, 60, 60, 60],
            "ill": ["flu", "flu", "cold", "flu", "cold", "cold"],
            "cost": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5],
        }
    )
    roles: ClassVar = {"quasi_identifiers": ["age"], "confidential": ["ill"]}

    def test_its_anonymity_is_that_of_the_file_compared_with_itself(self):
        alone = ma.assess(self.visits, unit="patient", **self.roles)
        pair = ma.assess(self.visits, self.visits, unit="patient", **self.roles)
        assert alone.measures == {name: pair.measures[name] for name in alone.measures}
        assert (alone.measures["k"], alone.measures["k-units"]) == (3, 2)
        assert alone.measures["l-diversity"] == 2
        assert "il" not in alone.measures
        assert alone.score is None

    def test_other_columns_are_judged_as_in_a_comparison_with_itself(self):
        n = 40
        salary = np.random.default_rng(0).normal(size=n)
        frame = pd.DataFrame({"age": np.repeat(np.arange(10), 4), "salary": salary})
        frame["name"] = [f"Person {i}" for i in range(n)]
        alone, pair = (
            ma.assess(*frames, quasi_identifiers=["age"], measures="k")
            for frames in ([frame], [frame, frame])
        )
        assert alone.as_dict()["unchanged"] == pair.as_dict()["unchanged"]
        assert alone.as_dict()["unchanged"]["records_alone"] == n
        assert alone.copies == pair.copies != ()
        text = alone.summary()
        assert "Column 'name' identifies each record in the file: remove it." in text
        assert "1 column is not evaluated; with it and the quasi-identifiers, 100 %" in text
        assert "released unchanged" not in text

    def test_the_summary_says_what_was_not_measured(self):
        text = ma.assess(self.visits, unit="patient", **self.roles).summary()
        assert "6 records of one file; quasi-identifiers: age." in text
        assert "Loss and linkage were not measured" in text
        assert "Not evaluated, because they are not quasi-identifiers: cost." in text
        assert "matched" not in text

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({}, "'quasi_identifiers' parameter must name"),
            ({"quasi_identifiers": ["age"], "match_on": "cost"}, "'match_on' parameter compares"),
            ({"quasi_identifiers": ["age"], "target": "cost"}, "'target' parameter compares"),
            ({"quasi_identifiers": ["age"], "measures": "il"}, "'measures' parameter must be"),
            (
                {"quasi_identifiers": ["age"], "loss_weight": 0.9},
                "'loss_weight' parameter compares",
            ),
            ({"quasi_identifiers": ["age"], "scale": "range"}, "'scale' parameter compares"),
            ({"quasi_identifiers": ["age"], "distance": "gower"}, "'distance' parameter compares"),
            (
                {"quasi_identifiers": ["age"], "column_weights": {"age": 2.0}},
                "'column_weights' parameter compares",
            ),
        ],
    )
    def test_what_compares_two_files_is_refused(self, options, message):
        with pytest.raises(ParameterError, match=message):
            ma.assess(self.visits, **options)
