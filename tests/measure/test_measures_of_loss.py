"""Measures of loss against numpy, scipy and plain loops on random data."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import entropy, norm
from sklearn.decomposition import PCA
from sklearn.metrics import mutual_info_score

import microagg as ma
from microagg.measure.loss.mean_variation import mean_variation
from microagg.measure.loss.probabilistic import quantiles
from microagg.measure.pair import pair_of
from microagg.measure.registry import evaluate
from microagg.measure.score import pareto_front, scoring_index


def value(pair, name):
    return evaluate(pair, [name])[0].value


def random_files(rng, d=None):
    n, d = int(rng.integers(5, 40)), d or int(rng.integers(2, 5))
    before = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    return before, before + rng.normal(size=(n, d)) / 3


def paired(before, after):
    return pair_of(*(pd.DataFrame(v).rename(columns=str) for v in (before, after)))


def test_the_five_of_table_4_1_as_by_numpy(cases):
    rng = np.random.default_rng(0)
    for _ in cases:
        X, Y = random_files(rng)
        V, W = np.cov(X.T), np.cov(Y.T)
        upper, above = np.triu_indices(len(V)), np.triu_indices(len(V), 1)
        expected = [
            (np.abs(X - Y) / np.abs(X)).mean(),
            (np.abs(X.mean(0) - Y.mean(0)) / np.abs(X.mean(0))).mean(),
            (np.abs(V - W) / np.abs(V)).diagonal().mean(),
            (np.abs(V - W) / np.abs(V))[upper].mean(),
            np.abs(np.corrcoef(X.T) - np.corrcoef(Y.T))[above].mean(),
        ]
        pair = paired(X, Y)
        found = [value(pair, name) for name in (
            "variation-data", "variation-means", "variation-variances", "variation-covariances",
            "error-correlations")]  # fmt: skip
        assert found == pytest.approx([100 * e for e in expected], rel=1e-9)
        assert value(pair, "g-il") == pytest.approx(100 * np.mean(expected), rel=1e-9)


def test_rules_for_zeros_and_blanks():
    before = np.array([0.0, 0.0, 2.0, np.nan, np.nan, 3.0])
    after = np.array([0.0, -5.0, 1.0, np.nan, 1.0, np.nan])
    assert mean_variation(before, after) == pytest.approx((0 + 1 + 0.5 + 0 + 1 + 1) / 6)


def test_il_is_that_of_the_groups():
    X = np.random.default_rng(1).normal(size=(50, 3)) * [1, 10, 100]
    part = ma.partition(X, k=3, method="mdav")
    Y = np.stack([np.bincount(part.labels, c) / part.sizes for c in X.T], axis=1)[part.labels]
    assert value(paired(X, Y), "il") == pytest.approx(ma.information_loss(X, part).il)


def test_components_as_by_scikit_learn(cases):
    rng = np.random.default_rng(2)
    for _ in cases:
        X, Y = random_files(rng, d=3)
        fits = [PCA().fit((v - v.mean(0)) / v.std(0, ddof=1)) for v in (X, Y)]
        signs = np.sign(np.sum(fits[0].components_ * fits[1].components_, axis=1))
        vectors = [fits[0].components_.T, fits[1].components_.T * signs]
        roots = [np.sqrt(fit.explained_variance_) for fit in fits]
        weights = fits[0].explained_variance_ratio_
        pair = paired(X, Y)
        loadings = np.abs(vectors[0] * roots[0] - vectors[1] * roots[1]) @ weights
        scores = np.abs(vectors[0] / roots[0] - vectors[1] / roots[1]) @ weights
        first = [(v[:, 0] * r[0]) ** 2 for v, r in zip(vectors, roots, strict=True)]
        assert value(pair, "error-loadings") == pytest.approx(100 * loadings.mean())
        assert value(pair, "error-factor-scores") == pytest.approx(100 * scores.mean())
        assert value(pair, "error-communalities") == pytest.approx(
            100 * np.abs(first[0] - first[1]).mean()
        )


def test_probabilistic_loss_of_a_mean_and_its_bounds():
    rng = np.random.default_rng(3)
    x = rng.normal(size=200)
    lost = evaluate(paired(x[:, None], x[:, None] + 0.1), ["probabilistic"])[0].value
    mean = 2 * (norm.cdf(0.1 / (x.std() / np.sqrt(200))) - 0.5)
    levels = np.arange(0.05, 0.96, 0.05)
    slope = (np.quantile(x, levels + 0.025) - np.quantile(x, levels - 0.025)) / 0.05
    sd = np.sqrt(levels * (1 - levels) / 200) * slope
    quantiles = (2 * (norm.cdf(0.1 / sd) - 0.5)).mean()
    assert lost == pytest.approx(100 * (mean + 0 + quantiles) / 3)


def unlikely(change, sd):
    return 2 * (norm.cdf(abs(change) / sd) - 0.5)


def test_probabilistic_loss_as_by_scipy(cases):
    rng = np.random.default_rng(8)
    levels = np.arange(0.05, 0.96, 0.05)
    for _ in cases:
        X, Y = random_files(rng)
        n, d = X.shape
        U, V = X - X.mean(0), Y - Y.mean(0)
        parts = {
            "means": [],
            "variances": [],
            "covariances": [],
            "correlations": [],
            "quantiles": [],
        }
        for i in range(d):
            change = X[:, i].mean() - Y[:, i].mean()
            parts["means"].append(unlikely(change, X[:, i].std() / np.sqrt(n)))
            slope = np.quantile(X[:, i], levels + 0.025) - np.quantile(X[:, i], levels - 0.025)
            sd = np.sqrt(levels * (1 - levels) / n) * slope / 0.05
            moved = np.quantile(X[:, i], levels) - np.quantile(Y[:, i], levels)
            parts["quantiles"] += list(unlikely(moved, sd))
            for j in range(i + 1):
                products = U[:, i] * U[:, j]
                change = products.mean() - (V[:, i] * V[:, j]).mean()
                kind = "variances" if i == j else "covariances"
                parts[kind].append(unlikely(change, products.std() / np.sqrt(n)))
                if i != j:
                    r, s = np.corrcoef(X[:, [i, j]].T)[0, 1], np.corrcoef(Y[:, [i, j]].T)[0, 1]
                    a, b = U[:, i] / X[:, i].std(), U[:, j] / X[:, j].std()
                    share = a * b - r / 2 * (a**2 + b**2)
                    sd = np.sqrt((share**2).mean() / n)
                    parts["correlations"].append(unlikely(r - s, sd))
        expected = 100 * np.mean([np.mean(part) for part in parts.values()])
        assert value(paired(X, Y), "probabilistic") == pytest.approx(expected)


def test_sampling_variation_of_a_correlation_is_that_of_a_simulation():
    """The variance that the loss divides by, against 4,000 fresh samples."""
    rng = np.random.default_rng(4)
    cov, n = [[1, 0.6], [0.6, 1]], 400
    samples = [rng.multivariate_normal([0, 0], cov, n).T for _ in range(4000)]
    spread = np.std([np.corrcoef(s)[0, 1] for s in samples])
    x, y = ((v - v.mean()) / v.std() for v in samples[0])
    r = np.mean(x * y)
    share = x * y - r / 2 * (x**2 + y**2)
    assert np.sqrt(np.mean(share**2) / n) == pytest.approx(spread, rel=0.15)


class TestCategories:
    def test_direct_comparison(self):
        before, after = pa.table({"a": [1, 2, 3, 5]}), pa.table({"a": [1, 3, 3, 1]})
        nominal = pair_of(before, after, kinds={"a": "nominal"})
        ordinal = pair_of(before, after, kinds={"a": "ordinal"})
        assert value(nominal, "categories-changed") == 50
        assert value(ordinal, "categories-changed") == pytest.approx(100 * (1 + 3) / 3 / 4)

    def test_contingency_tables_as_by_pandas(self, cases):
        rng = np.random.default_rng(5)
        for _ in cases:
            names = ["a", "b", "c"]
            files = [pd.DataFrame(rng.integers(0, 3, size=(20, 3)), columns=names).astype(str)
                     for _ in range(2)]  # fmt: skip
            tables = [["a"], ["b"], ["c"], ["a", "b"], ["a", "c"], ["b", "c"], names]
            each = []
            for table in tables:
                one, other = (f.groupby(table).size() for f in files)
                each.append(one.sub(other, fill_value=0).abs().sum() / 40)
            pair = pair_of(*files, names)
            assert value(pair, "contingency") == pytest.approx(100 * np.mean(each))

    def test_entropy_as_by_scipy_and_scikit_learn(self, cases):
        rng = np.random.default_rng(6)
        for _ in cases:
            before, after = rng.integers(0, 4, size=(2, 25))
            pair = pair_of(*(pa.table({"a": v.astype(str)}) for v in (before, after)), ["a"])
            whole = entropy(np.bincount(before))
            expected = 100 * (1 - mutual_info_score(before, after) / whole)
            assert value(pair, "entropy") == pytest.approx(expected, abs=1e-9)


def test_score_with_any_weight():
    assert scoring_index(10, 30) == 20
    assert scoring_index(10, 30, 1) == 10
    with pytest.raises(ma.MicroaggError, match="from 0 to 1"):
        scoring_index(10, 30, 2)


def test_the_front_is_what_nothing_beats(cases):
    rng = np.random.default_rng(7)
    for _ in cases:
        points = rng.integers(0, 6, size=(12, 2))
        front = pareto_front(points[:, 0], points[:, 1])
        for i, p in enumerate(points):
            beaten = any((q <= p).all() and (q < p).any() for q in points)
            assert (i in front) == (not beaten)


@pytest.mark.parametrize("n", [1, 2, 7, 1000])
def test_quantiles_of_sorted_values_are_those_of_numpy(n):
    values = np.sort(np.random.default_rng(n).normal(size=n))
    levels = np.arange(0.0, 1.001, 0.025)
    assert np.array_equal(quantiles(values, levels), np.quantile(values, levels))
