"""auto: chooses by the number of records and the effort, and says what it chose."""

import numpy as np
import pyarrow as pa
import pytest

import microagg as ma
from microagg.errors import OutOfMemoryError, ParameterError
from microagg.partition.search.auto.auto import MANY, MILLION, SOME, SOME_MIXED, plan_for
from microagg.partition.search.best.best import LARGEST_N


def people(n, d=3):
    X = np.random.default_rng(0).normal(size=(n, d))
    return pa.table({f"x{j}": X[:, j] for j in range(d)})


def protect(n=60, k=3, **how):
    return ma.protect(people(n), k, quasi_identifiers=["x0", "x1", "x2"], **how)


@pytest.mark.parametrize(
    ("n", "effort", "chosen"),
    [
        (SOME, "quick", "mdav"),
        (SOME, "normal", "lns"),
        (SOME + 1, "normal", "mdav-nc + swap-shift"),
        (MANY, "normal", "mdav-nc + swap-shift"),
        (MANY + 1, "normal", "blocks"),
        (MILLION, "quick", "mdav"),
        (MILLION + 1, "quick", "blocks"),
        (LARGEST_N, "best", "best"),
        (LARGEST_N + 1, "best", "lns"),
    ],
)
def test_the_choice(n, effort, chosen):
    assert str(plan_for(n, 5, effort)) == chosen


@pytest.mark.parametrize(
    ("n", "k", "effort", "limited", "chosen"),
    [
        (20_000, 50, "normal", False, "lns"),
        (20_000, 51, "normal", False, "mdav-nc + pairwise-means + swap-shift"),
        (20_000, 500, "normal", False, "mdav-nc + pairwise-means"),
        (20_000, 5_000, "normal", False, "mdav + pairwise-means"),
        (100_000, 10, "normal", False, "mdav-nc + swap-shift"),
        (500_000, 10, "normal", False, "mdav-nc + swap-shift"),
        (500_000, 50, "normal", False, "mdav-nc + pairwise-means"),
        (100_000, 1_000, "normal", False, "mdav + pairwise-means"),
        (1_000_000, 1_000, "normal", False, "mdav + pairwise-means"),
        (2_000_000, 1_000, "quick", False, "mdav"),
        (20_000, 500, "normal", True, "lns"),
        (6_000, 500, "best", True, "best"),
        (6_000, 501, "best", False, "mdav + pairwise-means"),
    ],
)
def test_large_groups_are_not_searched_for(n, k, effort, limited, chosen):
    assert str(plan_for(n, k, effort, limited=limited)) == chosen


@pytest.mark.parametrize("effort", ["normal", "best"])
def test_a_time_limit_is_refused_where_groups_are_too_large_for_a_search(effort):
    with pytest.raises(ParameterError, match=r"k=501 and .* does not use it"):
        plan_for(6_000, 501, effort, limited=True)


def test_a_few_large_groups_take_little_memory():
    """A step of a search with k = 5,000 would take a matrix of 12 GB."""
    release = protect(n=20_000, k=5_000)
    assert release.partition.method == "auto (mdav + pairwise-means)"
    assert release.partition.sizes.min() >= 5_000
    assert release.measures["il"] < 55  # mdav-nc alone loses 83 %


def test_a_lack_of_memory_is_an_error_of_ours(monkeypatch):
    from microagg.partition.search.lns import lns

    def greedy(*_):
        raise MemoryError("12.8 GB")

    monkeypatch.setattr(lns, "LnsRun", greedy)
    with pytest.raises(OutOfMemoryError, match="not enough memory to group 60 records by lns"):
        protect(method="lns")


def test_a_search_that_has_no_room_is_refused_before_it_begins(monkeypatch):
    from microagg.partition.search.lns import lns

    assert lns.physical_memory() > 1e8
    monkeypatch.setattr(lns, "physical_memory", lambda: 1e5)
    with pytest.raises(
        OutOfMemoryError, match=r"lns needs at least 0\.00044 GB of memory with k=20"
    ):
        protect(method="lns", k=20)
    protect(method="lns", k=3)


