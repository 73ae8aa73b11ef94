"""Where each record occurs at least k times, groups of equal records come at once; nowhere else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg.partition.bounds.column_generation import ColumnGeneration
from microagg.partition.equal_records import LOOKED_AT, equal_groups
from microagg.partition.search.best import portfolio
from microagg.partition.search.lns import lns
from tests.examples import examples, sample


def repeated(counts, d=3, seed=0):
    """Return so many equal records of each kind, in any order."""
    rng = np.random.default_rng(seed)
    kinds = rng.normal(size=(len(counts), d))
    return kinds[rng.permutation(np.repeat(np.arange(len(counts)), counts))]


@pytest.fixture
def no_search(monkeypatch):
    """Let every search and every column generation fail."""
    monkeypatch.setattr(lns.LnsRun, "__call__", None)
    monkeypatch.setattr(portfolio.Portfolio, "run", None)
    monkeypatch.setattr(ColumnGeneration, "step", None)


@settings(max_examples=examples(200), deadline=None)
@given(st.integers(2, 4), st.lists(st.integers(1, 11), min_size=1, max_size=8), st.integers(0, 99))
def test_groups_of_equal_records_if_and_only_if_each_occurs_k_times(k, counts, seed):
    X = repeated(counts, seed=seed)
    labels = equal_groups(np.ascontiguousarray(X.T), k)
    assert (labels is not None) == (min(counts) >= k)
    if labels is not None:
        sizes = np.bincount(labels)
        assert (sizes.min() >= k, sizes.max() < 2 * k) == (True, True)
        assert len(np.unique(np.column_stack([X, labels]), axis=0)) == len(sizes)
        assert (np.diff(np.unique(labels, return_index=True)[1]) > 0).all()


def test_one_record_short_in_a_kind_that_is_not_looked_at_first():
    counts = np.full(2 * LOOKED_AT, 3)
    columns = np.repeat(np.arange(2.0 * LOOKED_AT), counts)[np.newaxis]
    assert equal_groups(columns, 3) is not None
    for gone in range(columns.size):
        assert equal_groups(np.delete(columns, gone, axis=1), 3) is None


def test_records_that_differ_in_one_column_alone_are_not_equal():
    assert equal_groups(np.array([[1.0] * 6, [2.0] * 6, [1.0, 2.0] * 3]), 4) is None
    found = equal_groups(np.array([[1.0] * 6, [2.0] * 6, [1.0, 2.0] * 3]), 3)
    assert found.tolist() == [0, 1] * 3


@pytest.mark.parametrize("counts", [[4] * 30, [4, 5, 6, 7, 8, 9, 23], [5], [70]])
@pytest.mark.parametrize("name", ["best", "lns", "auto"])
@pytest.mark.parametrize("limit", [None, 60.0])
def test_no_search_is_made(no_search, counts, name, limit):
    X = repeated(counts)
    part = ma.partition(X, 4, name, parameters={"time_limit": limit})
    assert ma.information_loss(X, part).sse == 0.0
    assert part.sizes.max() < 8
    assert part.facts.stopped == "proved"
    if name == "best":
        proof = {"lower_bound": 0.0, "lower_bound_sse": 0.0, "gap": 0.0, "iterations": 0}
        assert proof.items() <= part.facts.as_dict().items()


@pytest.mark.parametrize("name", sample(["lns", "best"]))
def test_one_record_short_there_is_a_search(name):
    X = repeated([4, 4, 3, 6])
    part = ma.partition(X, 4, name, parameters={"time_limit": None, "max_iterations": 1})
    assert ma.information_loss(X, part).sse > 0
    assert part.facts.stopped != "proved"


@pytest.mark.parametrize("counts", [[4] * 500, [5], [70]])
def test_the_bound_is_0_at_once(no_search, counts):
    X = repeated(counts)
    found = ma.lower_bound(X, 4, groups=ma.partition(X, 4, "lns"), time_limit=None)
    assert (found.sse, found.proved_by, found.stopped) == (0.0, "equal records", "proved")
    assert (found.groups_sse, found.gap) == (0.0, 0.0)


@pytest.mark.slow
def test_a_bound_of_one_record_short_is_looked_for():
    found = ma.lower_bound(repeated([4, 4, 3, 6]), 4)
    assert (found.sse > 0, found.proved_by != "equal records") == (True, True)


def test_a_start_that_does_not_exist_is_an_error_all_the_same():
    with pytest.raises(ma.MicroaggError, match="The 'initial' parameter of lns must be"):
        ma.partition(np.ones((10, 2)), 3, "lns", parameters={"initial": "lns"})
