"""The tree finds what a scan over all points finds, ties included, while points move and leave."""

import numpy as np
import pytest

from microagg.kernels.space.far_search import search_farthest
from microagg.kernels.space.search import nearest_points, new_room
from microagg.kernels.space.tree import move_point, new_tree, rebuild, remove_point

pytestmark = pytest.mark.slow


def scan(P, alive, point, excluded, limit, m):
    distances = np.zeros(len(P))
    for j in range(P.shape[1]):
        distances += (P[:, j] - point[j]) ** 2
    near = np.flatnonzero(alive & (distances <= limit) & (np.arange(len(P)) != excluded))
    return near[np.argsort(distances[near], kind="stable")][:m]


@pytest.mark.parametrize(
    ("n", "d"), [(1, 1), (5, 2), (32, 3), (33, 3), (700, 2), (2100, 5), (300, 12)]
)
def test_nearest_points(n, d):
    rng = np.random.default_rng(n + d)
    P, alive = rng.normal(size=(n, d)).round(1), np.ones(n, dtype=bool)  # many ties
    tree = new_tree(P)
    for turn in range(150):
        point, m, excluded = (
            rng.normal(size=d).round(1),
            int(rng.integers(1, 6)),
            rng.integers(-1, n),
        )
        limit = 2.0 if turn % 2 else 1e300
        distances, items = np.empty(m), np.empty(m, dtype=np.int64)
        nearest_points(tree, point, excluded, limit, distances, items)
        expected = scan(P, alive, point, excluded, limit, m)
        assert items[: len(expected)].tolist() == expected.tolist()
        assert (items[len(expected) :] == -1).all()
        changed = int(rng.integers(n))
        if turn % 5 == 0 and alive[changed]:
            remove_point(tree, changed)
            alive[changed] = False
        else:  # moves a point, or brings one back
            P[changed], alive[changed] = rng.normal(size=d).round(1), True
            move_point(tree, changed)


def farthest(tree, point, m):
    gaps, items = np.empty(m), np.empty(m, dtype=np.int64)
    search_farthest(tree, new_room(tree), point, gaps, items)
    return gaps, items


@pytest.mark.parametrize(("n", "d"), [(1, 1), (40, 2), (2100, 5), (5000, 2)])
@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_farthest_points_while_points_leave(n, d, decimals):
    rng = np.random.default_rng(n + d)
    P = rng.normal(size=(n, d)).round(decimals)
    tree, alive = new_tree(P), np.ones(n, dtype=bool)
    for turn in range(min(n, 300)):
        point = rng.normal(size=d).round(decimals) * (1 + turn % 3)
        distances = np.zeros(n)
        for j in range(d):
            distances += (P[:, j] - point[j]) ** 2
        gaps, items = farthest(tree, point, 3)
        order = np.argsort(np.where(alive, -distances, 1.0), kind="stable")[: min(3, alive.sum())]
        assert items[: order.size].tolist() == order.tolist()
        assert (items[order.size :] == -1).all()
        assert (gaps[: order.size] == -distances[order]).all()
        item = items[0]
        alive[item] = False
        remove_point(tree, item)
        if turn % 50 == 49:
            rebuild(tree)


def test_nothing_is_found_where_nothing_is_left():
    tree = new_tree(np.zeros((3, 2)))
    for item in range(3):
        remove_point(tree, item)
        remove_point(tree, item)  # again: nothing happens
    rebuild(tree)
    items = np.zeros(2, dtype=np.int64)
    nearest_points(tree, np.zeros(2), -1, 1e300, np.empty(2), items)
    assert items.tolist() == [-1, -1]
    assert farthest(tree, np.zeros(2), 1)[1][0] == -1


@pytest.mark.parametrize("far", [1e5, 1e7, 1e30, 1e150])
def test_a_point_far_outside(far):
    P = np.random.default_rng(0).normal(size=(300, 2))
    tree = new_tree(P)
    point = np.array([far, -far])
    distances = (P[:, 0] - far) ** 2 + (P[:, 1] + far) ** 2
    items = np.zeros(4, dtype=np.int64)
    nearest_points(tree, point, -1, 1.7e308, np.empty(4), items)
    assert items.tolist() == np.argsort(distances, kind="stable")[:4].tolist()
    assert farthest(tree, point, 1)[1][0] == np.argmax(distances)