def test_very_many_records_are_grouped_in_blocks(monkeypatch):
    from microagg.partition.search.auto import auto

    for limit in ("SOME", "MANY", "MILLION"):
        monkeypatch.setattr(auto, limit, 50)
    assert protect().partition.method == "auto (blocks)"
    assert protect(parameters={"effort": "quick"}).partition.method == "auto (blocks)"


def test_it_is_the_default_and_says_what_it_chose():
    release = protect()
    assert release.partition.method == "auto (lns)"
    assert "groups, formed by auto (lns)" in release.summary()
    assert protect().partition == release.partition
    assert release.measures["il"] <= protect(method="mdav").measures["il"]


def test_the_best_effort_proves_how_good_it_is():
    release = protect(n=30, parameters={"effort": "best", "time_limit": 5})
    assert release.partition.method == "auto (best)"
    assert 0 < release.measures["lower_bound"] <= release.measures["il"] * (1 + 1e-9)
    assert 0 <= release.measures["gap"] < 1
    said = "Proved: no grouping of these records with k = 3 can lose less than"
    assert said in release.summary()


def test_a_bound_on_some_columns_is_not_one_for_all():
    release = protect(n=30, method="best", parameters={"max_iterations": 1}, columns=["x0", "x1"])
    assert "lower_bound" not in release.measures
    assert "Proved" not in release.summary()


def test_a_time_limit_that_nothing_could_use_is_refused():
    with pytest.raises(ParameterError, match="'time_limit' parameter of auto applies to a search"):
        protect(parameters={"effort": "quick", "time_limit": 3})


@pytest.mark.parametrize(
    ("n", "effort", "limited", "chosen"),
    [
        (SOME_MIXED, "normal", False, "lns"),
        (SOME_MIXED + 1, "normal", False, "mdav-nc + decompose + swap-shift"),
        (SOME, "normal", True, "lns"),
        (MANY, "normal", False, "mdav-nc + decompose + swap-shift"),
        (MANY + 1, "normal", False, "blocks"),
        (LARGEST_N, "best", False, "best"),
        (SOME, "quick", False, "mdav"),
    ],
)
def test_the_choice_for_mixed_records(n, effort, limited, chosen):
    assert str(plan_for(n, 5, effort, limited=limited, mixed=True)) == chosen


def test_mixed_records_are_searched_for_as_long_as_is_allowed():
    table = people(40).append_column("sex", pa.array(["f", "m"] * 20))
    limits = {"effort": "best", "time_limit": 0.5}
    release = ma.protect(table, 3, quasi_identifiers=["x0", "sex"], parameters=limits)
    assert release.partition.method == "auto (best)"
    assert release.partition.facts.steps > 1
    assert 0 < release.measures["lower_bound"] <= release.measures["il"]


def test_equal_records_are_grouped_at_once(monkeypatch):
    from microagg.partition.search.auto import auto

    monkeypatch.setattr(auto, "SOME", 50)
    monkeypatch.setattr(auto, "SOME_MIXED", 50)
    X = np.repeat(np.arange(10.0), 20)
    numbers = pa.table({"x": X, "y": X % 3})
    release = ma.protect(numbers, 3, quasi_identifiers=["x", "y"])
    assert release.partition.method == "auto (groups of equal records)"
    assert (release.measures["il"], release.partition.sizes.max()) == (0.0, 5)
    names = pa.table({"x": np.char.add("n", X.astype(str))})
    release = ma.protect(names, 3, quasi_identifiers=["x"])
    assert release.partition.method == "auto (groups of equal records)"
    assert release.data.equals(names)


