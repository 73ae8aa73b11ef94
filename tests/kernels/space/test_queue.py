"""The queue is always in order, and a centre that moves finds the same farthest point as a scan."""

import numpy as np
import pytest

from microagg.kernels.space.outermost import candidates, enter, new_outermost, point_moved
from microagg.kernels.space.queue import change_key, drop, new_queue

pytestmark = pytest.mark.slow


def test_the_first_is_the_largest_and_the_lowest_row_of_those():
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 20, size=200).astype(float)
    queue, left = new_queue(keys), set(range(200))
    while left:
        assert queue.size[0] == len(left)
        assert queue.rows[0] == min(left, key=lambda row: (-keys[row], row))
        row = int(rng.choice(sorted(left)))
        if rng.random() < 0.4:
            drop(queue, row)
            left.remove(row)
        else:
            keys[row] = rng.integers(0, 20)
            change_key(queue, row, keys[row])


def test_farthest_from_a_centre_that_moves():
    rng = np.random.default_rng(1)
    P, left = rng.normal(size=(300, 3)).round(1), np.ones(300, dtype=bool)
    outer, centre = new_outermost(300, 3), np.zeros(3)
    enter(outer, P, np.arange(300), centre)
    for turn in range(250):
        centre = centre + rng.normal(size=3).round(2) * (0.01 if turn % 20 else 2.0)
        distances = np.zeros(300)
        for j in range(3):
            distances += (P[:, j] - centre[j]) ** 2
        found = int(np.argmax(np.where(left, distances, -1.0)))
        looked_at = candidates(outer, P, centre, 0.0)
        assert found in looked_at
        assert left[looked_at].all()
        left[found] = False
        drop(outer.queue, found)
        moved = int(rng.choice(np.flatnonzero(left)))
        P[moved] = rng.normal(size=3).round(1)
        point_moved(outer, P, moved)
