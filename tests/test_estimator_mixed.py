"""Microaggregator on frames of text, categories, dates and missing values."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import microagg as ma


def people(n=60, seed=0, blanks=0.0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "sex": rng.choice(["f", "m"], n),
            "grade": pd.Categorical(
                rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True
            ),
            "born": pd.Timestamp("1990-01-01") + pd.to_timedelta(rng.integers(0, 5000, n), "D"),
            "member": rng.random(n) < 0.5,
        },
        index=np.arange(n) + 100,
    )
    if blanks:
        frame = frame.mask(rng.random(frame.shape) < blanks)
        frame["member"] = frame["member"].astype("boolean")
        frame["grade"] = pd.Categorical(frame["grade"], ["low", "mid", "high"], ordered=True)
    return frame


def smallest_class(released):
    return released.groupby(list(released.columns), dropna=False, observed=True).size().min()


@pytest.mark.parametrize("missing", ["error", "keep", "group"])
def test_a_frame_of_all_kinds_is_released_in_its_types(missing):
    frame = people(blanks=0.0 if missing == "error" else 0.15)
    estimator = ma.Microaggregator(k=4, missing=missing, random_state=0)
    released = estimator.fit_transform(frame)
    assert list(released.columns) == list(frame.columns)
    assert released.index.equals(frame.index)
    assert smallest_class(released) >= 4
    for name in ("sex", "born", "member"):
        assert released[name].dtype == frame[name].dtype
    assert released["grade"].cat.ordered
    assert set(released["grade"].cat.categories) <= {"low", "mid", "high"}
    assert estimator.centroids_.shape == (estimator.partition_.n_groups, 5)
    assert -100 <= estimator.score(frame) < 0
    assert np.array_equal(estimator.labels_, estimator.predict(frame))


@pytest.mark.parametrize("missing", ["error", "keep", "group"])
def test_transform_is_a_function_of_each_row_alone(missing):
    frame = people(blanks=0.0 if missing == "error" else 0.1)
    estimator = ma.Microaggregator(k=4, method="mdav", missing=missing).fit(frame)
    new = pd.concat([frame, people(15, seed=9)])
    new.iloc[-1, 1] = "x"  # a category that was not there
    whole = estimator.transform(new)
    some = [0, 7, 14, *range(len(frame), len(new), 3), len(new) - 1]
    single = pd.concat([estimator.transform(new.iloc[[i]]) for i in some])
    pd.testing.assert_frame_equal(whole.iloc[some], single)
    pd.testing.assert_frame_equal(whole.iloc[: len(frame)], estimator.transform(frame))
    assert smallest_class(estimator.transform(frame)) >= 4
    known = {tuple(map(str, row)) for row in estimator.centroids_.itertuples(index=False)}
    assert {tuple(map(str, row)) for row in whole.itertuples(index=False)} <= known


def test_equal_records_share_a_group():
    frame = pd.DataFrame({"x": list("aabbbbccdddd"), "y": [1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 4, 4]})
    estimator = ma.Microaggregator(k=3, method="mdav").fit(frame)
    assert frame.assign(group=estimator.labels_).groupby(["x", "y"])["group"].nunique().max() == 1
    assert estimator.partition_.sizes.min() >= 3


def test_new_rows_go_to_the_nearest_group():
    frame = pd.DataFrame({"x": ["a"] * 4 + ["b"] * 4, "y": [1.0, 2, 1, 2, 8, 9, 8, 9]})
    estimator = ma.Microaggregator(k=4).fit(frame)
    new = pd.DataFrame({"x": ["a", "b", "?"], "y": [2.5, 7.5, 7.0]})
    assert estimator.transform(new)["x"].tolist() == ["a", "b", "b"]


def as_kind(frame, kind):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return {"pandas": frame, "polars": pl.from_arrow(table), "pyarrow": table}[kind]


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("container", ["default", "pandas", "polars"])
def test_set_output(container, kind):
    frame = people()
    given = as_kind(frame, kind)
    estimator = ma.Microaggregator(k=3, random_state=0).set_output(transform=container)
    released = estimator.fit_transform(given)
    types = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "default": type(given)}
    assert isinstance(released, types[container])
    names = getattr(released, "column_names", None) or list(released.columns)
    assert list(names) == list(estimator.get_feature_names_out()) == list(frame.columns)
    if container != "default":
        dtypes = dict(zip(names, map(str, released.dtypes), strict=True))
        assert dtypes["age"].lower() == "float64"  # not objects
        assert dtypes["member"].lower() in ("bool", "boolean")
    if isinstance(released, pd.DataFrame):
        index = frame.index if kind == "pandas" else range(len(frame))
        assert list(released.index) == list(index)


def test_options_for_columns_are_honoured_in_frames_of_numbers():
    table = pa.table({"zip": [1, 1, 9, 9, 9, 1], "x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    options = {"k": 2, "kinds": {"zip": "nominal"}}
    released = ma.Microaggregator(**options).fit_transform(table)
    assert released.schema.field("zip").type == pa.int64()  # codes, not means
    nameless = table.to_pandas().set_axis([0, 1], axis=1)
    with pytest.raises(ma.MicroaggError, match="Column names must be text"):
        ma.Microaggregator(k=2, kinds={0: "nominal"}).fit(nameless)
    with pytest.raises(ma.MicroaggError, match="Column names must be text"):
        ma.Microaggregator(k=2).fit(nameless.assign(**{"1": list("ababab")}))
    assert ma.Microaggregator(k=2).fit_transform(nameless).shape == (6, 2)
    with pytest.raises(ma.MicroaggError, match="'missing' parameter of Microaggregator applies"):
        ma.Microaggregator(k=2, missing="group").fit(np.eye(4))


@pytest.mark.parametrize("missing", ["keep", "group"])
def test_new_records_may_lack_values_that_all_training_records_have(missing):
    frame = people()[["age"]]
    estimator = ma.Microaggregator(k=4, missing=missing).fit(frame)
    new = pd.DataFrame({"age": [20.0, np.nan, 70.0]})
    assert estimator.transform(new)["age"].notna().all()
    nothing = pd.DataFrame({"age": [None]})  # of no type
    assert estimator.transform(nothing)["age"].notna().all()


def test_dates_may_have_another_resolution_but_not_another_meaning():
    frame = people()
    estimator = ma.Microaggregator(k=4, random_state=0).fit(frame)
    born = frame["born"]
    for other in (born.astype("datetime64[s]"), born.astype("datetime64[ns]"), born.dt.date):
        assert np.array_equal(estimator.predict(frame.assign(born=other)), estimator.labels_)
    days = ma.Microaggregator(k=4, random_state=0).fit(frame.assign(born=born.dt.date))
    assert np.array_equal(days.predict(frame), days.labels_)
    noon = days.predict(frame.assign(born=born + pd.Timedelta("3h")))
    assert np.mean(noon == days.labels_) > 0.5
    for other in (born.astype(str), born.astype("int64"), born.dt.tz_localize("UTC"), born - born):
        with pytest.raises(ma.MicroaggError, match="cannot be compared"):
            estimator.predict(frame.assign(born=other))


def test_dates_in_text_are_checked_in_new_records():
    frame = people()
    frame["born"] = frame["born"].dt.strftime("%Y-%m-%d")
    with pytest.warns(ma.MicroaggWarning, match="look like dates: born"):
        ma.Microaggregator(k=4).fit(frame)
    estimator = ma.Microaggregator(k=4, kinds={"born": "continuous"}, missing="keep").fit(frame)
    assert np.array_equal(estimator.predict(frame), estimator.labels_)
    frame.iloc[5, 3] = "no date"
    with pytest.raises(ma.MicroaggError, match="data row 6"):
        estimator.predict(frame)
    with pytest.raises(ma.MicroaggError, match="cannot be compared"):
        estimator.predict(people())


@pytest.mark.parametrize("name", ["sex", "grade"])
def test_unseen_categories_count_as_missing_in_the_score(name):
    frame = people()
    estimator = ma.Microaggregator(k=4, missing="group", random_state=0).fit(frame)
    unseen = frame.assign(**{name: pd.Categorical(["?"] * len(frame), ordered=name == "grade")})
    lacking = frame.assign(**{name: None})
    assert estimator.score(unseen) == pytest.approx(estimator.score(lacking))


def test_frames_without_records_and_single_columns_are_refused():
    frame = people()
    with pytest.raises(ma.MicroaggError, match="There are no records"):
        ma.Microaggregator(k=4).fit(frame.iloc[:0])
    estimator = ma.Microaggregator(k=4).fit(frame[["sex"]])
    with pytest.raises(ma.MicroaggError, match="There are no records"):
        estimator.transform(frame[["sex"]].iloc[:0])
    for name in ("age", "sex"):
        with pytest.raises(ValueError, match=r"2-dimensional|numbers"):
            ma.Microaggregator(k=4).fit(frame[name])


def test_in_a_pipeline_and_a_column_transformer():
    frame = people(80)
    y = (frame["age"] > 40).to_numpy()
    mixed = ["age", "sex", "grade"]
    grouping = ColumnTransformer(
        [("safe", ma.Microaggregator(k=3, method="mdav-nc"), mixed)],
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    encoding = ColumnTransformer(
        [("number", StandardScaler(), ["age"]), ("text", OneHotEncoder(), ["sex", "grade"])]
    )
    model = make_pipeline(grouping, encoding, LogisticRegression()).fit(frame, y)
    assert model.score(frame, y) > 0.8
    released = grouping.fit_transform(frame)
    assert smallest_class(released) >= 3
    name = "columntransformer-1__safe__k"
    search = GridSearchCV(model, {name: [3, 20]}, cv=2).fit(frame, y)
    assert search.best_params_[name] in (3, 20)


def test_it_is_cloned_and_pickled():
    frame = people()
    estimator = clone(ma.Microaggregator(k=4, method="mdav", missing="group")).fit(frame)
    again = pickle.loads(pickle.dumps(estimator))
    pd.testing.assert_frame_equal(again.transform(frame), estimator.transform(frame))


def test_kinds_and_orders():
    frame = pd.DataFrame({"zip": [1, 1, 9, 9, 9, 1], "size": ["S", "L", "M", "S", "M", "L"]})
    options = {"kinds": {"zip": "nominal"}, "orders": {"size": ["S", "M", "L"]}}
    released = ma.Microaggregator(k=3, **options).fit_transform(frame)
    assert set(released["zip"]) <= {1, 9}
    assert released["zip"].dtype == frame["zip"].dtype


def test_mistakes_are_named():
    frame = people(blanks=0.2)
    with pytest.raises(ma.MicroaggError, match="missing value"):
        ma.Microaggregator(k=3).fit(frame)
    with pytest.raises(ma.MicroaggError, match="'missing' parameter of Microaggregator"):
        ma.Microaggregator(k=3, missing="impute").fit(frame)
    with pytest.raises(ma.MicroaggError, match="applies to the columns of a DataFrame"):
        ma.Microaggregator(k=2, kinds={"a": "nominal"}).fit(np.eye(4))
    fitted = ma.Microaggregator(k=3, method="mdav").fit(people())
    with pytest.raises(ma.MicroaggError, match="X must be a DataFrame"):
        fitted.transform(people().to_numpy())
    with pytest.raises(ma.MicroaggError, match="missing value"):
        fitted.transform(frame)
    with pytest.raises(ValueError, match="feature names"):
        fitted.transform(people().rename(columns={"sex": "gender"}))
    with pytest.raises(ma.MicroaggError, match="accepts only complete numeric"):
        ma.Microaggregator(k=3, method="tfrp").fit(people())


def test_the_fitted_object_holds_no_record():
    fitted = ma.Microaggregator(k=3, method="mdav").fit(people())
    assert all(column.values.size == 0 for column in fitted._mixed.measures.columns)


def test_codes_that_are_averaged_are_a_warning():
    codes = np.random.default_rng(0).choice([1, 2, 3], 60)
    frame = pd.DataFrame({"age": np.linspace(20, 60, 60), "sex": codes})
    with pytest.warns(ma.MicroaggWarning, match="look like codes rather than amounts: sex"):
        ma.Microaggregator(k=3).fit(frame)
    ma.Microaggregator(k=3, kinds={"sex": "nominal"}).fit(frame)


@pytest.mark.parametrize("records", [pd.DataFrame({"a": [1, None] * 4}), np.array([[1], [np.nan]])])
def test_missing_values_are_an_error_that_names_the_parameter(records):
    with pytest.raises(ma.DataError, match='such as missing="keep"'):
        ma.Microaggregator(k=2).fit(records)
