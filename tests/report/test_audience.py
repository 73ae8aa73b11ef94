"""The external audience learns nothing that few records share, and nothing by subtraction."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.assess import assess
from microagg.measure.exposure import Exposure
from microagg.measure.other_columns import OtherColumns
from microagg.measure.pair import pair_of
from microagg.measure.registry import Finding, evaluate, find
from microagg.measure.utility.prediction import Prediction
from microagg.measure.utility.regression import SubgroupMean
from microagg.measure.utility.utility import Utility
from microagg.pipeline.cautions import exposed as cautions_of_exposure
from microagg.report.audience import Audience
from microagg.report.confidential_limits import beside_means
from microagg.report.distributions import distribution_of_values
from microagg.report.html import render
from microagg.report.of_assessment import page_of_assessment
from microagg.report.of_release import page_of_release
from microagg.report.utility import utility_tables
from microagg.report.verdict import verdict_of_assessment

OUTSIDE = Audience.of("external", 3)


@pytest.mark.parametrize("name", ["categories-changed", "contingency", "linkage"])
def test_shares_of_few_records_are_bounded_whatever_they_measure(name):
    few, most, many = (Finding(find(name), value) for value in (5.0, 95.0, 10.0))
    assert OUTSIDE.finding(few, 60, "5.000 %") == "below 8.3 %"
    assert OUTSIDE.finding(most, 60, "95.000 %") == "above 91.7 %"
    assert OUTSIDE.finding(many, 60, "10.000 %") == "10.0 %"
    assert [OUTSIDE.value(each, 60) for each in (few, most, many)] == [None, None, 10.0]


def test_what_is_computed_from_a_hidden_share_is_hidden():
    """The mean of two shares and one of them give the other."""
    hidden, shown = (Finding(find("rld"), value) for value in (5.0, 50.0))
    for name in ("g-dr", "score"):
        one = Finding(find(name), 30.0, parts=(hidden,))
        assert OUTSIDE.finding(one, 60, "30.000 %") == "not shown"
        assert OUTSIDE.value(one, 60) is None
        assert OUTSIDE.value(Finding(find(name), 30.0, parts=(shown,)), 60) == 30.0
        assert Audience("internal").finding(one, 60, "30.000 %") == "30.000 %"


def test_an_assessment_knows_what_its_measures_are_computed_from():
    frame = pd.DataFrame({"age": [20.0, 22, 40, 44], "pay": [1.0, 2, 4, 5]})
    means = pd.DataFrame({"age": [21.0, 21, 42, 42], "pay": [1.5, 1.5, 4.5, 4.5]})
    for each in ma.assess(frame, means, measures=["g-dr", "score"]).findings:
        assert [part.measure.name for part in each.parts] == list(each.measure.parts)
        assert all(part.value is not None for part in each.parts)


@pytest.mark.parametrize("count", range(101))
def test_no_small_count_or_complement_is_shown(count):
    shown = OUTSIDE.count(count, 100)
    if shown.isdigit():
        assert count == 0 or count >= 5
        assert count == 100 or 100 - count >= 5
    assert (0 < count < 5) == (shown == "fewer than 5")
    assert (0 < 100 - count < 5) == (shown == "all but a few")
    assert str(count) != OUTSIDE.percent(count, 100) or not OUTSIDE.hides(count, 100)


def test_the_smallest_count_follows_k():
    assert Audience.of("external", 10).least == 10
    assert Audience.of("internal", 10).least == 0
    with pytest.raises(ma.ParameterError, match="'internal' or 'external'"):
        Audience.of("others", 3)


def test_a_share_of_few_records_is_bounded():
    found = Finding(find("uniqueness-after"), 0.2)
    assert OUTSIDE.finding(found, 1000, "0.200 %") == "below 0.5 %"
    assert OUTSIDE.finding(found, 100_000, "0.200 %") == "0.2 %"
    assert Audience.of("internal", 3).finding(found, 1000, "0.200 %") == "0.200 %"


def people(n=203):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 60, n).astype(float), "pay": rng.normal(9, 2, n)})
    frame["town"] = ["here"] * (n - 2) + ["far", "farther"]
    return frame


def test_two_exposed_records_are_not_counted_for_others():
    frame = people()
    release = ma.protect(frame, 3, quasi_identifiers=["age", "pay"], method="mdav")
    exposed = release.outcome.exposure.below_k
    assert 0 < exposed < 10
    outside = Audience.of("external", 10)
    inside = " ".join(release.outcome.cautions)
    assert f"{exposed} of 203 records" in inside
    assert f"{exposed} of 203 records" not in " ".join(outside.cautions(release.outcome))


@pytest.mark.parametrize("exposed", [1, 4, 5, 196, 199, 200])
def test_no_false_count_of_exposed_records_is_shown(exposed):
    """A small count is bounded, and never replaced with another exact one."""
    frame = pd.DataFrame({"age": np.arange(200.0)})
    outcome = ma.protect(frame, 3, quasi_identifiers=["age"], method="mdav").outcome
    exposure = Exposure(("note",), records=200, k=3, below_k=exposed)
    outcome = replace(outcome, exposure=exposure, cautions=cautions_of_exposure(exposure))
    (caution,) = OUTSIDE.cautions(outcome)
    hidden = {1: "fewer than 5 of 200", 4: "fewer than 5 of 200", 5: "5 of 200"}
    hidden |= {196: "all but a few of 200", 199: "all but a few of 200", 200: "all 200"}
    assert f"columns, {hidden[exposed]} records" in caution


def test_what_is_left_out_cannot_be_told_by_subtraction():
    frame = people()
    frame.loc[[3, 9], "age"] = None
    release = ma.protect(
        frame, 3, quasi_identifiers=["age", "pay"], missing="suppress", method="mdav"
    )
    text = render(page_of_release(release.outcome, frame, audience="external"))
    assert "Fewer than 5 records with a missing value" in text
    assert "201 records" in text
    assert "203" not in text
    assert "203" not in release.summary()


def test_an_assessment_for_others_hides_small_counts():
    frame = people()
    masked = frame.assign(age=frame["age"].mean(), pay=frame["pay"].mean())
    found = assess(frame, masked)
    assert found.other_columns.alone == 2
    numbers = found.as_dict("external")
    assert numbers["unchanged"]["records_alone"] is None
    text = render(page_of_assessment(found, audience="external"))
    assert "below 9.9 %" in text
    assert not re.search(r"\b0\.98\d* %", text)
    assert "0.985 %" in found.summary()


def test_shares_of_few_records_are_not_for_others():
    means = (
        SubgroupMean("group", "a", 0.5, 0.5, 100),
        SubgroupMean("group", "b", 0.03, 0.5, 100),
        SubgroupMean("group", "c", 0.5, 0.98, 100),
    )
    utility = Utility("ill", "yes", prediction=None, coefficients=(), means=means)
    for name, shown in (("internal", ["a", "b", "c"]), ("external", ["a"])):
        ((_, (_, *rows)),) = utility_tables(utility, Audience.of(name, 3))
        assert [row[0].removeprefix("group: ") for row in rows] == shown


def test_a_few_linked_records_are_not_counted_in_the_verdict():
    one = Finding(find("linkage"), 0.25)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400, 2)), columns=["a", "b"])
    pair = assess(frame, frame.round(-1), quasi_identifiers=["a", "b"], measures=["k"]).pair
    others = OtherColumns()
    for audience, number in ((Audience("internal"), "0.25 %"), (OUTSIDE, "below 1.2 %")):
        assert verdict_of_assessment(pair, [one], others, (), audience)[2].number == number


def test_synthetic_records_beside_means_pass_the_filter():
    frame = people(60)[["age", "pay"]]
    release = ma.protect(
        frame, 20, quasi_identifiers=["age", "pay"], method="mdav", aggregate="hybrid"
    )
    shown = [
        dict(beside_means(release.outcome.pair, release.partition, audience))
        for audience in (Audience("internal"), Audience.of("external", 59))
    ]
    name = "linkage: synthetic / means"
    assert re.fullmatch(r"[0-9.]+ % / [0-9.]+ %", shown[0][name])
    assert "below" in shown[1][name]


def test_means_beside_synthetic_records_do_not_depend_on_what_was_measured_before():
    frame = people(60)[["age", "pay"]]
    release = ma.protect(
        frame, 10, quasi_identifiers=["age", "pay"], method="mdav", aggregate="hybrid"
    )
    shown = []
    for measured in (False, True):
        pair = pair_of(frame, release.data, ["age", "pay"])
        if measured:
            evaluate(pair)
        shown.append(beside_means(pair, release.partition, Audience("internal")))
    assert shown[0] == shown[1]
    assert any(len(set(text.split(" / "))) == 2 for _, text in shown[0])


def test_how_many_records_a_nearly_unique_column_spares_is_not_said():
    frame = people().drop(columns="town")
    frame["code"] = [f"c{max(i, 2)}" for i in range(len(frame))]  # shared by three records
    release = ma.protect(frame, 3, quasi_identifiers=["age", "pay"], method="mdav")
    assert "unique in 98.52 % of the records" in release.summary()
    text = render(page_of_release(release.outcome, frame, audience="external"))
    assert "98.5" not in text
    assert "is unique in nearly all records, which singles them out" in text
    found = assess(frame, release.data, quasi_identifiers=["age", "pay"], measures=["k"])
    assert "98.5" not in found.summary("external")
    assert "98.52" in found.summary()
    (copy,) = found.as_dict("external")["copies"]
    assert copy["strength"] is None


def test_fewer_than_k_records_that_are_left_out_are_not_counted():
    frame = people()
    frame.loc[range(7), "age"] = None
    released = {"quasi_identifiers": ["age", "pay"], "missing": "suppress", "method": "mdav"}
    for k, words in ((7, "7 records with"), (8, "Fewer than 8 records with")):
        cautions = ma.protect(frame, k, **released).outcome.cautions
        assert any(caution.startswith(words) for caution in cautions)


def test_one_reason_to_leave_records_out_does_not_tell_the_count_of_another():
    """All records less those left out for the first reason and those released are the second."""
    frame = people()
    frame.loc[range(20), "age"] = None
    release = ma.protect(
        frame, 3, quasi_identifiers=["age", "pay"], missing="suppress", strata=["town"],
        small_strata="suppress", method="mdav",
    )  # fmt: skip
    text = render(page_of_release(release.outcome, frame, audience="external"))
    assert "20 records with a missing value" in text
    assert "Fewer than 5 records in a stratum" in text
    assert "203" not in text


def test_utility_for_programs_of_others_has_no_small_subgroups():
    frame = people()
    found = assess(frame, frame, quasi_identifiers=["age", "town"], measures=["k"])
    means = (SubgroupMean("town", "here", 0.5, 0.5, 201), SubgroupMean("town", "far", 0.5, 0.5, 2))
    model = Prediction("AUC", 0.5, 0.5, 0.0, 0.0, 203)
    found = replace(found, utility=Utility("ill", "yes", model, coefficients=(), means=means))
    rare = (SubgroupMean("town", "here", 0.0, 0.0, 201),)  # the event is of a few records elsewhere
    assert not utility_tables(replace(found.utility, means=rare), OUTSIDE)
    for audience, towns in (("internal", ["here", "far"]), ("external", ["here"])):
        shown = found.as_dict(audience)["utility"]["means"]
        assert [each["subgroup"] for each in shown] == towns


def test_the_risk_of_a_few_cannot_be_computed_from_a_score():
    frame = people()
    masked = ma.protect(frame, 3, quasi_identifiers=["age", "pay"], method="mdav").data
    found = assess(frame, masked, quasi_identifiers=["age", "pay"], loss_weight=0.3)
    assert f"the score is {found.score:.3f}" in found.summary()
    linked = replace(find_in(found, "g-dr"), parts=(Finding(find("linkage"), 100 / found.n),))
    findings = tuple(linked if f.measure.name == "g-dr" else f for f in found.findings)
    found = replace(found, findings=findings)
    assert found.score is not None
    assert "the score is" not in found.summary("external")
    assert found.as_dict("external")["score"] is None
    assert "Score of loss" in render(page_of_assessment(found, audience="internal"))
    assert "Score of loss" not in render(page_of_assessment(found, audience="external"))


def find_in(found, name):
    return next(each for each in found.findings if each.measure.name == name)


@pytest.mark.parametrize("odd", [20.5, -1_000_001.0, 61.0])
def test_the_bars_do_not_depend_on_the_value_of_one_record(odd):
    ages = np.repeat(np.arange(20.0, 60, 2), 10)
    before = ages.copy()
    before[0] = odd
    shown = [distribution_of_values("age", each, ages, least=5) for each in (ages, before)]
    assert list(shown[0].edges) == list(shown[1].edges)


def test_a_map_is_only_in_the_internal_report(tmp_path):
    frame = people().drop(columns="town")
    release = ma.protect(frame, 3, quasi_identifiers=["age", "pay"], method="mdav")
    found = ma.compare(frame, [3, 6], quasi_identifiers=["age", "pay"], methods=["mdav"])
    paths = {"report": tmp_path / "report.html", "external_report": tmp_path / "external.html"}
    release.write(paths, comparison=found)
    assert "risk-utility map" in paths["report"].read_text()
    assert "risk-utility map" not in paths["external_report"].read_text()
    for options in ({"audience": "external"}, {}):
        what = "report" if options else "external_report"
        with pytest.raises(ma.ParameterError, match="'comparison' parameter must be None"):
            release.write({what: tmp_path / "other.html"}, comparison=found, **options)
    assert not (tmp_path / "other.html").exists()
