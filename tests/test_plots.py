"""Results show themselves in notebooks, and draw on the axes that they are given."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import microagg as ma

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture
def axes():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


@pytest.fixture(scope="module")
def frame():
    X = ma.generate.scattered(seed=1)[:80]
    kinds = ["<b>north</b>", "south"]
    return pd.DataFrame(X, columns=["a", "b"]).assign(region=[kinds[i % 2] for i in range(len(X))])


@pytest.fixture(scope="module")
def release(frame):
    return ma.protect(frame, k=4, quasi_identifiers=["a", "b", "region"], method="mdav")


def test_a_release_draws_the_loss_of_each_column(release, axes):
    assert release.plot(ax=axes) is axes
    assert sorted(t.get_text() for t in axes.get_yticklabels()) == ["a", "b", "region"]
    widths = [bar.get_width() for bar in axes.patches]
    assert widths == pytest.approx(sorted(release.outcome.loss.by_column.values()))


@pytest.mark.parametrize("column", ["a", "region"])
def test_a_release_draws_a_column_before_and_after(release, axes, column):
    assert release.plot(column, ax=axes) is axes
    assert [t.get_text() for t in axes.get_legend().get_texts()] == ["original", "released"]


def test_a_column_that_is_no_quasi_identifier_is_refused(release, axes):
    with pytest.raises(
        ma.ParameterError, match="'column' parameter of plot must be 'a', 'b' or 'region'"
    ):
        release.plot("income", ax=axes)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_a_partition_draws_its_groups(axes, d):
    X = np.random.default_rng(0).normal(size=(30, d))
    part = ma.partition(X, k=3, method="mdav")
    assert part.plot(X, ax=axes) is axes
    points, centroids = axes.collections[1:]
    assert len(points.get_offsets()) == 30
    assert len(centroids.get_offsets()) == part.n_groups
    with pytest.raises(ma.DataError, match="rows"):
        part.plot(X[:5], ax=axes)


def test_a_partition_draws_the_sizes_of_its_groups(axes):
    ma.Partition([0, 0, 1, 1, 1, 2, 2], k=2).plot(ax=axes)
    assert [bar.get_height() for bar in axes.patches] == [2, 1]


def test_a_comparison_draws_the_map(frame, axes):
    result = ma.compare(frame, [3, 6], quasi_identifiers=["a", "b"], methods=["mdav", "v-mdav"])
    assert result.plot(ax=axes) is axes
    assert axes.get_xlabel() == "Information loss (%)"
    assert str(result.recommended.choice) in [text.get_text() for text in axes.texts]
    assert type(result.data) is pd.DataFrame
    assert "<table>" in result._repr_html_()


def test_html_escapes_what_comes_from_the_data(release):
    assert "<table>" in release._repr_html_()
    assert "Partition(" in release.partition._repr_html_()
    named = pd.DataFrame({"<script>": [1.0, 2, 3, 4], "x": [1.0, 2, 3, 9]})
    shown = ma.protect(named, k=2, quasi_identifiers=["x"])._repr_html_()
    assert "<script>" not in shown


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.pyplot", None)
    with pytest.raises(ma.MicroaggError, match=r"microagg\[plots\]"):
        ma.Partition([0, 0], k=2).plot()
