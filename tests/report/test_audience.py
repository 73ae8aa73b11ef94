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
from microagg.pipeline.cautions import several_records_each
from microagg.pipeline.outcome import SharedIdentifier
from microagg.report.audience import Audience
from microagg.report.confidential_limits import beside_means
from microagg.report.distributions import BINS, distribution_of_values
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


@pytest.mark.parametrize(("audience", "stated"), [("internal", False), ("external", True)])
def test_an_external_report_says_whom_its_advice_addresses(audience, stated):
    frame = pd.DataFrame({"age": range(40), "town": [f"t{i}" for i in range(40)]})
    release = ma.protect(frame, k=5, quasi_identifiers=["age"], method="mdav")
    assert release.cautions
    text = render(page_of_release(release.outcome, frame, audience=audience))
    assert ("addressed to the publisher of the data" in text) is stated


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
    assert f"columns together, {hidden[exposed]} records" in caution


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
    assert "a unique value in 98.52 % of the records" in release.summary()
    text = render(page_of_release(release.outcome, frame, audience="external"))
    assert "98.5" not in text
    assert "has a unique value in nearly all records, which singles them out" in text
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
        outcome = ma.protect(frame, k, **released).outcome
        outside = Audience.of("external", k).cautions(outcome)
        assert any(caution.startswith(words) for caution in outside)
        assert any(caution.startswith("7 records with") for caution in outcome.cautions)


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
    assert "Combined score of loss" in render(page_of_assessment(found, audience="internal"))
    assert "Combined score of loss" not in render(page_of_assessment(found, audience="external"))


def find_in(found, name):
    return next(each for each in found.findings if each.measure.name == name)


@pytest.mark.parametrize("odd", [20.5, -1_000_001.0, 61.0])
def test_the_bars_do_not_depend_on_the_value_of_one_record(odd):
    ages = np.repeat(np.arange(20.0, 60, 2), 10)
    before = ages.copy()
    before[0] = odd
    shown = [distribution_of_values("age", each, ages, least=5) for each in (ages, before)]
    assert list(shown[0].edges) == list(shown[1].edges)


@pytest.mark.parametrize("share_of_zeros", [0.3, 0.7])
def test_amounts_that_are_often_0_have_as_many_bars_as_others(share_of_zeros):
    rng = np.random.default_rng(0)
    amounts = np.where(rng.random(500) < share_of_zeros, 0.0, rng.random(500))
    shown = distribution_of_values("amount", amounts, amounts, least=5)
    assert len(shown.before) == BINS


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


