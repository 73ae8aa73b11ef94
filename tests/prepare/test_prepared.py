"""prepare: columns of any unit become one read-only matrix, and back."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microagg.errors import DataError, ParameterError
from microagg.prepare.prepared import prepare
from tests.examples import examples

A = np.array([1.0, 2.0, 3.0, 6.0])
B = np.array([10.0, 10.0, 30.0, 30.0])
CONSTANT = np.full(4, 0.1)


def test_zscores_have_mean_zero_and_population_deviation_one():
    prepared = prepare([A, B], ["a", "b"])
    assert prepared.columns == pytest.approx(np.stack([(A - 3) / np.sqrt(3.5), (B - 20) / 10]))
    assert (prepared.n, prepared.d, prepared.names) == (4, 2, ("a", "b"))


def test_range_runs_from_zero_to_one():
    prepared = prepare([A, B], ["a", "b"], scale="range")
    assert prepared.columns.tolist() == [[0, 0.2, 0.4, 1], [0, 0, 1, 1]]


def test_none_leaves_the_values():
    assert np.array_equal(prepare([A, B], ["a", "b"], scale="none").columns, np.stack([A, B]))


@pytest.mark.parametrize("scale", ["zscore", "range", "none"])
def test_a_constant_column_has_no_weight(scale):
    prepared = prepare([A, CONSTANT], ["a", "c"], scale=scale)
    assert (prepared.columns[1] == 0).all()
    assert (prepared.apply([A, CONSTANT])[1] == 0).all()


@pytest.mark.parametrize("scale", ["zscore", "range", "none"])
def test_apply_scales_as_was_done_and_the_way_back_is_told(scale):
    prepared = prepare([A, B], ["a", "b"], scale=scale)
    assert np.array_equal(prepared.apply([A, B]), prepared.columns)
    back = prepared.columns * prepared.scale[:, None] + prepared.center[:, None]
    assert back == pytest.approx(np.stack([A, B]))


def test_all_of_it_is_read_only_and_the_input_stays():
    before = A.copy()
    prepared = prepare([A], ["a"])
    for array in (prepared.columns, prepared.center, prepared.scale):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(AttributeError):
        prepared.columns = A
    assert prepared.columns.flags.c_contiguous
    assert np.array_equal(A, before)
    assert A.flags.writeable


def test_a_large_offset_costs_no_digits():
    near, far = prepare([A], ["a"]).columns, prepare([A + 1e9], ["a"]).columns
    assert np.abs(near - far).max() < 1e-9


@settings(max_examples=examples(200), deadline=None)
@given(arrays(np.float64, st.integers(2, 30), elements=st.floats(-1e9, 1e9)))
def test_sst_is_n_whatever_the_column(column):
    width = column.max() - column.min()
    assume(width > 1e-100)
    assume(width > 1e-6 * np.abs(column).max())
    scaled = prepare([column], ["x"]).columns[0]
    assert np.sum(scaled**2) == pytest.approx(column.size)
    assert abs(scaled.mean()) < 1e-6


def test_what_cannot_be_scaled_is_refused():
    with pytest.raises(DataError, match="no records"):
        prepare([np.empty(0)], ["a"])
    with pytest.raises(DataError, match="'a' differ by less than 1e-150"):
        prepare([np.array([0.0, 1e-160])], ["a"])
    with pytest.raises(ParameterError, match=r"'scale' parameter.*Got 'zscores'") as caught:
        prepare([A], ["a"], scale="zscores")
    assert caught.value.hint == "Did you mean 'zscore'?"


def test_the_largest_values_do_not_overflow():
    prepared = prepare([np.array([-1e150, 0.0, 1e150])], ["a"])
    assert np.isfinite(prepared.columns).all()
    assert np.sum(prepared.columns**2) == pytest.approx(3)
