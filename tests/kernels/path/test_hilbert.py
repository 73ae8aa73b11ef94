"""The curve visits every cell and goes from cell to neighbouring cell."""

import numpy as np
import pytest

from microagg.kernels.path.hilbert import curve_keys
from tests.twins.path import curve_order


def order(cells, bits):
    return np.lexsort(curve_keys(cells, bits, np.zeros(2, dtype=np.int64))[::-1])


@pytest.mark.parametrize(("d", "bits"), [(1, 5), (2, 4), (3, 3), (4, 2), (5, 2)])
def test_neighbours_on_the_curve_are_neighbours_in_space(d, bits):
    cells = np.stack([axis.ravel() for axis in np.indices((2**bits,) * d)]).astype(np.int64)
    path = order(cells, bits)
    assert np.array_equal(np.sort(path), np.arange(cells.shape[1]))
    steps = np.abs(np.diff(cells[:, path], axis=1)).sum(axis=0)
    assert (steps == 1).all()


@pytest.mark.parametrize("d", [1, 2, 7, 20])
def test_twin(d):
    cells = np.random.default_rng(d).integers(0, 2**16, size=(d, 300))
    assert np.array_equal(order(cells, 16), curve_order(cells, 16))
