"""Linkage: the same as looking at every pair, whatever the order of the rows."""

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from scipy.spatial.distance import cdist

import microagg as ma
from microagg.kernels.measure import patterns
from microagg.kernels.measure.linkage import TILE
from microagg.measure import linkage
from microagg.measure.at_risk import most_at_risk
from microagg.measure.linkage import linkage_of
from microagg.measure.pair import pair_of
from microagg.measure.registry import evaluate
from microagg.measure.risk import probabilistic_linkage, subset_linkage
from microagg.measure.risk.probabilistic_linkage import coded_keys
from microagg.measure.risk.subset_linkage import rld_by_size, subsets_of
from tests.twins import measure as plain
from tests.twins.measure import two_nearest


def table(values, **more):
    return pa.table({**{f"x{j}": column for j, column in enumerate(values.T)}, **more})


def value(pair, name):
    return evaluate(pair, [name])[0].value


def chances(D):
    """Chance of each released record (rows) to find its own original first, and among two."""
    own = np.diag(D)[:, None]
    less, ties = (own > D).sum(axis=1), (own == D).sum(axis=1)
    return np.clip((1 - less) / ties, 0, 1), np.clip((2 - less) / ties, 0, 1)


def rounded_distances(before, after):
    """Sums of squares of small integers are exact, so that ties are ties everywhere."""
    return cdist(after, before, "sqeuclidean").round(9)


@pytest.fixture
def exact(monkeypatch):
    """Distances on the columns as they are, so that scipy rounds as we do."""
    monkeypatch.setattr(
        "microagg.measure.linkage_values.standardised", lambda values, reference: values
    )


@pytest.mark.usefixtures("exact")
def test_a_thousand_random_cases_as_by_looking_at_every_pair(cases):
    rng = np.random.default_rng(1)
    for _ in cases:
        n, d = int(rng.integers(2, 30)), int(rng.integers(1, 4))
        before = rng.integers(0, 6, size=(n, d)).astype(float)
        after = (
            before[rng.integers(0, n, n)]
            if rng.random() < 0.5
            else before + rng.integers(-1, 2, size=(n, d))
        )
        pair = pair_of(table(before), table(after), [f"x{j}" for j in range(d)])
        first, second = chances(rounded_distances(before, after))
        assert value(pair, "linkage") == pytest.approx(100 * first.mean())
        assert value(pair, "linkage-second") == pytest.approx(100 * second.mean())
        back, _ = chances(rounded_distances(after, before))
        assert value(pair, "linkage-reverse") == pytest.approx(100 * back.mean())


def test_standardised_and_mahalanobis_as_by_looking_at_every_pair(cases):
    rng = np.random.default_rng(2)
    for _ in cases:
        before = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3)) * [1, 10, 100]
        after = before + rng.normal(size=(60, 3)) * before.std(axis=0) / 3
        pair = pair_of(table(before), table(after))
        scale = before.std(axis=0)
        first, _ = chances(cdist(after / scale, before / scale))
        assert value(pair, "linkage") == pytest.approx(100 * first.mean())
        inverse = np.linalg.inv(np.cov(before.T))
        first, _ = chances(cdist(after, before, "mahalanobis", VI=inverse))
        assert value(pair, "linkage-mahalanobis") == pytest.approx(100 * first.mean())
        alone = (after - after.mean(axis=0)) / after.std(axis=0)
        first, _ = chances(cdist(alone, (before - before.mean(axis=0)) / scale))
        assert value(pair, "linkage-own-scale") == pytest.approx(100 * first.mean())


def searched(links, keys):
    """The two nearest of each point, in the order of the points."""
    asked = links.asked()
    far = np.full(len(asked.points), np.finfo(float).max)
    never = np.full(len(asked.points), -1.0)
    near, ties = asked._search(far, never, *links.columns_of_keys(keys), None, "")
    place = np.empty(len(near), dtype=np.int64)
    place[links.point_of] = asked.point_of
    return near[place], ties[place]


