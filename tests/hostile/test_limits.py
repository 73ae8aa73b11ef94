"""Limits on confidential columns of every type, judged with exact values in plain Python.

`MICROAGG_HOSTILE_LIMITS` sets how many frames are tried; `make test-all` tries 2,000.
"""

import math
import os
import warnings
from collections import Counter, defaultdict
from decimal import Decimal
from fractions import Fraction

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import microagg as ma
from microagg.errors import MicroaggError
from tests.hostile.checker import columns_of, count_of, plain, require_discreet
from tests.hostile.frames import ARROW, MARK, PANDAS, blanked
from tests.hostile.seeds import rng_of

CASES = int(os.environ.get("MICROAGG_HOSTILE_LIMITS", "25"))
ALL = max(CASES, 2_000)
NUMBERS = ["int64", "uint64", "uint8", "float32", "float64", "decimal", "bool"]


def numerals(rng, n):
    """Return numbers as text, some of which float64 cannot tell apart."""
    some = [
        "9007199254740992",
        "9007199254740993",
        "1.5",
        "1.50",
        "-2e3",
        "",
        "1.5000000000000000000001",
    ]
    return pa.array([some[i] for i in rng.integers(0, len(some), n)])


def limited_frame(rng):
    """Return a frame with quasi-identifiers x and y, a stratum s and a confidential column z."""
    n = int(rng.integers(6, 40))
    columns = {"x": pa.array(rng.normal(size=n).round(1)), "y": pa.array(rng.integers(0, 9, n))}
    names = list(ARROW)
    kind = str(rng.choice(NUMBERS)) if rng.random() < 0.5 else names[rng.integers(len(names))]
    columns["z"] = numerals(rng, n) if rng.random() < 0.1 else ARROW[kind](rng, n)
    if rng.random() < 0.3:
        columns["z"] = blanked(rng, columns["z"])
    columns["s"] = pa.array([f"{MARK}{i}" for i in rng.integers(0, 3, n)])
    return _native(rng, columns)


def _native(rng, columns):
    library = rng.integers(3)
    try:
        if library == 1:
            return pl.DataFrame({name: pl.from_arrow(column) for name, column in columns.items()})
        if library == 2:
            frame = pd.DataFrame({name: column.to_pandas() for name, column in columns.items()})
            if rng.random() < 0.3:
                names = list(PANDAS)
                frame["z"] = PANDAS[names[rng.integers(len(names))]](rng, len(frame))
            return frame
    except Exception:  # noqa: BLE001  (whatever the library has against these values)
        pass
    return pa.table(columns)


def attempt(seed, folder=None):
    """Protect one frame within limits; return whether it was released."""
    rng = rng_of(seed)
    frame = limited_frame(rng)
    limits = {"l_diversity": 2} if rng.random() < 0.5 else {}
    if not limits or rng.random() < 0.3:
        limits["t_closeness"] = float(rng.choice([0.1, 0.3, 0.5]))
    options = {"strata": ["s"]} if rng.random() < 0.3 else {}
    if rng.random() < 0.3:
        options["kinds"] = {"z": str(rng.choice(["nominal", "continuous", "ordinal"]))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.MicroaggWarning)
        try:
            release = ma.protect(
                frame,
                2,
                quasi_identifiers=["x", "y"],
                confidential=["z"],
                method="mdav",
                **limits,
                **options,
            )
        except MicroaggError as error:
            require_discreet(str(error))
            return False
    require_discreet("\n".join(release.outcome.cautions))
    judge_limits(release, limits)
    if folder is not None:
        _saved(release, folder / str(seed))
    return True


def _saved(release, folder):
    """Save as text; types that text cannot hold are refused, broken promises never occur."""
    try:
        release.save(folder)
    except ma.AnonymityError:
        values = {_exact(value, ordered=False) for value in columns_of(release.data)["z"]}
        assert {repr(""), MISSING} <= values  # which a file of text cannot tell apart
    except MicroaggError as error:
        require_discreet(str(error))


def judge_limits(release, limits):
    """Raise AssertionError unless the released values hold the limits, counted exactly."""
    keys, values = plain(release.data), columns_of(release.data)["z"]
    promises = {p.promise.what: p.promise for p in release.outcome.limits}
    assert set(promises) == set(limits)
    ordered = "z" not in next(iter(promises.values())).nominal
    exact = [_exact(value, ordered) for value in values]
    groups = defaultdict(list)
    for x, y, z in zip(keys["x"], keys["y"], exact, strict=True):
        groups[x, y].append(z)
    assert min(map(len, groups.values())) >= 2
    if "l_diversity" in limits:
        assert min(len(set(group)) for group in groups.values()) >= limits["l_diversity"]
    if "t_closeness" in limits:
        furthest = max(_distance(group, exact, ordered) for group in groups.values())
        assert furthest <= Fraction(limits["t_closeness"]) + Fraction(1, 10**9)


MISSING = ("missing",)


def _exact(value, ordered):
    """Return a value so that equal means equal: numbers as fractions, all else as its text."""
    if value is None or value is pd.NaT or value is pd.NA:
        return MISSING
    if ordered and isinstance(value, str):
        value = Decimal(value or "nan")
    if not isinstance(value, int | float | Decimal):
        return repr(value)
    if value != value:
        return MISSING
    return value if value in (math.inf, -math.inf) else Fraction(value)


def _distance(group, everywhere, ordered):
    """Return the earth mover's distance of a group from all records, as an exact fraction."""
    here, there = Counter(group), Counter(everywhere)
    gaps = {v: Fraction(here[v], len(group)) - Fraction(there[v], len(everywhere)) for v in there}
    if not ordered:
        return sum(map(abs, gaps.values())) / 2
    order = sorted(value for value in there if value is not MISSING)
    order += [MISSING] if MISSING in there else []
    total, running = Fraction(0), Fraction(0)
    for value in order[:-1]:
        running += gaps[value]
        total += abs(running)
    return total / max(len(order) - 1, 1)


def test_limits_hold_for_exact_values(tmp_path, record_property):
    released = count_of(range(CASES), attempt, tmp_path)
    record_property("frames", CASES)
    record_property("released", released)
    assert 0 < released <= CASES


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(10))
def test_limits_hold_for_exact_values_in_many_frames(part, tmp_path, record_property):
    seeds = range(CASES + part, CASES + ALL, 10)
    record_property("released", count_of(seeds, attempt, tmp_path))
    record_property("frames", len(seeds))
