"""information_loss: 100 x SSE / SST, by hand and at its ends."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg.errors import DataError

X = np.array([[0.0, 5.0], [2.0, 5.0], [8.0, 5.0], [10.0, 9.0]])


def test_by_hand_without_scaling():
    loss = ma.information_loss(X, [0, 0, 1, 1], scale="none")
    assert loss.sse == pytest.approx(1 + 1 + 1 + 1 + 4 + 4)
    assert loss.sst == pytest.approx((25 + 9 + 9 + 25) + (1 + 1 + 1 + 9))
    assert loss.il == pytest.approx(100 * 12 / 80)
    assert loss.by_column == pytest.approx({"0": 100 * 4 / 68, "1": 100 * 8 / 12})


def test_zscores_make_the_total_n_times_d():
    assert ma.information_loss(X, [0, 0, 1, 1]).sst == pytest.approx(8)


def test_the_ends():
    assert ma.information_loss(X, [0, 1, 2, 3]).il == 0
    assert ma.information_loss(X, [0, 0, 0, 0]).il == pytest.approx(100)
    assert ma.information_loss(np.ones((4, 2)), [0, 0, 1, 1]).il == 0


def test_a_constant_column_counts_for_nothing():
    with_constant = np.column_stack([X, np.full(4, 0.1)])
    loss = ma.information_loss(with_constant, [0, 0, 1, 1])
    assert loss.il == pytest.approx(ma.information_loss(X, [0, 0, 1, 1]).il)
    assert loss.by_column["2"] == 0


def test_labels_partitions_and_frames():
    part = ma.Partition([0, 0, 1, 1], k=2)
    frame = pd.DataFrame(X, columns=["a", "b"])
    assert ma.information_loss(frame, part).il == ma.information_loss(X, [0, 0, 1, 1]).il
    assert list(ma.information_loss(frame, part).by_column) == ["a", "b"]


def test_rows_and_groups_must_match():
    with pytest.raises(DataError, match="4 rows, but the groups have 3"):
        ma.information_loss(X, [0, 0, 0])
    with pytest.raises(DataError, match="without a gap"):
        ma.information_loss(X, [1, 1, 2, 2])


@settings(deadline=None)
@given(st.data())
def test_finer_groups_never_lose_more(data):
    n = data.draw(st.integers(2, 20))
    column = data.draw(st.lists(st.integers(-50, 50), min_size=n, max_size=n))
    labels = np.unique(
        data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)), return_inverse=True
    )[1]
    halves = np.unique(labels * 2 + np.arange(n) % 2, return_inverse=True)[1]
    values = np.array(column, dtype=float).reshape(-1, 1)
    coarse, fine = ma.information_loss(values, labels), ma.information_loss(values, halves)
    assert fine.sse <= coarse.sse + 1e-9
    assert 0 <= coarse.il <= 100 + 1e-9