def test_kernel_equals_its_twin_over_borders_of_tiles():
    rng = np.random.default_rng(3)
    for n in (1, TILE - 1, TILE, TILE + 1, 5 * TILE + 7):
        before = rng.integers(0, 9, size=(n, 3)).astype(float)
        after = before + rng.integers(0, 2, size=(n, 3))
        words = rng.integers(0, 3, n).astype(str)
        pair = pair_of(table(before, w=words), table(after, w=words[::-1]), ["x0", "x1", "x2", "w"])
        links = linkage_of(pair)
        near, ties = searched(links, None)
        twin = two_nearest(links.values, links.codes, links.points, links.point_codes)
        assert np.array_equal(near, twin[0])
        assert np.array_equal(ties, twin[1])


@pytest.mark.parametrize("columns", [1, 2, 5, 11])
@pytest.mark.parametrize("step", [0.0, 0.25])
def test_a_tree_gives_the_results_of_the_tiles_and_the_twin(columns, step, monkeypatch):
    rng = np.random.default_rng(columns)
    n = 2500
    before = rng.normal(size=(n, columns))
    if step:
        before = (before / step).round() * step  # many ties
    after = before[rng.integers(0, n // 3, n)] + rng.integers(0, 2, size=(n, columns)) * 0.25
    pair = pair_of(table(before), table(after), [f"x{j}" for j in range(columns)])
    monkeypatch.setattr(linkage, "FEW", 1)
    links = linkage_of(pair)
    assert links.tree is not None
    keys = list(range(0, columns, 2))
    for some in (None, keys):
        near, ties = searched(links, some)
        used = slice(None) if some is None else some
        twin = two_nearest(
            links.values[used], links.codes, links.points[:, used], links.point_codes
        )
        assert np.array_equal(near, twin[0])
        assert np.array_equal(ties, twin[1])
    monkeypatch.setattr(linkage, "FEW", n + 1)
    pair.shared.clear()
    by_tiles = linkage_of(pair)
    for some in (None, keys):
        chances = [
            dict(zip(rows.tolist(), zip(first, second, strict=True), strict=True))
            for first, second, rows in (links.matches(some), by_tiles.matches(some))
        ]
        assert chances[0] == chances[1]


@pytest.mark.parametrize("few", [1, 10_000])
def test_a_search_that_ends_early_gives_the_chances_of_one_that_does_not(few, monkeypatch):
    """It ends once two other originals are nearer than the own ones, and only then."""
    monkeypatch.setattr(linkage, "FEW", few)
    rng = np.random.default_rng(9)
    ended = 0
    for step in (0.0, 0.5):
        before = rng.normal(size=(1500, 3))
        before = (before / step).round() * step if step else before
        after = before + rng.normal(size=before.shape).round(1) / 3
        after[::3] = after[1::3]
        pair = pair_of(table(before), table(after), ["x0", "x1", "x2"])
        for links in (linkage_of(pair), linkage_of(pair, backwards=True)):
            asked = links.asked()
            columns = links.columns_of_keys(None)
            own, reach, least = np.empty(asked.rows.size), *np.empty((2, len(asked.points)))
            points = (asked.points, asked.point_codes, asked.point_of)
            linkage.kernels.own_distances(
                asked.values, asked.codes, *points, *columns, own, reach, least
            )
            never = np.full(least.size, -1.0)
            both = [asked._search(reach, at, *columns, None, "") for at in (least, never)]
            chances = [linkage._chances(own, *(r[asked.point_of] for r in two)) for two in both]
            assert np.array_equal(chances[0][0], chances[1][0])
            assert np.array_equal(chances[0][1], chances[1][1])
            ended += np.count_nonzero(both[0][0] != both[1][0])
    assert ended > 0


def test_patterns_equal_their_twin_over_borders_of_tiles(monkeypatch):
    rng = np.random.default_rng(5)
    for n in (1, patterns.TILE - 1, patterns.TILE, 2 * patterns.TILE + 3):
        codes = rng.integers(-1, 3, size=(5, n)).astype(np.int32)
        points = rng.integers(-1, 3, size=(5, 7)).astype(np.int32)
        sizes, weights = rng.integers(1, 9, 7), rng.normal(size=32).round(1)
        twin = np.array([plain.patterns(codes, point) for point in points.T])
        for most in (1, 1000):  # counted twice, or once
            monkeypatch.setattr(probabilistic_linkage, "MOST_COUNTS", most)
            counts = probabilistic_linkage.PatternCounts(codes, points)
            expected = np.bincount(twin.ravel(), np.repeat(sizes, n), minlength=32)
            assert np.array_equal(counts.total(sizes), expected)
            best, ties = counts.best(weights)
            assert np.array_equal(best, weights[twin].max(axis=1))
            assert np.array_equal(ties, (weights[twin] == best[:, None]).sum(axis=1))


def test_shuffling_the_rows_changes_nothing():
    """Another tool says 48 % or 18 % for the same release, by the order of its rows."""
    rng = np.random.default_rng(4)
    before = rng.integers(0, 30, size=(300, 3)).astype(float)
    part = ma.partition(before, k=5, method="mdav")
    after = np.stack([np.bincount(part.labels, c)[part.labels] / part.sizes[part.labels]
                      for c in before.T], axis=1)  # fmt: skip
    names = ("linkage", "linkage-second", "linkage-mahalanobis", "linkage-probabilistic", "rld",
             "interval-disclosure")  # fmt: skip
    order = rng.permutation(300)
    plain, shuffled = (
        [value(pair_of(table(before[rows]), table(after[rows])), name) for name in names]
        for rows in (np.arange(300), order)
    )
    assert shuffled == pytest.approx(plain, rel=1e-9)


def test_all_alike_is_a_guess():
    before = table(np.arange(8.0)[:, None])
    after = table(np.full((8, 1), 3.5))
    # Two are nearest; of their own records each is found with a chance of one half.
    assert value(pair_of(before, after), "linkage") == pytest.approx(100 / 8)
    assert value(pair_of(before, after), "linkage-second") == pytest.approx(200 / 8)


def test_missing_keys_find_missing_keys():
    before = pa.table({"a": [1.0, 2.0, None, 4.0], "b": [1.0, 2.0, 3.0, 4.0]})
    assert value(pair_of(before, before), "linkage") == 100
    blank = pa.table({"a": [None] * 4, "b": [1.0, 2.0, 3.0, 4.0]})
    assert 0 < value(pair_of(before, blank, ["a"]), "linkage") <= 100


def test_categories_count_as_they_are():
    before = pa.table({"a": ["x", "y", "z", "z"]})
    assert value(pair_of(before, before), "linkage") == pytest.approx(75)
    assert value(pair_of(before, before), "rld") == pytest.approx(100)


def test_rld_is_the_mean_over_subsets(monkeypatch):
    rng = np.random.default_rng(5)
    before = rng.normal(size=(50, 4))
    after = before + rng.normal(size=(50, 4)) / 2
    pair = pair_of(table(before), table(after))
    Z, W = (before - before.mean(0)) / before.std(0), (after - before.mean(0)) / before.std(0)
    found = rld_by_size(pair)
    for size in range(1, 5):
        each = [100 * chances(cdist(W[:, c], Z[:, c]))[1].mean()
                for c in map(list, combinations(range(4), size))]  # fmt: skip
        assert found[size] == pytest.approx(np.mean(each))
    assert value(pair, "rld") == pytest.approx(np.mean(list(found.values())))
    assert "rld" not in pair.notes


def test_a_large_file_is_sampled_and_says_so(monkeypatch):
    rng = np.random.default_rng(6)
    before = rng.normal(size=(400, 3))
    pair = pair_of(table(before), table(before + 0.3 * rng.normal(size=(400, 3))))
    whole = value(pair, "rld")
    monkeypatch.setattr(subset_linkage, "MOST_COMPARISONS", 7 * 400 * 300)
    pair.measured.clear()
    assert value(pair, "rld") == pytest.approx(whole, abs=8)
    assert "estimated from 75 of 400" in pair.notes["rld"]


def test_subsets_of_many_keys_are_evenly_spaced():
    assert sorted(subsets_of(7, 127)) == sorted(
        c for size in range(1, 8) for c in combinations(range(7), size)
    )
    many = list(subsets_of(12, 127))
    assert len(many) == len(set(many)) <= 127
    assert {len(subset) for subset in many} == set(range(1, 13))
    assert all(subset == tuple(sorted(set(subset))) for subset in many)
    assert len(list(subsets_of(12, 4095))) == 4095
    held = np.bincount([key for subset in many for key in subset], minlength=12)
    assert held.max() <= 1.5 * held.min()  # no key is known more often for its place


@pytest.mark.parametrize(("keys", "most"), [(20, 16), (150, 16), (1500, 16), (40, 30)])
def test_the_sizes_of_subsets_of_very_many_keys_are_evenly_spaced(keys, most):
    sizes = np.array([len(subset) for subset in subsets_of(keys, most)])
    assert sizes.size == most
    assert 1 <= sizes.min() <= keys / most
    assert keys - keys / most <= sizes.max() <= keys
    assert np.ptp(np.diff(np.sort(sizes))) <= 1


def test_fewer_subsets_of_many_keys_are_asked(monkeypatch):
    monkeypatch.setattr(subset_linkage, "QUICK_COMPARISONS", 1)
    before = pa.table({f"x{j}": np.arange(30.0) + j for j in range(80)})
    pair = pair_of(before, before, before.column_names)
    assert len(rld_by_size(pair)) == 127 // (80 // subset_linkage.WIDE)
    assert "all released records and 25 of" in pair.notes["rld"]


def test_the_order_of_the_keys_changes_nothing(monkeypatch):
    monkeypatch.setattr(subset_linkage, "QUICK_COMPARISONS", 1)
    monkeypatch.setattr(subset_linkage, "MOST_COMPARISONS", 127 * 100 * 96)
    monkeypatch.setattr("microagg.measure.risk.record_linkage.MOST", 100 * 50)
    rng = np.random.default_rng(7)
    before = rng.normal(size=(100, 9)).cumsum(axis=1)
    after = before + rng.normal(size=before.shape) * np.arange(9)
    more = {"w": list("abcde" * 20)}, {"w": list("abcdd" * 20)}
    keys = [*(f"x{j}" for j in range(9)), "w"]
    found = []
    for order in (keys, keys[::-1], rng.permutation(keys).tolist()):
        pair = pair_of(table(before, **more[0]), table(after, **more[1]), order)
        names = ("rld", "g-dr", "linkage", "linkage-mahalanobis")
        found.append([value(pair, name) for name in names])
        assert "estimated from 24 of 100 released records and 127" in pair.notes["rld"]
        assert "linkage" in pair.notes
    assert found[1] == pytest.approx(found[0], rel=1e-9)
    assert found[2] == pytest.approx(found[0], rel=1e-9)


def learnt_links(before, after):
    """Fellegi and Sunter over all n x n pairs at once, ties shared."""
    agree = (after[:, None, :] == before[None, :, :]).astype(float)
    n = len(before)
    m, u, share = np.full(agree.shape[2], 0.9), agree.mean(axis=(0, 1)).clip(1e-6, 1 - 1e-6), 1 / n
    for _ in range(200):
        likely = share * np.prod(m**agree * (1 - m) ** (1 - agree), axis=2)
        other = (1 - share) * np.prod(u**agree * (1 - u) ** (1 - agree), axis=2)
        true = likely / (likely + other)
        old, share = share, true.mean()
        m = (np.einsum("rok,ro->k", agree, true) / true.sum()).clip(1e-6, 1 - 1e-6)
        u = (np.einsum("rok,ro->k", agree, 1 - true) / (1 - true).sum()).clip(1e-6, 1 - 1e-6)
        if abs(old - share) <= 1e-9 * old:
            break
    weights = (agree * np.log(m / u) + (1 - agree) * np.log((1 - m) / (1 - u))).sum(axis=2)
    best = np.isclose(weights, weights.max(axis=1, keepdims=True), rtol=0, atol=1e-6)
    return (np.diag(best) / best.sum(axis=1)).mean()


class TestProbabilistic:
    def test_keys_that_tell_all(self):
        table_ = pa.table({"a": [str(i) for i in range(40)], "b": [str(i % 7) for i in range(40)]})
        assert value(pair_of(table_, table_), "linkage-probabilistic") == 100

    def test_keys_that_tell_nothing(self):
        before = pa.table({"a": ["x"] * 10})
        assert value(pair_of(before, before), "linkage-probabilistic") == pytest.approx(10)

    def test_as_by_em_over_every_pair(self, cases):
        rng = np.random.default_rng(11)
        for _ in cases:
            n, keys = int(rng.integers(4, 20)), int(rng.integers(1, 4))
            before = rng.integers(0, 4, size=(n, keys))
            kept = rng.random((n, keys)) < 0.7
            after = np.where(kept, before, rng.integers(0, 4, size=(n, keys)))
            names = [f"x{j}" for j in range(keys)]
            pair = pair_of(table(before.astype(str)), table(after.astype(str)), names)
            found = value(pair, "linkage-probabilistic")
            assert found == pytest.approx(100 * learnt_links(before, after))

    def test_numbers_agree_within_tenths(self):
        X = np.arange(100.0)[:, None]
        before, after = coded_keys(pair_of(table(X), table(X + 0.05)))
        assert before[0].tolist() == sorted(list(range(10)) * 10)
        assert after[0].tolist() == before[0].tolist()

    def test_a_guess_within_classes(self):
        X = np.arange(100.0)[:, None]
        pair = pair_of(table(X), table(X + 0.05))
        assert value(pair, "linkage-probabilistic") == pytest.approx(10)

    def test_too_many_keys_is_said(self):
        X = np.random.default_rng(0).normal(size=(5, 17))
        finding = evaluate(pair_of(table(X), table(X)), ["linkage-probabilistic"])[0]
        assert finding.value is None
        assert "more than 16" in finding.reason


def test_other_units_hide_from_the_original_scale_alone():
    before = np.random.default_rng(5).normal(size=(200, 3))
    pair = pair_of(table(before), table(1000 * before + 7))
    assert value(pair, "linkage-own-scale") == 100
    assert value(pair, "linkage") < 10


def test_many_records_are_sampled_and_it_is_said(monkeypatch):
    monkeypatch.setattr("microagg.measure.risk.record_linkage.MOST_ASIDE", 300 * 50)
    before = np.random.default_rng(6).normal(size=(300, 2))
    pair = pair_of(table(before), table(before))
    assert value(pair, "linkage-reverse") == 100
    assert pair.notes["linkage-reverse"] == "estimated from 50 of 300 records"


class TestMostAtRisk:
    def test_equal_records_are_no_certain_link(self):
        """Five equal records lead to the same original: a claim is right one time in five."""
        before = np.array([0.0, 1, 2, 3, 5, 20, 21, 23, 24, 26, 90])[:, None]
        after = np.repeat([2.2, 22.8, 90], [5, 5, 1])[:, None]
        pair = pair_of(table(before), table(after))
        assert most_at_risk(pair).rows == ()
        value(pair, "linkage")
        found = most_at_risk(pair)
        assert found.rows == (11, 3, 8)
        assert (found.chance, found.certain, found.looked_at) == (1, 1, None)
        of_groups = pair_of(table(before[:10]), table(after[:10]))
        value(of_groups, "linkage")
        assert most_at_risk(of_groups)[1:3] == (pytest.approx(1 / 5), 0)

    def test_a_claim_is_never_surer_than_k_allows(self):
        before = np.random.default_rng(8).integers(0, 9, size=(200, 2)).astype(float)
        for k in (2, 5):
            frame = table(before)
            release = ma.protect(frame, k=k, quasi_identifiers=["x0", "x1"])
            pair = pair_of(frame, release.data)
            value(pair, "linkage")
            assert 0 < most_at_risk(pair).chance <= 1 / k + 1e-12
            assert most_at_risk(pair).certain == 0

    def test_ties_and_equal_records_are_not_counted_twice(self):
        pair = pair_of(table(np.array([[1.0], [3.0]])), table(np.array([[2.0], [2.0]])))
        value(pair, "linkage")
        assert most_at_risk(pair).chance == pytest.approx(1 / 2)

    def test_a_sample_says_of_how_many_it_knows(self, monkeypatch):
        monkeypatch.setattr("microagg.measure.risk.record_linkage.MOST", 300 * 50)
        before = np.random.default_rng(6).normal(size=(300, 2))
        pair = pair_of(table(before), table(before))
        value(pair, "linkage")
        found = most_at_risk(pair)
        assert (found.certain, found.looked_at) == (50, 50)
        assert all("of 50 examined" in line for line in found.words())
