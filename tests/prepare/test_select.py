"""EMAD: weights against plain sums, the tree against all trees, and how columns are named."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import microagg as ma
from microagg.errors import ParameterError
from microagg.prepare.prepared import prepare
from microagg.prepare.select import correlations, emad, grouping_columns, intervals, spanning_tree
from tests.examples import examples

small = arrays(np.float64, (3, 30), elements=st.integers(0, 4).map(float))


def table(a, b):
    """Return the shares of records of a contingency table, empty cells included."""
    return np.array([[np.mean((a == i) & (b == j)) for j in np.unique(b)] for i in np.unique(a)])


@given(small)
@settings(deadline=None, max_examples=examples(40))
def test_weights_are_the_sums_of_the_thesis(columns):
    emi, chi2, normal = (
        emad(list(columns), 1, m, w).weights for m, w in (("emi", 1), ("chi2", 1), ("normal", None))
    )
    for i, j in combinations(range(3), 2):
        p = table(columns[i], columns[j])
        e = np.outer(p.sum(axis=1), p.sum(axis=0))
        there = p > 0
        assert emi[i, j] == pytest.approx(np.sum(p[there] * np.log((p / e)[there])), abs=1e-12)
        assert chi2[i, j] == pytest.approx(np.sum((p - e) ** 2 / e), abs=1e-12)
        if np.ptp(columns[i]) and np.ptp(columns[j]):
            r = np.corrcoef(columns[i], columns[j])[0, 1]
            if abs(r) < 0.999:
                assert normal[i, j] == pytest.approx(-0.5 * np.log(1 - r**2), abs=1e-9)


def all_trees(d):
    pairs = list(combinations(range(d), 2))
    for edges in combinations(pairs, d - 1):
        reached = {0}
        for _ in range(d):
            reached |= {v for edge in edges if reached & set(edge) for v in edge}
        if len(reached) == d:
            yield edges


@given(arrays(np.float64, (5, 5), elements=st.integers(0, 6).map(float)))
@settings(deadline=None, max_examples=examples(30))
def test_the_tree_is_the_heaviest_of_all(weights):
    weights = np.triu(weights, 1) + np.triu(weights, 1).T  # with zeros and ties
    found = spanning_tree(weights)
    assert sum(weights[e] for e in found) == max(sum(weights[e] for e in t) for t in all_trees(5))
    assert len(found) == 4
    assert [weights[e] for e in found] == sorted((weights[e] for e in found), reverse=True)


def test_the_most_connected_and_then_the_least_dependent():
    rng = np.random.default_rng(0)
    a, d = rng.normal(size=(2, 400))
    near = [a + rng.normal(scale=s, size=400) for s in (0.3, 0.4)]
    far = [d + rng.normal(scale=s, size=400) for s in (0.3, 0.4, 0.5)]
    found = emad([a, *near, d, *far], 2, "normal")
    assert found.chosen == (3, 0)  # the thesis' figure 6.3: two columns, each with its own


def test_constant_columns_and_copies_do_no_harm():
    a = np.arange(12.0)
    for measure in ("emi", "chi2", "normal"):
        found = emad([a, np.full(12, 0.1), -a], 3, measure)
        assert np.isfinite(found.weights).all()
        assert sorted(found.chosen) == [0, 1, 2]
        assert found.weights[1].tolist() == pytest.approx([0, 0, 0], abs=1e-12)
    assert emad([a], 1).edges == ()
    assert correlations([a, -a])[0, 1] == pytest.approx(-1)


def test_intervals():
    assert intervals(np.array([5.0, 14.9, 15.0, 35.0]), 10).tolist() == [0, 0, 1, 2]
    assert intervals(np.array([0.0, 1e300]), 1e-300).tolist() == [0, 1]
    codes = intervals(np.arange(1000.0) ** 3, None)
    assert np.bincount(codes).tolist() == [100] * 10
    assert len(set(intervals(np.array([1.0] * 20 + [2.0] * 7), None)[:20].tolist())) == 1


def test_groups_are_made_on_the_columns_named():
    X = np.random.default_rng(0).normal(size=(40, 4))
    whole = ma.partition(X[:, [3, 1]], 3, "mdav")
    for columns in ([3, 1], ["3", "1"]):
        part = ma.partition(X, 3, "mdav", columns=columns)
        assert part == whole
        assert part.facts.columns == ("3", "1")
    three = ma.select_columns(X).columns
    for text, measure in (("emad:3", "emi"), ("EMAD-chi2:3", "chi2"), ("emad-normal:3", "normal")):
        chosen = ma.select_columns(X, measure=measure).columns
        assert ma.partition(X, 3, "mdav", columns=text).facts.columns == tuple(chosen)
    assert ma.partition(X, 3, "mdav", columns="emad:3") == ma.partition(X, 3, "mdav", columns=three)


def test_a_refinement_judges_by_all_columns():
    X = np.random.default_rng(1).normal(size=(60, 4))
    plain = ma.partition(X, 3, "mdav", columns=[0])
    refined = ma.partition(X, 3, "mdav", columns=[0], refine="swap-shift")
    assert ma.information_loss(X, refined).il < ma.information_loss(X, plain).il


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ("emad", "must be a list of names, or 'emad:3'"),
        ("emad:x", "must be a list of names"),
        ("emad-foo:3", "must be a list of names"),
        ("mdav:3", "must be a list of names"),
        ("emad:0", "asks for 0 columns; there are 2"),
        ("emad:9", "asks for 9 columns; there are 2"),
        ([], "name at least one column"),
        (["age", "age"], "name each column once"),
        (["agee"], "Did you mean 'age'"),
        (3, "must be a list of names"),
    ],
)
def test_what_columns_cannot_be(columns, words):
    prepared = prepare([np.arange(5.0), np.ones(5)], ["age", "pay"])
    with pytest.raises(ParameterError, match=words):
        grouping_columns(prepared, columns)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"m": 0}, "'m' parameter of select_columns must be an integer from 1 to 2"),
        ({"m": 3}, "from 1 to 2"),
        ({"m": 1, "measure": "r2"}, "'measure' parameter"),
        ({"m": 1, "width": 0}, "above 0"),
        ({"m": 1, "width": "wide"}, "above 0"),
        ({"m": 1, "width": 2, "measure": "normal"}, "uses none"),
    ],
)
def test_what_the_choice_cannot_be(options, words):
    with pytest.raises(ParameterError, match=words):
        ma.select_columns([[1.0, 2.0], [2.0, 5.0]], **options)


def test_all_pairs_of_measures_and_numbers_run():
    X = np.random.default_rng(2).gamma(1, 5, size=(50, 3))
    for measure, m in product(("emi", "chi2", "normal"), (1, 2, 3)):
        assert len(ma.select_columns(X, measure=measure, m=m).columns) == m