def changed_towns(count, n=60):
    """Return records, and a release in which so many have another town."""
    frame = pd.DataFrame({"town": ["a", "b", "c"] * (n // 3), "age": np.arange(n) // 6 * 6.0})
    released = frame.assign(age=frame["age"] // 12 * 12.0)
    released.loc[: count - 1, "town"] = [{"a": "b"}.get(t, "a") for t in frame["town"][:count]]
    return frame, released


@pytest.mark.parametrize(("count", "hidden"), [(0, False), (3, True), (7, False), (58, True)])
def test_losses_that_tell_how_few_categories_changed_are_not_for_others(count, hidden):
    """The loss of a nominal column counts the records that have another category."""
    found = ma.assess(*changed_towns(count), quasi_identifiers=["town", "age"])
    page, content = page_of_assessment(found, audience="external"), found.as_dict("external")
    lost = page.verdict[1]
    assert lost.title == "Information lost"
    assert (lost.number == "not shown") == hidden
    assert any("lost the most" in word for word in lost.words) != hidden
    values = {m: content["measures"][m]["value"] for m in ("il", "entropy")}
    assert [value is None for value in values.values()] == [hidden] * 2
    il = f"{found.measures['il']:.3f} %"
    assert (il not in found.summary("external")) == (il not in render(page)) == hidden
    assert il in render(page_of_assessment(found, audience="internal"))


def test_a_release_with_few_changed_categories_does_not_tell_its_loss():
    frame, _ = changed_towns(0)
    frame.loc[0, "town"] = "b"
    release = ma.protect(frame, 3, quasi_identifiers=["town"], method="mdav", parameters={})
    assert (release.data["town"] != frame["town"]).sum() < 5
    page = page_of_release(release.outcome, frame, audience="external")
    assert page.measures["il"] is None
    assert f"{release.outcome.loss.il:.3f}" not in render(page)
    assert page_of_release(release.outcome, frame).measures["il"] is not None


def filled_bars(page, name):
    """Return whether the chart of a column shows the original."""
    figures = (
        f for s in page.sections if s.name == "columns" for c in s.content for f in c.figures
    )
    return next('fill-opacity=".45"' in f.picture for f in figures if f.title == name)


@pytest.mark.parametrize(("count", "hidden"), [(0, False), (1, True), (7, False), (59, True)])
def test_charts_do_not_tell_how_few_categories_changed(count, hidden):
    """Bars of 31 and 29 records before, and of 30 and 30 after, would."""
    found = ma.assess(*changed_towns(count), quasi_identifiers=["town", "age"])
    page = page_of_assessment(found, audience="external")
    assert filled_bars(page, "town") != hidden
    assert filled_bars(page, "age")
    assert filled_bars(page_of_assessment(found), "town")


def debts(count, n=60):
    """Return records of whom so many have debts, and a release by medians, in which nobody has."""
    frame = pd.DataFrame({"age": np.arange(n) // 3 * 1.0, "debt": 0.0})
    frame.loc[: count - 1, "debt"] = 5000.0 + np.arange(count)
    return frame, frame.assign(age=np.arange(n) // 6 * 2.0, debt=0.0)


@pytest.mark.parametrize(("count", "hidden"), [(1, True), (5, True), (6, False)])
def test_losses_that_tell_how_few_numbers_changed_are_not_for_others(count, hidden):
    """With one debt among 60 zeros, the loss of the column is exactly 60/59, and so on."""
    found = ma.assess(*debts(count), quasi_identifiers=["age", "debt"])
    page, content = page_of_assessment(found, audience="external"), found.as_dict("external")
    lost = (
        "il",
        "g-il",
        "variation-data",
        "variation-means",
        "error-correlations",
        "probabilistic",
    )
    values = {name: content["measures"][name]["value"] for name in lost}
    assert [value is None for value in values.values()] == [hidden] * len(lost)
    assert (content["score"] is None) == hidden
    assert (page.verdict[1].number == "not shown") == hidden
    assert filled_bars(page, "debt") != hidden
    titles = [
        f.caption for s in page.sections if s.name == "correlations" for f in s.content[1].figures
    ]
    assert titles == (["Released"] if hidden else ["Original", "Released"])
    shown = (render(page), found.summary("external"))
    assert all((f"{found.measures['il']:.3f}" in text) != hidden for text in shown)
    assert f"{found.measures['il']:.3f}" in render(page_of_assessment(found, audience="internal"))


def test_the_utility_does_not_tell_of_a_few_changes():
    """The mean of a subgroup of 29 or 30 records, before and after, gives the value of one."""
    frame, released = changed_towns(1)
    frame["pay"] = released["pay"] = np.arange(60.0)
    found = ma.assess(frame, released, quasi_identifiers=["town", "age"], target="pay")
    assert found.utility.means
    content, text = found.as_dict("external"), found.summary("external")
    assert content["utility"]["means"] == content["utility"]["coefficients"] == []
    assert "by subgroup" not in text
    assert "coefficients overlap" not in text
    assert "by subgroup" in found.summary()


def test_a_release_by_medians_does_not_tell_of_a_single_number():
    frame, _ = debts(1)
    release = ma.protect(
        frame,
        5,
        quasi_identifiers=["age", "debt"],
        aggregate={"debt": "median", "age": "median"},
        method="mdav",
    )
    assert (release.data["debt"] == 0).all()
    page = page_of_release(release.outcome, frame, audience="external")
    assert page.measures["il"] is page.measures["g-il"] is None
    assert not filled_bars(page, "debt")


def test_rounding_is_no_change_of_a_number():
    frame = pd.DataFrame({"share": np.repeat([0.1, 0.2, 0.3], 20), "age": np.arange(60) // 2 * 1.0})
    after = frame.assign(share=frame["share"] * 3 / 3, age=np.arange(60) // 6 * 1.0)
    found = ma.assess(frame, after, quasi_identifiers=["share", "age"])
    assert found.as_dict("external")["measures"]["il"]["value"] is not None


def test_the_caution_about_separate_columns_states_no_loss_to_others():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(2_000, 2)), columns=["a", "b"])
    release = ma.protect(frame, 2, quasi_identifiers=["a", "b"], method="individual-ranking")
    (inside,) = (c for c in release.outcome.cautions if c.startswith("On all quasi-identifiers"))
    assert f"information loss of only {release.measures['il']:.2g} %" in inside
    (outside,) = (c for c in OUTSIDE.cautions(release.outcome) if c.startswith("On all quasi"))
    assert "information loss of less than 1 % means that anyone" in outside
    assert f"{release.measures['il']:.2g}" not in outside


@pytest.mark.parametrize("twice", [1, 4, 5])
def test_how_few_people_have_several_records_is_not_said(twice):
    """The number of different values, less that of all records, is the number of those that repeat."""
    n = 40
    names = np.concatenate([np.arange(n - twice), np.arange(twice)]).astype(str)
    ages = np.concatenate([np.arange(n - twice), np.arange(twice)]).astype(float)
    frame = pd.DataFrame({"who": names, "age": ages})
    cautions = several_records_each([SharedIdentifier("who", n - twice, below_k=n)], n, 3)
    release = ma.protect(frame, 2, quasi_identifiers=["age"], identifiers=["who"], method="mdav")
    told = [*cautions, *release.outcome.cautions]
    exact = any(f"{n - twice} different values" in caution for caution in told)
    assert exact == (twice == 5)
    assert (
        any("has nearly as many different values as there are records (40)" in c for c in told)
        != exact
    )


@pytest.mark.parametrize("of", [1, 3, 5])
@pytest.mark.parametrize("count", [1, 3, 5])
def test_bounds_for_very_few_records_are_no_nonsense(of, count):
    """Of five records, "fewer than 5" and "below 100 %" state nothing or something false."""
    if count > of:
        return
    shown = ("5", "100 %") if count == 5 else ("some", "some")
    assert (OUTSIDE.count(count, of), OUTSIDE.percent(count, of)) == shown
    one = Finding(find("linkage"), 100 * count / of)
    assert OUTSIDE.finding(one, of, "x") == ("100.0 %" if count == of == 5 else "not shown")


def test_no_share_in_a_report_of_very_few_records_is_beyond_its_range():
    frame = pd.DataFrame({"age": [1.0, 2, 3], "town": ["a", "b", "c"]})
    release = ma.protect(frame, 3, quasi_identifiers=["age"], method="mdav")
    text = render(page_of_release(release.outcome, frame, audience="external"))
    assert not re.search(r"(below|above) (-|\d\.\de|\d{3,})", text)
