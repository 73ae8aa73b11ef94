"""Paths and their cuts: what holds for all, and for each alone."""

import itertools

import numpy as np
import pytest

import microagg as ma
from microagg.errors import ParameterError
from microagg.partition.methods.variable.imhm import transport
from microagg.partition.sum_of_squares import error_of

X = np.random.default_rng(0).normal(size=(400, 3))


def il(name, X=X, k=4, **parameters):
    return ma.information_loss(X, ma.partition(X, k, name, parameters=parameters)).il


@pytest.mark.parametrize(
    ("path", "heuristic"), [("mdav-mhm", "mdav"), ("cbfs-mhm", "cbfs-nn"), ("md-mhm", "md")]
)
def test_a_cut_of_the_path_through_groups_is_never_worse_than_the_groups(path, heuristic):
    for seed in range(3):
        Y = np.random.default_rng(seed).standard_cauchy(size=(150, 2))
        for k in (2, 5, 11):
            assert il(path, Y, k) <= il(heuristic, Y, k) * (1 + 1e-12)


def test_a_shorter_path_loses_less():
    assert il("tsp-mhm") < il("npn-mhm")
    assert il("tsp-mhm", neighbours=1) <= il("npn-mhm") * 1.05


def test_neighbours_must_be_at_least_one():
    with pytest.raises(
        ParameterError, match="'neighbours' parameter of tsp-mhm must be an integer"
    ):
        ma.partition(X, 3, "tsp-mhm", parameters={"neighbours": 0})


def test_one_column_in_any_order_of_the_curve_is_sorted():
    x = np.random.default_rng(1).permutation(50.0 + np.arange(60))
    labels = ma.partition(x[:, None], 3, "hilbert-mhm").labels
    assert (np.diff(labels[np.argsort(x)]) >= 0).all()


@pytest.mark.parametrize("k", [2, 3])
def test_transport_is_optimal(k):
    for seed in range(4):
        points = np.random.default_rng(seed).normal(size=(7, 2))
        labels = np.array([0, 0, 0, 1, 1, 1, 1], dtype=np.int32)
        means = np.array([points[labels == g].mean(axis=0) for g in (0, 1)])
        costs = np.sum((points[:, None] - means) ** 2, axis=2)
        allowed = [
            a
            for a in itertools.product((0, 1), repeat=7)
            if k <= sum(a) < 2 * k and k <= 7 - sum(a) < 2 * k
        ]
        best = min((costs[np.arange(7), list(a)].sum() for a in allowed), default=None)
        carried = transport(points, labels, k, 2)
        if best is not None:
            assert costs[np.arange(7), carried].sum() == pytest.approx(best)
        else:
            assert np.array_equal(carried, labels)


def test_imhm_improves_mdav_mhm_and_stops():
    part = ma.partition(X, 4, "imhm")
    assert part.facts.rounds >= 1
    assert ma.information_loss(X, part).il < il("mdav-mhm")
    assert il("imhm", rounds=1) >= ma.information_loss(X, part).il
    assert error_of(X.T, part.labels) > 0


def test_with_few_neighbours_every_record_still_has_a_place():
    assert ma.partition(X, 4, "imhm", parameters={"neighbours": 1, "rounds": 3}).sizes.min() >= 4
