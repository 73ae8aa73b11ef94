"""Rows are ranked as by NumPy's stable sort."""

import numpy as np

from microagg.partition.rules.along_axis import ranked_rows


def test_as_a_stable_sort():
    rng = np.random.default_rng(0)
    for n in (1, 2, 17, 100, 3000):
        for values in (
            rng.normal(size=n),
            rng.integers(0, 5, n).astype(float),
            np.zeros(n),
            rng.choice([0.0, -0.0, 1.0], n),
        ):
            assert np.array_equal(ranked_rows(values), np.argsort(values, kind="stable"))
