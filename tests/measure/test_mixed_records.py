"""Numbers, ranks, categories, blanks and weights: measures against plain loops over the records."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.measure.pair import pair_of
from microagg.measure.registry import evaluate, measures
from microagg.percent import short_percent
from microagg.report.of_release import page_of_release
from microagg.settings import Settings

LEVELS = ["low", "mid", "high", "top"]
KEYS = ["x", "y", "grade", "city"]


def random_files(rng, blanks=0.15):
    n = int(rng.integers(6, 25))
    before = pd.DataFrame({
        "x": rng.normal(50, 9, n), "y": rng.gamma(2, 9, n),
        "grade": rng.choice(LEVELS, n), "city": rng.choice(list("abc"), n),
        "w": rng.integers(1, 4, n),
    })  # fmt: skip
    after = before.assign(
        x=before["x"] + rng.normal(0, 4, n), y=before["y"] + rng.normal(0, 4, n),
        grade=np.where(rng.random(n) < 0.3, rng.choice(LEVELS, n), before["grade"]),
        city=np.where(rng.random(n) < 0.3, rng.choice(list("abcd"), n), before["city"]),
    )  # fmt: skip
    for frame in (before, after):
        for name in KEYS:
            frame.loc[rng.random(n) < blanks, name] = None
    for name in KEYS:  # so that no column is nothing but blanks
        before.loc[0, name] = {"x": 50.0, "y": 9.0, "grade": "low", "city": "a"}[name]
    return before, after


def paired(before, after, **options):
    orders = {"grade": LEVELS}
    return pair_of(before, after, KEYS, orders=orders, options=Settings.create(**options))


def numbers_of(before, after, name):
    if name == "grade":
        return [f[name].map({v: i for i, v in enumerate(LEVELS)}).to_numpy(float)
                for f in (before, after)]  # fmt: skip
    return [f[name].to_numpy(float) for f in (before, after)]


def scaled(x, y):
    known = x[~np.isnan(x)]
    spread = known.std() if np.ptp(known) else 1.0
    return (x - known.mean()) / spread, (y - known.mean()) / spread


def value(pair, name):
    return evaluate(pair, [name])[0].value


def information_loss(before, after):
    """One column at a time, one record at a time; records are repeated, not weighted.

    A blank that was filled in counts as a cell of average spread that is lost.
    """
    lost = whole = 0.0
    for name in ("x", "y", "grade"):
        x, y = scaled(*numbers_of(before, after, name))
        lost += sum((a - (0.0 if np.isnan(b) else b)) ** 2 for a, b in zip(x, y, strict=True)
                    if not np.isnan(a))  # fmt: skip
        whole += np.nansum(x**2)
        filled = np.count_nonzero(np.isnan(x) & ~np.isnan(y)) * (np.nanmean(x**2) or 1.0)
        lost, whole = lost + filled, whole + filled
    one, other = before["city"], after["city"]
    shares = one.value_counts(normalize=True)  # less the blanks
    strength = 2 / (1 - (shares**2).sum()) if len(shares) > 1 else 0.0
    mode = one.mode().iloc[0]
    average = strength * (one.dropna() != mode).mean() or 1.0
    for a, b in zip(one, other, strict=True):
        if not pd.isna(a):
            b = b if b in shares.index else mode
            lost += strength * (a != b)
            whole += strength * (a != mode)
        elif b in shares.index:
            lost, whole = lost + average, whole + average
    return 100 * lost / whole


def test_information_loss_as_by_loops(cases):
    rng = np.random.default_rng(0)
    for _ in cases:
        before, after = random_files(rng)
        rows = before.index.repeat(before["w"])
        expected = information_loss(before.loc[rows], after.loc[rows])
        assert value(paired(before, after, weights="w"), "il") == pytest.approx(expected)
        plain = information_loss(before, after)
        assert value(paired(before, after), "il") == pytest.approx(plain)


def test_weights_count_as_so_many_equal_records_in_what_is_lost(cases):
    rng = np.random.default_rng(1)
    names = [m.name for m in measures() if m.kind == "loss" and m.name != "probabilistic"]
    for _ in cases:
        before, after = random_files(rng, blanks=0.05)
        rows = before.index.repeat(before["w"])
        weighted = evaluate(paired(before, after, weights="w"), names)
        repeated = evaluate(paired(before.loc[rows], after.loc[rows]), names)
        for one, other in zip(weighted, repeated, strict=True):
            expected = pytest.approx(other.value, rel=1e-7, abs=1e-7)
            assert one.value == expected, one.measure.name


def test_direct_comparison_as_by_loops(cases):
    rng = np.random.default_rng(2)
    for _ in cases:
        before, after = random_files(rng)
        far = []
        for name in ("grade", "city"):
            for a, b in zip(before[name], after[name], strict=True):
                blanks = pd.isna(a) + pd.isna(b)
                if blanks:
                    far.append(float(blanks == 1))
                elif name == "city":
                    far.append(float(a != b))
                else:
                    far.append(abs(LEVELS.index(a) - LEVELS.index(b)) / 3)
        found = value(paired(before, after), "categories-changed")
        assert found == pytest.approx(100 * np.mean(far))


def squares(before, after):
    """Squared distances of each released (row) to each original (column), key by key."""
    out = []
    for name in ("x", "y", "grade"):
        x, y = scaled(*numbers_of(before, after, name))
        blank = np.isnan(x), np.isnan(y)
        gap = np.subtract.outer(np.where(blank[1], 0, y), np.where(blank[0], 0, x)) ** 2
        out.append(gap + np.not_equal.outer(blank[1], blank[0]))
    one, other = (f["city"].fillna("blank").to_numpy(str) for f in (before, after))
    return [*out, np.not_equal.outer(other, one).astype(float)]


def chances(D):
    D = D.round(9)
    own = np.diag(D)[:, None]
    less, ties = (own > D).sum(axis=1), (own == D).sum(axis=1)
    return np.clip((1 - less) / ties, 0, 1).mean(), np.clip((2 - less) / ties, 0, 1).mean()


def near(x, y, percent):
    """The chance that each original lies in the interval of ranks, over all orders of ties."""
    ranked = sorted(y[~np.isnan(y)])
    reach, found = percent * len(ranked) // 100, []
    for a, b in zip(x, y, strict=True):
        if np.isnan(a) or np.isnan(b):
            found.append(float(np.isnan(a) and np.isnan(b)))
            continue
        ranks = [rank for rank, v in enumerate(ranked) if v == b]
        ends = [(ranked[max(r - reach, 0)], ranked[min(r + reach, len(ranked) - 1)]) for r in ranks]
        found.append(np.mean([low <= a <= high for low, high in ends]))
    return np.array(found)


def test_linkage_and_intervals_as_by_looking_at_every_pair(cases):
    rng = np.random.default_rng(3)
    for _ in cases:
        before, after = random_files(rng)
        pair, parts = paired(before, after), squares(before, after)
        first, second = chances(sum(parts))
        assert value(pair, "linkage") == pytest.approx(100 * first)
        assert value(pair, "linkage-second") == pytest.approx(100 * second)
        assert value(pair, "linkage-reverse") == pytest.approx(100 * chances(sum(parts).T)[0])
        rld = 100 * np.mean([
            np.mean([chances(sum(parts[j] for j in some))[1] for some in combinations(range(4), c)])
            for c in range(1, 5)
        ])  # fmt: skip
        assert value(pair, "rld") == pytest.approx(rld)
        same = (before["city"].fillna("blank") == after["city"].fillna("blank")).to_numpy()
        inside = [
            np.mean(same * np.prod([near(*numbers_of(before, after, name), percent)
                                    for name in ("x", "y", "grade")], axis=0))
            for percent in range(1, 11)
        ]  # fmt: skip
        disclosed = 100 * np.mean(inside)
        assert value(pair, "interval-disclosure") == pytest.approx(disclosed)
        assert value(pair, "g-dr") == pytest.approx((rld + disclosed) / 2)
        expected = (value(pair, "g-il") + (rld + disclosed) / 2) / 2
        found = value(pair, "score")
        assert found is None if pair.anonymity.k == 1 else found == pytest.approx(expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"missing": "group"},
        {"missing": "group", "weights": "w"},
        {"missing": "group", "distance": "gower", "column_weights": {"x": 3}},
        {"missing": "impute", "scale": "range"},
        {"missing": "suppress", "strata": "part"},
        {"missing": "group", "distance_tables": {"city": {"a": {"b": 1, "c": 4}, "b": {"c": 2}}}},
    ],
    ids=str,
)
def test_a_report_has_the_loss_of_its_release(options):
    rng = np.random.default_rng(4)
    for seed in range(4):
        before = pd.concat([random_files(rng)[0] for _ in range(3)], ignore_index=True)
        before["part"] = np.arange(len(before)) % 2
        release = ma.protect(before, 3, quasi_identifiers=KEYS, orders={"grade": LEVELS},
                             method="mdav", seed=seed, **options)  # fmt: skip
        page = page_of_release(release.outcome)
        annex = next(section for section in page.sections if section.name == "annex")
        shown = {
            row.name: row.value for table in annex.content for row in getattr(table, "rows", ())
        }
        assert shown["il"] == f"{release.measures['il']:.3f} %"
        assert page.verdict[1].number == short_percent(release.measures["il"])
        compared = {name: given for name, given in options.items() if name in
                    ("weights", "distance", "column_weights", "scale", "distance_tables")}  # fmt: skip
        if release.rows is None:
            judged = ma.assess(before, release.data, quasi_identifiers=KEYS,
                               orders={"grade": LEVELS}, measures=["il"], **compared)  # fmt: skip
            assert judged.measures["il"] == pytest.approx(release.measures["il"], rel=1e-12)
