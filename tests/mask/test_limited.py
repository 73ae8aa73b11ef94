"""Limits on mixed records: `auto` never loses more than `mdav-nc` with the same limits."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.context import Context
from microagg.mask import limited
from microagg.partition.constrain.exchange_mixed import exchanged
from microagg.partition.search.auto import auto
from microagg.prepare.column import Column
from microagg.prepare.records import prepare_records
from tests.examples import sample

KEYS = ["age", "grade", "town", "job"]
HOW = {
    "quasi_identifiers": KEYS,
    "kinds": {"grade": "ordinal", "town": "nominal", "job": "nominal", "ill": "nominal"},
    "orders": {"grade": ["low", "mid", "high"]},
    "confidential": ["ill"],
}
LIMITS = [
    {"l_diversity": 2},
    {"t_closeness": 0.3},
    {"l_diversity": 2, "t_closeness": 0.4},
    {"unit": "who"},
    {"unit": "who", "l_diversity": 2},
]
MORE = [
    {},
    {"weights": "weight"},
    {"strata": ["where"]},
    {"missing": "group"},
    {"missing": "keep"},
    {"missing": "impute"},
]


def people(n, seed, *, blanks=0.0):
    rng = np.random.default_rng(seed)
    sick = rng.random(n) < 0.3
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float) + 20 * sick,
            "grade": rng.choice(["low", "mid", "high"], n),
            "town": rng.choice(list("abcd"), n),
            "job": np.where(sick, "x", rng.choice(list("xyz"), n)),
            "ill": np.where(sick, "yes", rng.choice(["no", "maybe"], n, p=[0.9, 0.1])),
            "who": rng.integers(0, n // 3, n),
            "weight": rng.integers(1, 9, n) / 2,
            "where": rng.choice(["north", "south"], n),
        }
    )
    for name in KEYS:
        table.loc[rng.random(n) < blanks, name] = np.nan
    return table


def check(table, how):
    own, plain = (ma.protect(table, method=method, **how) for method in ("auto", "mdav-nc"))
    assert own.measures["il"] <= plain.measures["il"] * (1 + 1e-12)
    assert own.partition.method.startswith("auto (")
    classes = own.data.assign(unit=table["who"]).groupby(KEYS, dropna=False)
    assert classes.size().min() >= how["k"]
    assert classes["ill"].nunique().min() >= how.get("l_diversity", 1)
    assert classes["unit"].nunique().min() >= (how["k"] if "unit" in how else 1)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("more", MORE, ids=str)
def test_auto_never_loses_more_than_its_baseline(limits, more, monkeypatch):
    monkeypatch.setattr(auto, "SOME_MIXED", 50)  # no search
    for seed in range(2):
        table = people(120, seed, blanks=0.1 if "missing" in more else 0.0)
        check(table, {"k": 4, **HOW, **limits, **more})


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_a_search_never_loses_more_than_the_baseline(limits):
    check(people(60, 7), {"k": 4, **HOW, **limits})


def test_the_release_of_the_baseline_is_chosen_if_it_loses_less(monkeypatch):
    table, how = people(60, 1), {"k": 4, **HOW, "t_closeness": 0.3}
    plain = ma.protect(table, method="mdav-nc", **how)
    own = limited._within_limits

    def poor(task):
        part = own(task)
        one_group = np.zeros(part.n, dtype=np.int32)
        return replace(part, labels=one_group) if task.method.name == "auto" else part

    monkeypatch.setattr(limited, "_within_limits", poor)
    monkeypatch.setattr(limited, "_exchanged", lambda task, part: part)
    release = ma.protect(table, **how)
    assert release.partition.method == "auto (mdav-nc)"
    assert release.measures["il"] == plain.measures["il"]
    assert release.data.equals(plain.data)


def test_the_baseline_is_not_computed_where_it_is_not_needed(monkeypatch):
    methods = []
    own = limited._within_limits

    def counted(task):
        methods.append(task.method.name)
        return own(task)

    monkeypatch.setattr(limited, "_within_limits", counted)
    table, how = people(60, 1), {"k": 4, **HOW}
    ma.protect(table, **how)
    ma.protect(table, **how, l_diversity=2, method="mdav-nc")
    ma.protect(table, **how, l_diversity=2, parameters={"effort": "quick"})
    ma.protect(table, **how, l_diversity=2, refine="swap-shift")
    assert methods == ["auto", "mdav-nc", "auto", "auto"]
    ma.protect(table, **how, l_diversity=2)
    assert methods[4:] == ["auto", "mdav-nc"]


def test_large_groups_are_not_exchanged_with():
    rng = np.random.default_rng(0)
    columns = [
        Column("a", "continuous", rng.normal(size=60)),
        Column("b", "nominal", rng.integers(0, 3, 60) * 1.0, tuple("abc")),
    ]
    records = prepare_records(columns)
    labels = np.repeat(np.arange(7), [30, 5, 5, 5, 5, 5, 5]).astype(np.int32)
    classes = np.arange(60) % 2
    new = exchanged(records, labels, classes, 2, Context.of())
    assert np.array_equal(new[:30], labels[:30])
    assert not np.array_equal(new, labels)
    pairs = [np.bincount(each * 2 + classes) for each in (labels, new)]
    assert np.array_equal(*pairs)


def test_strata_of_mixed_records_share_one_limit_of_time():
    table = people(400, 2)
    how = {"quasi_identifiers": KEYS, "kinds": HOW["kinds"], "orders": HOW["orders"]}
    release = ma.protect(
        table, 4, method="lns", strata=["where"], parameters={"time_limit": 1.0}, **how
    )
    assert release.partition.facts.time_limit < 1.0


@pytest.mark.parametrize("method", ["auto", "mdav-nc", "blocks"])
@pytest.mark.parametrize("limits", sample(LIMITS, (2,)), ids=str)
def test_limits_do_not_merge_records_that_lack_a_value_with_others(method, limits):
    table = people(600, 3)
    table.loc[np.random.default_rng(0).random(600) < 0.1, "town"] = np.nan
    release = ma.protect(table, 4, **HOW, **limits, missing="keep", method=method)
    assert not release.outcome.blanks.blanked


@pytest.mark.parametrize("method", ["mdav-nc", "blocks"])
def test_a_pattern_that_cannot_hold_the_limits_blanks_few_values(method):
    table = people(600, 3)
    rare = np.flatnonzero(table["ill"] == "no")[:40:2]
    table.loc[rare, "town"] = np.nan
    options = {**HOW, "l_diversity": 2, "missing": "keep", "method": method}
    if method == "blocks":
        options["parameters"] = {"block_size": 200}
    blanked = ma.protect(table, 4, **options).outcome.blanks.blanked
    assert 0 < blanked["town"] <= 40


@pytest.mark.parametrize(("about", "times"), [(1.0, 1), (100.0, 2)])
def test_records_are_exchanged_in_groups_that_lose_about_the_least(about, times, monkeypatch):
    losses, every = [], []
    own = limited._exchanged

    def counted(task, part):
        every.append(part)
        return own(task, part)

    def listed(task, lost):
        losses.append(lost)
        return candidates(task, lost)

    candidates = limited.candidates
    monkeypatch.setattr(limited, "_exchanged", counted)
    monkeypatch.setattr("microagg.mask.groups.candidates", listed)
    monkeypatch.setattr(limited, "ABOUT", about)
    ma.protect(people(60, 1), k=4, **HOW, t_closeness=0.3)
    assert len(every) == times
    assert losses[0](every[0]) == min(losses[0](part) for part in every)
