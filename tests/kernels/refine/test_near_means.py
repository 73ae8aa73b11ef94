"""The nearest means are those that a scan over all means finds, wherever the means have moved."""

import numpy as np
import pytest

from microagg.kernels.refine.groups import members, new_groups, set_members, shift
from microagg.kernels.space.leaves import BLOCK, LEAF
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.search import MOST, search_nearest

pytestmark = pytest.mark.slow  # it compiles functions that are otherwise parts of one kernel

DATA = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "ties": lambda rng, shape: rng.integers(0, 3, shape).astype(float),
    "huge": lambda rng, shape: rng.normal(size=shape) * 1e140,
    "minute": lambda rng, shape: rng.normal(size=shape) * 1e-140,
    "far from zero": lambda rng, shape: rng.normal(size=shape).round(1) + 1e7,
}


def by_scan(groups, point, excluded, limit, m):
    """Return the nearest groups and their squared distances, ties to the lowest group."""
    gaps = np.zeros(groups.sizes.size)
    for j in range(point.size):
        gaps += (groups.means[:, j] - point[j]) ** 2
    near = np.flatnonzero((groups.sizes > 0) & (np.arange(gaps.size) != excluded) & (gaps <= limit))
    near = near[np.argsort(gaps[near], kind="stable")][:m]
    return np.pad(near, (0, m - near.size), constant_values=-1), gaps[near]


def move_some(groups, rng):
    """Move records between groups; a group that loses its last one is gone."""
    for row, target in zip(
        rng.integers(groups.labels.size, size=5), rng.integers(groups.sizes.size, size=5),
        strict=True,
    ):  # fmt: skip
        source = groups.labels[row]
        if target == source or groups.sizes[target] == 0:
            continue
        if groups.sizes[source] > 1:
            shift(groups, row, target)
            continue
        rows = members(groups, source)
        set_members(groups, source, rows[:0])
        set_members(groups, target, np.concatenate([members(groups, target), rows]))


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("n_groups", [1, LEAF, LEAF + 1, 200, BLOCK * LEAF + 60])
def test_nearest_means_are_those_of_a_scan(kind, n_groups):
    rng = np.random.default_rng(n_groups)
    X = DATA[kind](rng, (3, 2 * n_groups))
    groups = new_groups(X, np.repeat(np.arange(n_groups), 2).astype(np.int32), 2)
    for turn in range(60):
        m = (1, 8, MOST + 6)[turn % 3]
        excluded = int(rng.integers(-1, n_groups))
        point = groups.points[rng.integers(2 * n_groups)].copy()
        if turn % 4 == 0:  # from inside the means to far outside
            point = rng.normal(size=3) * np.abs(X).max() * 10.0 ** rng.integers(-3, 9)
        limit = FARTHER_THAN_ALL
        some = by_scan(groups, point, excluded, limit, 20)[1]
        if turn % 5 and some.size:
            limit = float(rng.choice(some))
        expected, distances = by_scan(groups, point, excluded, limit, m)
        gaps, near = np.empty(m), np.empty(m, dtype=np.int64)
        search_nearest(groups.tree, groups.room, point, excluded, limit, gaps, near)
        np.testing.assert_array_equal(near, expected)
        np.testing.assert_array_equal(gaps[: distances.size], distances)
        move_some(groups, rng)
