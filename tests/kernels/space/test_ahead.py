"""Searches ahead of time change no label, whoever makes them."""

import numpy as np
import pytest

from microagg.kernels.crew import END, NEXT, SIZE, claim, finish, hand_out, wait
from microagg.kernels.jit import kernel
from microagg.kernels.space.sweep import sweep
from microagg.kernels.space.sweep_lanes import QUERIES
from microagg.kernels.space.tree import new_tree, rebuild, remove_point
from microagg.partition.driver import group
from microagg.prepare.prepared import prepare
from microagg.threads import VARIABLE

AHEAD = (
    "mdav",
    "mdav-nc",
    "cbfs-nn",
    "cbfs-nc",
    "tfrp-i",
    "tfrp-nc",
    "iamat",
    "v-mdav",
    "dba-1",
    "gsms",
)
FAST = {"mdav", "mdav-nc", "gsms"}


def in_order(distances, alive, m, *, far):
    """Return the rows left by distance, ties to the lowest."""
    rows = np.flatnonzero(alive)
    order = np.argsort(-distances[rows] if far else distances[rows], kind="stable")
    padded = np.full(m, -1)
    padded[: min(m, rows.size)] = rows[order[:m]]
    return padded


@pytest.mark.parametrize(("n", "d"), [(1, 1), (40, 2), (700, 13), (3000, 5)])
@pytest.mark.parametrize("decimals", [0, 1, 9])
@pytest.mark.parametrize(("near", "far"), [(11, 8), (3, 0), (0, 2), (50, 70)])
def test_a_pass_over_all_leaves_is_what_sorting_gives(n, d, decimals, near, far):
    rng = np.random.default_rng(n + d)
    P = rng.normal(size=(n, d)).round(decimals)
    tree, alive = new_tree(P), np.ones(n, dtype=bool)
    for turn in range(6):
        m = 1 + turn % QUERIES
        points = rng.normal(size=(m, d)).round(decimals) * (1 + turn % 3)
        points[0] *= 10.0 ** (4 * turn)  # at last so far outside that nothing can be passed over
        lists = np.empty((m, near)), np.empty((m, near), np.int64)
        others = np.empty((m, far)), np.empty((m, far), np.int64)
        sweep(tree, points, *lists, *others)
        for g in range(m):
            distances = np.zeros(n)
            for j in range(d):
                distances += (P[:, j] - points[g, j]) ** 2
            np.testing.assert_array_equal(lists[1][g], in_order(distances, alive, near, far=False))
            np.testing.assert_array_equal(others[1][g], in_order(distances, alive, far, far=True))
        for item in rng.permutation(n)[: n // 5]:
            remove_point(tree, item)
            alive[item] = False
        if turn == 3:
            rebuild(tree)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in FAST else pytest.mark.slow) for n in AHEAD]
)
@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_groups_are_those_of_scans_for_any_number_of_threads(name, threads, monkeypatch):
    monkeypatch.setenv(VARIABLE, threads)
    rng = np.random.default_rng(1)
    few = rng.normal(size=(400, 4))
    for X in (
        rng.normal(size=(3000, 12)),
        rng.normal(size=(4000, 3)),
        rng.integers(0, 4, size=(3000, 6)).astype(float),
        few[rng.integers(0, 400, size=3000)],
    ):
        prepared = prepare(list(X.T), [str(j) for j in range(X.shape[1])], scale="none")
        for k in (2, 5):
            brute, tree = (
                group(prepared, k, name, parameters={"index": kind}).labels
                for kind in ("brute", "tree")
            )
            np.testing.assert_array_equal(brute, tree)


@kernel
def claimed(crew, portions, out):
    """Hand out work, and do all of it. OUT: out."""
    hand_out(crew, portions)
    at = claim(crew)
    while at >= 0:
        out[at] += 1
        finish(crew)
        at = claim(crew)
    wait(crew)
    return at


def test_each_portion_is_claimed_once():
    crew = np.zeros(SIZE, dtype=np.int64)
    for portions in (3, 1, 7):
        out = np.zeros(portions, dtype=np.int64)
        assert claimed(crew, portions, out) == -1
        assert (out == 1).all()
    assert crew[NEXT] == crew[END] == 11
