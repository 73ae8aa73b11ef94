"""No semidefinite bound is above the best partition: at any step, on any records, with any multipliers."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from microagg import engine as array_module_file
from microagg.engine import array_module, available_memory
from microagg.errors import DataError, ParameterError
from microagg.partition.bounds import parts_start, semidefinite
from microagg.partition.bounds.certificate import (
    Certificate,
    bound_of,
    half_squared_distances,
)
from microagg.partition.bounds.parts import parts_of
from microagg.partition.bounds.row_part import row_minima
from microagg.partition.bounds.semidefinite import Semidefinite, check_memory
from microagg.partition.bounds.set_cuts import SetCuts, places_of, set_costs, set_limits
from microagg.partition.bounds.spectral_part import SpectralProjection, spectral_minimum
from tests.partition.bounds.few_records import records


def holds_at_every_step(X, k, best, steps):
    state, before = Semidefinite(X, k), 0.0
    for step in range(steps):
        state.step()
        if step % 7 == 0 or step == steps - 1:
            state.prove()
            assert before <= state.bound <= best + 1e-12 * best
            before = state.bound
    return state


def test_the_bound_is_at_most_the_best_partition_at_every_step(best_error):
    rng, tight = np.random.default_rng(0), 0
    for _ in range(200):
        X, k = records(rng, 9)
        best = best_error(X, k)
        state = holds_at_every_step(X, k, best, int(rng.integers(1, 80)))
        tight += state.bound > 0.9 * best
    assert tight > 60  # it can fail: many bounds are close


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_ten_thousand_bounds_are_at_most_the_best_partition(best_error, monkeypatch):
    rng, charged = np.random.default_rng(1), 0
    for _ in range(10_000):
        X, k = records(rng, 14 if rng.random() < 0.05 else 10)
        if rng.random() < 0.5:  # clusters, where set cuts matter
            X += rng.integers(0, 3, size=(len(X), 1)) * rng.choice([10, 1e3]) * max(X.std(), 1e-3)
        monkeypatch.setattr(semidefinite, "FIRST_CUTS", int(rng.choice([10, 25, 75])))
        state = holds_at_every_step(X, k, best_error(X, k), int(rng.integers(1, 160)))
        charges = None if state.certificate is None else state.certificate.set_charges
        charged += charges is not None and charges.size > 0 and charges.max() > 0
    assert charged > 200


def random_certificate(rng, points, k):
    """Draw multipliers that solve nothing: a part of the costs and noise, and cuts at random."""
    n = len(points)
    apart = ((points[:, None] - points) ** 2).sum(axis=2) / 2
    unit = 4.0 ** rng.integers(-2, 3)
    noise = rng.normal(size=(n, n)) * apart.mean() / unit * rng.choice([0, 0.01, 0.3])
    rest = rng.random() * apart / unit + noise + noise.T
    triples = np.array([rng.permutation(n)[:3] for _ in range(int(rng.integers(0, 20)))])
    triples = triples.reshape(-1, 3).astype(np.int64)
    charges = rng.random(len(triples)) * apart.mean() / unit * 0.1
    group_charge = float(rng.choice([0.0, rng.random()]))
    sizes = rng.integers(1, n + 1, size=int(rng.integers(0, 5)))
    sets = [np.sort(rng.permutation(n)[:size]) for size in sizes]
    set_charges = rng.random(len(sets)) * apart.mean() / unit * 0.1
    return Certificate(unit, rest, triples, charges, group_charge, sets, set_charges)


def test_any_multipliers_prove_a_bound(best_error):
    rng, positive = np.random.default_rng(2), 0
    for _ in range(400):
        X, k = records(rng, 9)
        best = best_error(X, k)
        bound = bound_of(random_certificate(rng, X, k), X, k)
        assert bound <= best + 1e-9 * best
        positive += bound > 0
    assert positive > 20


def test_outliers_take_no_room_from_rounding(best_error):
    rng = np.random.default_rng(5)
    for far in (1e6, 1e9):
        X = rng.normal(size=(10, 2)) ** 3
        X[:5] = far
        holds_at_every_step(X, 5, best_error(X, 5), 70)


def test_without_a_spectral_part_it_is_a_bound_by_neighbours(best_error):
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    empty = Certificate(1.0, np.zeros((6, 6)), np.zeros((0, 3), dtype=np.int64), np.zeros(0), 0.0)
    inner, outer = (0.5 + 0.5) / 3, (0.5 + 2) / 3
    assert bound_of(empty, X, 3) == pytest.approx(2 * inner + 4 * outer)
    assert best_error(X, 3) == pytest.approx(2 * inner + 4 * outer)


def test_it_proves_separate_groups_optimal():
    rng = np.random.default_rng(1)
    X = np.repeat(rng.normal(size=(8, 2)) * 50, 6, axis=0) + rng.normal(size=(48, 2))
    groups = X.reshape(8, 6, 2)
    best = ((groups - groups.mean(axis=1, keepdims=True)) ** 2).sum()
    state = holds_at_every_step(X, 6, best, 300)
    assert state.bound > 0.999 * best


def test_cuts_raise_the_bound():
    X = np.random.default_rng(0).normal(size=(60, 3))
    state = Semidefinite(X, 5)
    while not state.cutting:
        state.step()
    without = state.estimate
    for _ in range(200):
        state.step()
    state.prove()
    assert state.cuts > 0
    assert state.bound > 1.005 * without
    assert state.bound == pytest.approx(state.estimate, rel=1e-6)


def test_fewer_groups_than_a_share_of_the_records_raise_the_bound():
    X = np.random.default_rng(0).normal(size=(29, 1))
    state = Semidefinite(X, 10)  # two groups, not 2.9
    for _ in range(100):
        state.step()
    state.prove()
    assert state.certificate.group_charge > 0


def test_set_cuts_count_whole_groups():
    rng = np.random.default_rng(1)
    X = np.repeat(rng.normal(size=(4, 2)) * 50, 8, axis=0) + rng.normal(size=(32, 2))
    clusters = X.reshape(4, 8, 2)  # of eight records each: one group of five or more, not 1.6
    best = ((clusters - clusters.mean(axis=1, keepdims=True)) ** 2).sum()
    state = holds_at_every_step(X, 5, best, 400)
    assert state.bound > 0.98 * best
    charges = state.certificate.set_charges
    assert charges.max() > 0
    without = replace(state.certificate, set_charges=0 * charges)
    assert bound_of(without, X, 5) < 0.9 * best


def test_a_set_cut_holds_for_every_partition():
    rng, tight = np.random.default_rng(6), 0
    for _ in range(300):
        k = int(rng.integers(2, 12))
        sizes = rng.integers(k, 2 * k, size=int(rng.integers(1, 6)))
        labels = np.repeat(np.arange(len(sizes)), sizes)
        Z = (labels[:, None] == labels) / sizes[labels]
        n = len(labels)
        whole = np.flatnonzero(np.isin(labels, rng.permutation(len(sizes))[:2]))
        few = rng.permutation(n)[: int(rng.integers(1, n + 1))]
        for rows in (whole, np.sort(few), whole[: int(rng.integers(1, len(whole) + 1))]):
            places, _, factors = places_of([rows], n, k)
            charged = (set_costs(n, places, factors) * Z).sum()
            limit = set_limits([rows], k)[0]
            assert charged <= limit + 1e-9
            tight += charged > limit - 1e-9
    assert tight > 100


def test_a_set_cut_tells_one_group_from_more():
    k, n = 10, 30
    matrix = np.zeros((n, n))
    matrix[:12, :12] = (11.8 * k / 12 - 1) / 11  # rows of a cluster of twelve add up to nearly 1
    np.fill_diagonal(matrix, 1.0)  # but it counts as 1.2 groups
    cuts = SetCuts(n, k)
    assert cuts.renew(matrix, np.ones(n)) >= 1
    assert any(rows.tolist() == list(range(12)) for rows in cuts.sets)


def test_a_decomposition_that_fails_is_done_in_another_way(monkeypatch):
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(12, 12))
    project = SpectralProjection(0.1, np.ones(12))
    expected = project(matrix + matrix.T)

    def fail(*arguments, **options):
        raise np.linalg.LinAlgError

    monkeypatch.setattr("scipy.linalg.eigh", fail)
    assert project(matrix + matrix.T) == pytest.approx(expected, abs=1e-12)


def test_parts_that_are_far_apart_prove_the_sum_of_their_bounds():
    rng, k = np.random.default_rng(0), 4
    X = rng.normal(size=(60, 2)) + np.repeat([[0, 0], [100, 0], [0, 100]], 20, axis=0)
    X = X[rng.permutation(60)]
    parts = parts_of(half_squared_distances(X), np.ones(60), k, 20)
    assert sorted(map(len, parts)) == [20, 20, 20]
    states = [(rows, Semidefinite(X[rows], k, is_part=True)) for rows in parts]
    for _, part in states:
        for _ in range(200):
            part.step()
    whole = Semidefinite(X, k)
    whole.start_from([(rows, part.solution()) for rows, part in states])
    total = sum(part.estimate for _, part in states)
    assert whole.estimate == pytest.approx(total, rel=1e-9)
    whole.prove()
    assert whole.bound == pytest.approx(total, rel=1e-6)
    for _ in range(50):
        whole.step()
    whole.prove()
    assert whole.bound >= total * (1 - 1e-6)


def test_a_bound_started_from_parts_holds(best_error):
    rng, positive = np.random.default_rng(3), 0
    for _ in range(30):
        X, _ = records(rng, 9)
        X = np.concatenate((X, X[rng.permutation(len(X))] + rng.normal(size=X.shape)))[:10]
        k = 2
        parts = parts_of(half_squared_distances(X), np.full(len(X), X.var()), k, 6)
        states = [(rows, Semidefinite(X[rows], k, is_part=True)) for rows in parts]
        for _, part in states:
            for _ in range(int(rng.integers(5, 80))):
                part.step()
        whole, best = Semidefinite(X, k), best_error(X, k)
        whole.start_from([(rows, part.solution()) for rows, part in states])
        for _ in range(int(rng.integers(0, 12))):
            whole.step()
        whole.prove()
        assert whole.bound <= best + 1e-12 * best
        positive += whole.bound > 0.5 * best
    assert positive > 5  # it can fail: bounds are close


@pytest.mark.parametrize(("seconds", "sizes"), [(0.0, [20, 20, 20]), (60.0, [20, 40])])
def test_parts_with_most_of_the_error_are_one_where_there_is_time(monkeypatch, seconds, sizes):
    rng, k = np.random.default_rng(0), 4
    near = rng.normal(size=(60, 2)) * np.repeat([2.0, 2.0, 0.01], 20)[:, None]
    X = near + np.repeat([[0, 0], [9, 0], [0, 100]], 20, axis=0)
    monkeypatch.setattr(parts_start, "RECORDS", 20)
    monkeypatch.setattr(parts_start, "PART_STEPS", 150)
    prices = row_minima(half_squared_distances(X), k, 2 * k - 1)
    whole = Semidefinite(X, k)
    states = parts_start.start_in_parts(whole, X, prices, k, seconds, np.zeros(2, dtype=np.int64))
    assert sorted(len(rows) for rows, _ in states) == sizes
    whole.prove()
    best = sum(part.estimate for _, part in states)
    assert 0 < whole.bound <= best * (1 + 1e-9)
    if len(states) == 2:  # the core lies far from the rest
        assert whole.bound == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("size", [1e-120, 1e120])
def test_the_size_of_the_numbers_does_not_matter(size):
    X = np.random.default_rng(0).normal(size=(40, 2))
    bounds = []
    for points in (X, X * size):
        state = Semidefinite(points, 4)
        for _ in range(40):
            state.step()
        state.prove()
        bounds.append(state.bound)
    assert bounds[1] / size / size == pytest.approx(bounds[0], rel=1e-6)


def test_row_minima_are_those_of_all_groups():
    rng, k, largest = np.random.default_rng(0), 3, 5
    shares = rng.normal(size=(300, 300))
    for row in (0, 255, 256, 299):
        others = np.sort(np.delete(shares[row], row))
        sums = [shares[row, row] + others[: size - 1].sum() for size in range(k, largest + 1)]
        expected = min(
            total / size for total, size in zip(sums, range(k, largest + 1), strict=True)
        )
        assert row_minima(shares, k, largest)[row] == pytest.approx(expected)


@pytest.mark.parametrize("rank", [2, 28])
def test_the_projection_is_the_nearest_matrix(rank):
    rng, n = np.random.default_rng(0), 30
    roots = rng.uniform(0.5, 2, n)
    project = SpectralProjection(0.2, roots)
    project.rank = rank  # whether it looks for positive or negative eigenvalues
    matrix = rng.normal(size=(n, n))
    matrix += matrix.T
    nearest = project(matrix)
    assert nearest.sum(axis=1) == pytest.approx(np.full(n, 0.2 * n))
    assert np.linalg.eigvalsh(nearest)[0] > -1e-9
    weights = np.outer(roots, roots) ** 2
    least = (weights * (nearest - matrix) ** 2).sum()
    for _ in range(20):  # no matrix of the set, on the way to which one might go, is nearer
        other = rng.normal(size=(n, 3))
        other = (other - other.mean(axis=0)) @ (other - other.mean(axis=0)).T + 0.2
        between = 0.99 * nearest + 0.01 * other
        assert (weights * (between - matrix) ** 2).sum() >= least


def test_the_spectral_part_is_that_of_projections():
    rng = np.random.default_rng(0)
    rest = rng.normal(size=(12, 12))
    rest += rest.T
    bound = spectral_minimum(rest, 3)
    for _ in range(200):
        labels = rng.permutation(np.arange(12) % 3)
        same = labels[:, None] == labels
        assert bound <= (rest * same / same.sum(axis=1)).sum()


def test_more_records_than_fit_are_refused(monkeypatch):
    monkeypatch.setattr(semidefinite, "available_memory", lambda xp: 10**9)
    with pytest.raises(DataError, match=r"of 20000 records needs 48\.2 GB of memory, but 1\.0 GB"):
        check_memory(20_000)
    check_memory(1000)


def test_memory_is_known_or_not(monkeypatch):
    monkeypatch.setattr(array_module_file, "LINUX_MEMORY", "/no/such/file")
    assert available_memory(np) is None
    check_memory(10)


def test_a_gpu_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(ParameterError, match="CuPy with a CUDA device is not available"):
        array_module("cuda")
