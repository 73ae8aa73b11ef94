"""The verdict: four boxes with a number each, and words that follow from the release."""

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.measure.registry import evaluate
from microagg.report.audience import Audience
from microagg.report.of_release import page_of_release
from microagg.report.summary import summary_of
from microagg.report.verdict import verdict_of_release

N = 240


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(40, 9, N), "pay": rng.gamma(2, 900, N)})
    return frame.assign(tax=frame["pay"] * 0.2, ill=["yes"] * 30 + ["no"] * (N - 30))


def boxes(frame, audience="internal", **options):
    release = ma.protect(frame, 4, quasi_identifiers=["age", "pay"], **options)
    findings = evaluate(release.outcome.pair, ["linkage", "il"])
    summary = summary_of(release.outcome)
    reader = Audience.of(audience, 4)
    verdict = verdict_of_release(release.outcome, summary, findings, reader, len(frame))
    assert all(box.number and box.words for box in verdict)
    return release, verdict


def test_copies_and_exposure_raise_an_alarm(frame):
    release, (promise, lost, risk, steps) = boxes(frame, confidential=["ill"], method="mdav")
    assert (promise.number, promise.state) == ("k = 4", "fine")
    assert lost.number == f"{release.measures['il']:.2g} %"
    assert "pay" in lost.words[0]  # a low loss of all columns is not called little
    assert (risk.number, risk.state) == ("100 %", "alarm")
    assert "unique on the quasi-identifiers together with the unchanged column" in risk.label
    assert any("with a single value of ill" in line for line in risk.words)
    assert steps.number == str(len(steps.words)) == "4"
    assert any("tax" in line for line in steps.words)


def test_nothing_is_left_to_do_where_all_columns_are_protected(frame):
    _, (_, _, risk, steps) = boxes(frame[["age", "pay"]], method="mdav")
    assert "linked to their own original" in risk.label
    assert (steps.number, steps.state) == ("0", "fine")


def test_the_next_steps_count_the_cautions_that_the_report_shows(frame):
    release, (*_, steps) = boxes(frame[["age", "pay", "tax"]], method="mdav")
    page = page_of_release(release.outcome, frame[["age", "pay", "tax"]])
    (cautions,) = (section.content for section in page.sections if section.title == "Cautions")
    assert f"Read the {len(cautions)} cautions below" in steps.words[-1]


def test_no_promise_is_an_alarm(frame):
    _, (promise, *_) = boxes(frame[["age", "pay"]], method="individual-ranking")
    assert promise.state == "attention"
    assert "not for their combination" in promise.words[-1]


def test_filled_values_are_in_the_loss(frame):
    some = frame[["age", "pay"]].copy()
    some.loc[::4, "pay"] = np.nan
    _, (_, lost, _, steps) = boxes(some, missing="group", method="mdav")
    assert any("were filled in: pay 25.0 %" in line for line in lost.words)
    assert any("Keep missing values" in line for line in steps.words)


@pytest.mark.parametrize("limits", [{}, {"l_diversity": 2, "confidential": ["ill"]}], ids=str)
def test_values_released_as_missing_are_an_open_point(frame, limits):
    some = frame[["age", "pay", *limits.get("confidential", [])]].copy()
    some.loc[0, "pay"] = np.nan  # too few for a group of their own
    release, (_, lost, _, steps) = boxes(some, missing="keep", method="mdav-nc", **limits)
    assert release.outcome.blanks.many(release.outcome.blanks.blanked)
    assert any("were released as missing: pay" in line for line in lost.words)
    assert steps.state == "attention"
    assert any("so many values may be released as missing" in line for line in steps.words)
    caution = next(c for c in release.outcome.cautions if "are released as missing" in c)
    assert '"group" or "suppress"' in caution
    assert ("weaken the limits" in caution) == bool(limits)


def test_no_caution_is_beside_a_verdict_without_open_points():
    """Where an identifier seems to belong to people with several records, the verdict says so."""
    rng = np.random.default_rng(3)
    visits = pd.DataFrame(
        {
            "patient": rng.integers(0, 200, 600),
            "age": rng.normal(size=600),
            "stay": rng.normal(size=600),
        }
    )
    visits["age"] = visits["patient"] + 0.01 * visits["age"]
    release = ma.protect(visits, 5, quasi_identifiers=["age", "stay"], identifiers=["patient"])
    findings = evaluate(release.outcome.pair, ["linkage"])
    reader = Audience.of("internal", 5)
    verdict = verdict_of_release(
        release.outcome, summary_of(release.outcome), findings, reader, len(visits)
    )
    (shared,) = release.outcome.shared_identifiers
    people = visits["patient"].groupby([release.data["age"], release.data["stay"]])
    assert shared.below_k == int((people.transform("nunique") < 5).sum())
    _, _, risk, steps = verdict
    assert risk.state == "attention"
    assert f"{shared.below_k:,} of 600 records are in classes of fewer than k = 5 people" in str(
        risk
    )
    assert int(steps.number) == len(steps.words) > 0
    assert "patient identifies people" in steps.words[0]
    assert "caution" in steps.words[-1]


def test_an_amount_is_no_identifier_of_people():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"pay": rng.integers(0, 200, 600), "age": rng.normal(size=600)})
    frame["age"] += frame["pay"]
    roles = {"quasi_identifiers": ["age"], "identifiers": ["pay"]}
    assert ma.protect(frame, 5, **roles).outcome.shared_identifiers
    assert not ma.protect(frame, 5, kinds={"pay": "continuous"}, **roles).outcome.shared_identifiers
