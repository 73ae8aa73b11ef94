"""Fuzzy clusters against their plain twin, and what always holds of them."""

import numpy as np
import pytest

from microagg.kernels.learning import fuzzy
from tests.examples import frozen
from tests.twins.learning import fuzzy as plain


def data(seed=0, n=40, d=3):
    return frozen(np.random.default_rng(seed).normal(size=(d, n)))


def start_of(columns, c):
    return np.ascontiguousarray(columns[:, :c].T)


def ticker(stop=0):
    return np.array([0, stop], dtype=np.int64)


@pytest.mark.parametrize("form", fuzzy.FORMS)
@pytest.mark.parametrize("sharpness", [0.5, 3.0, 50.0])
def test_memberships_are_those_of_the_twin_and_add_up_to_1(form, sharpness):
    columns = data()
    centres = np.vstack([start_of(columns, 5), [[0.1, 0.2, 0.3]]])  # five are records themselves
    ours = fuzzy.memberships(columns, centres, fuzzy.FORMS[form], sharpness)
    assert np.allclose(ours, plain.memberships(columns, centres, form, sharpness))
    assert np.allclose(ours.sum(axis=1), 1)
    if form == "means":
        assert np.array_equal(ours[:5, :5], np.eye(5))


def test_memberships_minimise_the_objective():
    """No other memberships of the same record have less sum of u^m times the squared distance."""
    m, columns = 1.7, data(1)
    centres = np.random.default_rng(2).normal(size=(4, 3))
    u = fuzzy.memberships(columns, centres, 0, 1 / (m - 1))
    gaps = ((columns.T[:, None] - centres) ** 2).sum(axis=2)
    others = np.random.default_rng(3).dirichlet(np.ones(4), size=(200, 40))
    assert np.all((u**m * gaps).sum(axis=1) <= (others**m * gaps).sum(axis=2) + 1e-12)


@pytest.mark.parametrize(("form", "power", "sharpness"), [("means", 1.3, 3.3), ("entropy", 1, 4)])
@pytest.mark.parametrize("least", [1.0, 3.0, 7.0])
def test_clusters_are_those_of_the_twin_and_heavy_enough(form, power, sharpness, least):
    columns = data(2)
    rules = (float(power), float(sharpness), 500, 1e-9)
    centres, masses, steps, stays = fuzzy.cluster(
        columns, start_of(columns, 12), least, fuzzy.FORMS[form], *rules, ticker()
    )
    twins = plain.cluster(columns, start_of(columns, 12), least, form, *rules)
    assert stays
    assert steps < 500
    assert masses.min() >= least
    assert masses.sum() == pytest.approx(40)
    assert centres.shape == twins.shape
    assert np.allclose(centres, twins, atol=1e-6)


@pytest.mark.parametrize(("iterations", "stop"), [(1, 0), (50, 1)])
def test_ended_early_clusters_are_heavy_enough_all_the_same(iterations, stop):
    columns = data(3)
    _, masses, steps, stays = fuzzy.cluster(
        columns, start_of(columns, 13), 5.0, 0, 1.2, 5.0, iterations, 1e-9, ticker(stop)
    )
    assert masses.min() >= 5
    assert steps <= iterations
    assert not stays


def test_told_to_stop_it_returns_what_it_weighed_without_another_pass():
    columns = data(3)
    start = start_of(columns, 13)
    centres, masses, steps, _ = fuzzy.cluster(
        columns, start, 3.0, 0, 1.2, 5.0, 50, 1e-9, ticker(stop=1)
    )
    assert steps == 1
    assert all((start == centre).all(axis=1).any() for centre in centres)
    assert (fuzzy.memberships(columns, centres, 0, 5.0).sum(axis=0) >= masses - 1e-9).all()


@pytest.mark.parametrize("by_membership", [True, False])
def test_draws_are_those_of_the_twin(by_membership):
    columns, rng = data(4), np.random.default_rng(5)
    centres, draws = rng.normal(size=(6, 3)), rng.random((3, 40))
    degrees = fuzzy.memberships(columns, centres, 0, 2.0)
    ours = fuzzy.choose(columns, centres, 0, 2.0, by_membership, 0.1, draws, ticker())
    twins = plain.choose(degrees, by_membership=by_membership, least=0.1, draws=draws)
    assert np.array_equal(ours, twins)


@pytest.mark.slow
def test_draws_follow_the_memberships():
    columns, centres = np.zeros((1, 1)), np.array([[1.0], [2.0], [-3.0]])
    degrees = fuzzy.memberships(columns, centres, 0, 1.0)[0]  # 36 : 9 : 4
    draws = np.random.default_rng(6).random((20_000, 1))
    by_membership = fuzzy.choose(columns, centres, 0, 1.0, True, 0.1, draws, ticker())
    shares = np.bincount(by_membership.ravel(), minlength=3) / 20_000
    assert np.allclose(shares, degrees, atol=0.02)
    uniform = fuzzy.choose(columns, centres, 0, 1.0, False, 0.1, draws, ticker())
    shares = np.bincount(uniform.ravel(), minlength=3) / 20_000
    assert np.allclose(shares, [0.5, 0.5, 0], atol=0.02)  # the third is below 0.1
