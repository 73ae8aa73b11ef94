"""Microaggregator behaves as scikit-learn expects and keeps its promise."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import microagg as ma


@parametrize_with_checks([ma.Microaggregator(), ma.Microaggregator(k=3, method="cbfs-nc")])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.fixture
def X():
    return load_diabetes(scaled=False).data


def test_agrees_with_partition(X):
    estimator = ma.Microaggregator(k=4, method="mdav").fit(X)
    assert np.array_equal(estimator.labels_, ma.partition(X, 4, "mdav").labels)
    assert np.array_equal(estimator.fit_predict(X), estimator.labels_)


def test_fit_transform_is_k_anonymous(X):
    released = ma.Microaggregator(k=7, method="mdav").fit_transform(X)
    _, counts = np.unique(released, axis=0, return_counts=True)
    assert counts.min() >= 7


def test_transform_of_the_training_data_is_the_release_even_with_repeated_records():
    X = np.repeat(np.arange(6.0), 5).reshape(-1, 1)
    estimator = ma.Microaggregator(k=3)
    assert np.array_equal(estimator.fit_transform(X), estimator.transform(X))
    shuffled = np.random.default_rng(0).permutation(len(X))
    _, counts = np.unique(estimator.transform(X[shuffled]), axis=0, return_counts=True)
    assert counts.min() >= 3


@pytest.mark.parametrize("seed", range(5))
def test_transform_is_a_function_of_each_row_alone(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(60, 2)).astype(float)  # many equal records, split by the method
    estimator = ma.Microaggregator(k=4, method="mdav").fit(X)
    split = ma.partition(X, 4, "mdav").labels
    assert len({(tuple(row), label) for row, label in zip(X, split, strict=True)}) > len(
        np.unique(X, axis=0)
    )
    released = estimator.transform(X)
    new = np.concatenate([X, rng.normal(2, 2, size=(20, 2))])
    one_by_one = np.concatenate([estimator.transform(row[None]) for row in new])
    assert np.array_equal(estimator.transform(new), one_by_one)
    assert np.array_equal(released, one_by_one[:60])
    assert np.array_equal(estimator.fit_transform(X), released)
    assert np.unique(released, axis=0, return_counts=True)[1].min() >= 4
    assert released.mean(axis=0) == pytest.approx(X.mean(axis=0))


def test_new_rows_go_to_the_nearest_group(X):
    estimator = ma.Microaggregator(k=5, method="mdav").fit(X)
    new = X[:40] + np.random.default_rng(1).normal(size=(40, X.shape[1]))
    distances = (((new[:, None] - estimator.centroids_) / X.std(axis=0)) ** 2).sum(axis=2)
    assert np.array_equal(estimator.predict(new), distances.argmin(axis=1))
    assert np.array_equal(estimator.transform(new), estimator.centroids_[distances.argmin(axis=1)])


def test_pipeline_and_grid_search():
    X, y = load_diabetes(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), ma.Microaggregator(method="mdav"), Ridge())
    search = GridSearchCV(pipeline, {"microaggregator__k": [2, 20]}, cv=3).fit(X, y)
    assert search.best_params_["microaggregator__k"] in (2, 20)


def test_grid_search_by_its_own_score(X):
    search = GridSearchCV(ma.Microaggregator(method="mdav"), {"k": [3, 60]}, cv=3).fit(X)
    assert search.best_params_ == {"k": 3}


def test_score_is_minus_the_information_loss(X):
    estimator = ma.Microaggregator(k=5, method="mdav").fit(X)
    loss = ma.information_loss(X, estimator.partition_)
    assert estimator.score(X) == pytest.approx(-loss.il)


def test_feature_names(X):
    import pandas as pd

    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    estimator = ma.Microaggregator(method="mdav").set_output(transform="pandas").fit(frame)
    assert list(estimator.get_feature_names_out()) == list(frame.columns)
    assert list(estimator.transform(frame).columns) == list(frame.columns)


def test_parameters_reach_the_method(X):
    nearest = ma.Microaggregator(5, "mdav", parameters={"leftovers": "nearest"}).fit(X)
    assert np.array_equal(
        nearest.labels_, ma.partition(X, 5, "mdav", parameters={"leftovers": "nearest"}).labels
    )
    with pytest.raises(ma.MicroaggError, match="has no parameter 'leftover'"):
        clone(nearest).set_params(parameters={"leftover": "nearest"}).fit(X)


def test_too_few_rows():
    with pytest.raises(ValueError, match="from 2 to n=3"):
        ma.Microaggregator(k=5).fit(np.eye(3))


@pytest.mark.parametrize(
    "bad", [[98765.0, 2.0, 3.0], 98765.0, np.array([[98765.0 + 1j], [2]]), [["98765x"], ["b"]]]
)
def test_no_error_shows_a_record(bad):
    fitted = ma.Microaggregator(k=2).fit(np.arange(6.0).reshape(-1, 1))
    for call in (ma.Microaggregator(k=2).fit, fitted.transform):
        with pytest.raises(ValueError, match=r"\w") as caught:
            call(bad)
        error = caught.value
        while error is not None:
            assert "98765" not in str(error)
            assert "9.8765" not in str(error)
            error = error.__cause__ or error.__context__


def test_a_fitted_estimator_holds_no_record(X):
    assert ma.Microaggregator(k=5, method="mdav").fit(X)._prepared.columns.base is None


def test_arrays_of_dates_are_refused():
    days = pd.DataFrame({"a": pd.date_range("2024-01-01", periods=6)}).to_numpy()
    with pytest.raises(ma.MicroaggError, match="dates"):
        ma.Microaggregator(k=2).fit(days)


def test_a_frame_is_scored_without_a_warning():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), columns=["a", "b"])
    model = ma.Microaggregator(k=3).fit(frame)
    assert model.score(frame) == pytest.approx(model.score(frame.rename(columns=str)))
    assert -100 < model.score(frame) < 0
