"""What is said of a bound is proved of the released values: in measures, summary and report."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microagg as ma
from microagg.measure.loss.information_loss import percent
from microagg.partition.bounds.proven import rounded_down, rounded_up, saving_words
from microagg.report.summary import summary_of
from microagg.report.text import bound_words, render
from tests.examples import sample

KEYS = list("abcd")
rng = np.random.default_rng(0)
NUMBERS = pd.DataFrame(rng.normal(size=(40, 4)), columns=KEYS)
WHOLE = pd.DataFrame(rng.integers(1, 6, size=(40, 4)), columns=KEYS)
BLANKS = NUMBERS.mask(rng.random(size=(40, 4)) < 0.2)


def best(frame=NUMBERS, **options):
    return ma.protect(
        frame, 3, quasi_identifiers=KEYS, method="best",
        **{"parameters": {"max_iterations": 1}, "kinds": dict.fromkeys(KEYS, "continuous"), **options},
    )  # fmt: skip


@given(st.floats(0, 100), st.sampled_from([".2g", ".4g", ".3f", ".4f"]))
def test_what_is_written_is_proved(number, form):
    assert (
        Decimal(rounded_down(number, form)) <= Decimal(number) <= Decimal(rounded_up(number, form))
    )
    assert float(rounded_down(number, form)) == pytest.approx(number, rel=0.1, abs=0.001)


@pytest.mark.parametrize(
    ("frame", "options"),
    sample(
        [
            (NUMBERS, {}),
            (NUMBERS, {"refine": "swap-shift"}),
            (NUMBERS, {"scale": "range", "column_weights": {"a": 5.0}}),
            (NUMBERS, {"round_to": {"a": 0.5, "c": 2.0}}),
            (NUMBERS, {"aggregate": {"a": "median"}}),
            (NUMBERS, {"missing": "impute"}),  # there are no blanks
            (BLANKS, {"missing": "suppress"}),
            (WHOLE, {"integers": "round"}),
            (WHOLE, {"kinds": dict.fromkeys(KEYS, "ordinal")}),
            (NUMBERS.assign(s=["x", "y"] * 20), {"strata": "s"}),
        ],
        quick=(1, 7),
    ),
)
def test_the_gap_is_that_of_the_released_values(frame, options):
    measures = best(frame, **options).measures
    assert 0 < measures["lower_bound"] <= measures["il"]
    assert measures["gap"] == pytest.approx(1 - measures["lower_bound"] / measures["il"])


@pytest.mark.parametrize(
    ("frame", "options"),
    sample(
        [
            (NUMBERS, {"aggregate": "hybrid"}),
            (BLANKS, {"missing": "impute"}),
            (NUMBERS, {"segments": 2}),
            (NUMBERS, {"columns": ["a", "b"]}),
            (
                NUMBERS.assign(ill=list("abcd") * 10),
                {"confidential": ["ill"], "l_diversity": 3},
            ),
        ],
        quick=(4,),
    ),
)
def test_nothing_is_said_where_nothing_is_proved_of_the_released_values(tmp_path, frame, options):
    release = best(frame, **options)
    assert not {"lower_bound", "gap"} & {*release.measures, *release.provenance["result"]}
    assert "Proved" not in release.summary()
    release.write({"report": tmp_path / "r.html"}, original=frame)
    assert "Proved" not in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_no_bound_of_other_groups_stays_among_the_facts():
    frame = NUMBERS.assign(ill=list("abcd") * 10)
    facts = best(frame, confidential=["ill"], l_diversity=3).partition.facts.as_dict()
    assert not {"lower_bound", "lower_bound_sse", "gap", "loss_start", "loss_end"} & facts.keys()


@pytest.mark.slow
def test_the_gap_of_refined_groups_is_theirs(monkeypatch):
    from microagg.partition.search.best import best as searched

    monkeypatch.setattr(
        searched, "renumbered", lambda labels: ma.partition(NUMBERS, 3, "mdav").labels
    )
    part = ma.partition(NUMBERS, 3, "best", refine="swap-shift", parameters={"max_iterations": 1})
    loss = ma.information_loss(NUMBERS, part)
    assert part.facts.gap == pytest.approx(1 - part.facts.lower_bound_sse / loss.sse)


def test_the_words_are_those_of_the_measures(tmp_path):
    release = best()
    measures = release.measures
    [words] = bound_words(summary_of(release.outcome))
    bound = rounded_down(measures["lower_bound"], ".3f")
    assert f"k = 3 can lose less than {bound} %; this one loses {measures['il']:.3f} %, " in words
    assert f"and {saving_words(measures['gap'])}." in words
    assert words in release.summary()
    release.write({"report": tmp_path / "r.html"}, original=NUMBERS)
    assert words in (tmp_path / "r.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_groups_within_strata_are_judged_by_the_bounds_of_the_strata():
    frame = NUMBERS.assign(s=["x"] * 15 + ["y"] * 25)
    release = best(frame, strata="s", scale="none")
    parts = [
        ma.partition(rows[KEYS], 3, "best", scale="none", parameters={"max_iterations": 1}).facts
        for _, rows in frame.groupby("s")
    ]
    proved = 100 * sum(part.lower_bound_sse for part in parts) / release.measures["sst"]
    assert release.measures["lower_bound"] == pytest.approx(proved)
    assert "that crosses no stratum with k = 3" in release.summary()


def test_the_bounds_of_strata_of_mixed_records_are_combined():
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, 60).astype(float),
            "job": rng.choice(list("abc"), 60),
            "s": ["x"] * 22 + ["y"] * 33 + ["z"] * 5,
        }
    )
    options = {"quasi_identifiers": ["age", "job"], "seed": 1, "scale": "none"}
    few = {"max_iterations": 1, "time_limit": None}
    release = ma.protect(frame, 3, method="best", strata="s", parameters=few, **options)
    measures = release.measures
    assert 0 < measures["lower_bound"] <= measures["il"]
    assert 0 <= measures["gap"] < 1
    assert "that crosses no stratum with k = 3" in release.summary()
    for weights in (np.ones(60), np.arange(1.0, 61.0)):
        weighted = ma.protect(
            frame.assign(w=weights),
            3,
            method="best",
            strata="s",
            weights="w",
            parameters=few,
            **options,
        )
        assert ("lower_bound" in weighted.measures) == bool((weights == 1).all())
    blank = frame.assign(job=frame["job"].where(frame.index > 0))
    kept = ma.protect(
        blank, 3, method="best", strata="s", missing="group", parameters=few, **options
    )
    assert "lower_bound" not in kept.measures


@pytest.mark.parametrize("bound", sample([0.0009, 0.0, None]))
def test_a_bound_of_nothing_is_not_worth_a_sentence(bound):
    summary = replace(summary_of(best().outcome), lower_bound=bound)
    assert "Proved" not in render(summary)
    assert bound_words(replace(summary, lower_bound=0.0019))[0].count(" 0.001 %") == 1


def test_equal_records_lose_nothing():
    frame = pd.DataFrame(np.repeat(rng.normal(size=(4, 4)), 3, axis=0), columns=KEYS)
    release = best(frame)
    measures = release.measures
    assert (measures["lower_bound"], measures["gap"]) == (0, 0)
    assert percent(measures["sse"], measures["sst"]) == measures["il"] == 0
    assert "this one loses 0.000 %, and no better groups exist." in release.summary()
