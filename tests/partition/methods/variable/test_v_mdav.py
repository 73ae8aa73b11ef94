"""V-MDAV: its gamma, as a number and as "auto", and the sizes it makes."""

import numpy as np
import pytest

import microagg as ma
from microagg.errors import ParameterError
from microagg.partition.driver import group
from microagg.partition.methods.variable.v_mdav import tendency
from microagg.prepare.prepared import prepare
from tests.twins.registry import TWINS


def clusters(sizes, spread, seed=0):
    """Return tight clusters of the given sizes, far apart, in random order of rows."""
    rng = np.random.default_rng(seed)
    centers = np.repeat(rng.uniform(-1, 1, size=(len(sizes), 2)), sizes, axis=0)
    return rng.permutation(centers + spread * rng.normal(size=centers.shape))


def gamma_chosen(X, k=3):
    return ma.partition(X, k, "v-mdav").facts.gamma


@pytest.mark.parametrize("gamma", [0, 0.2, 1.0, 1.1, 3.0])
@pytest.mark.parametrize("k", [2, 3, 7])
def test_twin_with_any_gamma(gamma, k):
    rng = np.random.default_rng(k)
    for X in (
        rng.normal(size=(151, 3)),
        rng.integers(0, 4, size=(120, 2)).astype(float),
        clusters(rng.integers(3, 6, size=40), 0.002),
    ):
        prepared = prepare(list(X.T), [str(j) for j in range(X.shape[1])])
        ours = group(prepared, k, "v-mdav", parameters={"gamma": gamma}).labels
        twins = TWINS["v-mdav"](prepared, k, rng, gamma=float(gamma), index="auto")
        assert np.array_equal(ours, twins)


def test_natural_groups_of_k_and_one_more_are_found():
    sizes = np.tile([3, 4, 4], 20)
    centers = np.repeat(np.arange(60), sizes)
    X = np.stack([centers % 8, centers // 8], axis=1) + np.random.default_rng(0).normal(
        scale=1e-3, size=(sizes.sum(), 2)
    )
    part = ma.partition(X, 3, "v-mdav", parameters={"gamma": 1.1})
    assert part.n_groups == 60
    assert all(len(set(part.labels[centers == c])) == 1 for c in range(60))


def test_gamma_zero_extends_nothing():
    sizes = ma.partition(
        np.random.default_rng(0).normal(size=(60, 2)), 4, "v-mdav", parameters={"gamma": 0}
    ).sizes
    assert set(sizes.tolist()) == {4}


@pytest.mark.parametrize("k", [3, 5, 10])
def test_scattered_data_is_told(k):
    rng = np.random.default_rng(1)
    for X in (
        rng.uniform(size=(1000, 2)),
        rng.normal(size=(3000, 10)),
        np.exp(rng.normal(size=(500, 5))),
        rng.integers(0, 10, size=(1000, 3)).astype(float),
        np.ones((40, 2)),
    ):
        assert gamma_chosen(X, k) == 0.2


@pytest.mark.parametrize("k", [3, 5, 10])
def test_clustered_data_is_told(k):
    sizes = np.random.default_rng(2).integers(3, 6, size=250)
    assert gamma_chosen(clusters(sizes, 0.003), k) == 1.1


@pytest.mark.parametrize("d", [1, 2, 5, 10])
def test_tendency_is_1_in_any_dimension(d):
    rng = np.random.default_rng(d)
    volumes = np.cumsum(rng.exponential(size=(4000, 10)), axis=1)  # of a Poisson process
    assert tendency(volumes ** (2 / d)) == pytest.approx(1, abs=0.02)


def test_no_group_beyond_what_is_promised():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = clusters(rng.integers(1, 30, size=12), 0.01, seed)
        for k in (2, 4, 6):
            if len(X) >= k:
                assert (
                    ma.partition(X, k, "v-mdav", parameters={"gamma": 2.0}).sizes.max() <= 3 * k - 2
                )


@pytest.mark.parametrize("gamma", [-0.1, "much", None, float("nan")])
def test_gamma_must_be_a_number_or_auto(gamma):
    with pytest.raises(ParameterError, match="a number of at least 0 or 'auto'"):
        ma.partition(np.eye(6), 2, "v-mdav", parameters={"gamma": gamma})