@pytest.mark.parametrize("effort", ["quick", "normal", "best"])
@pytest.mark.parametrize("more", [{}, {"same": np.full(60, 7.0)}])
def test_one_column_that_varies_is_grouped_optimally(effort, more):
    values = np.random.default_rng(3).normal(size=60)
    table = pa.table({"x": values, **more})
    how = {"quasi_identifiers": table.column_names}
    release = ma.protect(table, 4, parameters={"effort": effort}, **how)
    optimal = ma.protect(table.select(["x"]), 4, quasi_identifiers=["x"], method="optimal-1d")
    assert release.partition.method == "auto (optimal-1d)"
    assert release.partition == optimal.partition
    assert release.measures["gap"] < 1e-8
    assert "no better groups exist" in release.summary()


def test_one_column_and_a_name_for_each_record_lose_no_more_than_with_mdav(monkeypatch):
    """The optimal groups of the column are larger than k, so they lose more names."""
    from microagg.partition.search.auto import auto

    monkeypatch.setattr(auto, "SOME_MIXED", 50)
    values = np.random.default_rng(3).normal(size=60)
    table = pa.table({"x": values, "name": [f"n{i}" for i in range(60)]})
    ours = ma.protect(table, 4, quasi_identifiers=["x", "name"])
    optimal = ma.partition(values[:, None], 4, "optimal-1d").labels
    assert ours.partition.n_groups >= optimal.max() + 1
    mdav = ma.protect(table, 4, quasi_identifiers=["x", "name"], method="mdav")
    assert ours.measures["il"] <= mdav.measures["il"]


@pytest.mark.parametrize("count", [3, 60])
def test_one_column_is_grouped_optimally_in_each_stratum(count):
    table, where = strata([3, 4, 11, 20] * (count // 3) + [5] * (count % 3))
    release = ma.protect(table, 3, quasi_identifiers=["x"], strata=["where"])
    alone = ma.protect(table, 3, quasi_identifiers=["x"], strata=["where"], method="optimal-1d")
    assert release.partition.method.startswith("auto")
    assert release.measures["il"] == pytest.approx(alone.measures["il"], rel=1e-12)
    assert len(np.unique(np.stack([release.partition.labels, where]), axis=1).T) == (
        release.partition.n_groups
    )
    assert release.measures["gap"] < 1e-8


def test_a_missing_value_is_a_value_of_its_own():
    table = pa.table({"x": [1.0] * 3 + [None] * 3, "y": ["a"] * 6})
    release = ma.protect(table, 3, quasi_identifiers=["x", "y"], missing="keep")
    assert release.partition.labels.tolist() == [0, 0, 0, 1, 1, 1]


def strata(sizes, seed=0):
    rng = np.random.default_rng(seed)
    where = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = rng.normal(size=(where.size, 2))
    return pa.table({"x": X[:, 0], "y": X[:, 1], "where": where.astype(str)}), where


def test_many_strata_are_grouped_at_once(monkeypatch):
    from microagg.partition.search.auto import auto

    monkeypatch.setattr(auto, "SOME", 50)
    table, where = strata([3, 4, 5, 6, 7, 20, 31] * 3)
    how = {"quasi_identifiers": ["x", "y"], "strata": ["where"]}
    release = ma.protect(table, 3, **how)
    part = release.partition
    assert (part.method, part.facts.strata) == ("auto (mdav-nc + swap-shift)", 21)
    assert len(np.unique(np.stack([part.labels, where]), axis=1).T) == part.n_groups
    one_by_one = ma.protect(table, 3, method="mdav-nc", refine="swap-shift", **how)
    assert release.measures["il"] == pytest.approx(one_by_one.measures["il"], rel=0.02)
    quick = ma.protect(table, 3, parameters={"effort": "quick"}, **how)
    assert quick.partition == ma.protect(table, 3, method="mdav", **how).partition


def test_strata_share_the_steps_that_all_records_would_get():
    whole = plan_for(2_000, 5, "normal", whole=20_000)
    assert (str(whole), whole.parameters["max_iterations"]) == ("lns", 30_000)
    assert str(plan_for(2_000, 5, "normal", whole=200_000)) == "mdav-nc + swap-shift"
    assert plan_for(2_000, 5, "best", whole=20_000).time_limit == 6.0
