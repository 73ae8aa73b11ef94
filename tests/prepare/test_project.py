"""Axes: what each one is, that units and constant columns do not matter, and their signs."""

import numpy as np
import pytest
from scipy.stats import zscore

from microagg.prepare.prepared import prepare
from microagg.prepare.project import AXES, project


def prepared(X, scale="zscore"):
    return prepare(
        list(np.asarray(X, dtype=float).T), [f"v{j}" for j in range(X.shape[1])], scale=scale
    )


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return rng.normal(size=(80, 4)) @ rng.normal(size=(4, 4))


def test_first_principal_component_varies_most(X):
    ready = prepared(X)
    axis = project(ready, "pc1")
    singular = np.linalg.svd(ready.columns.T, compute_uv=False)[0]
    assert np.sqrt(np.sum(axis**2)) == pytest.approx(singular)
    loadings = ready.columns @ axis
    assert loadings[np.argmax(np.abs(loadings))] > 0


@pytest.mark.parametrize("scale", ["zscore", "range", "none"])
def test_sum_of_z_scores_whatever_the_scale(X, scale):
    assert np.allclose(project(prepared(X, scale), "zsum"), zscore(X, axis=0).sum(axis=1))


def test_sugeno_integral_by_hand():
    columns = np.array([[0.0, 1.0, 0.9, 0.4], [0.0, 1.0, 0.2, 0.4], [0.0, 1.0, 0.7, 0.4]])
    axis = project(prepared(columns.T, "none"), "sugeno")
    # the third: 0.9, 0.7, 0.2 against 1/3, 2/3, 1; the fourth: 0.4 three times
    assert axis.tolist() == pytest.approx([0, 1, 2 / 3, 0.4])


def test_a_column(X):
    assert np.array_equal(project(prepared(X), "v2"), prepared(X).columns[2])


@pytest.mark.parametrize("axis", AXES)
def test_one_column_is_its_own_axis(X, axis):
    assert np.array_equal(project(prepared(X[:, :1]), axis), prepared(X[:, :1]).columns[0])


@pytest.mark.parametrize("axis", AXES)
def test_columns_that_do_not_vary(X, axis):
    more = np.column_stack([X[:, :2], np.full(len(X), 7.0), X[:, 2:]])
    assert np.array_equal(project(prepared(more), axis), project(prepared(X), axis))
    assert not project(prepared(np.ones((5, 3))), axis).any()


def test_equal_loadings_have_the_first_positive():
    x = np.arange(10.0)
    assert project(prepared(np.column_stack([x, -x])), "pc1")[-1] > 0
