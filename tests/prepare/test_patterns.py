"""Patterns of missing values: parts of at least k records that lack the same values."""

import numpy as np
import pytest

from microagg.prepare.column import Column
from microagg.prepare.patterns import by_pattern
from microagg.prepare.strata import Strata


def columns(blank):
    return [
        Column(f"c{j}", "continuous", np.where(row, np.nan, 1.0)) for j, row in enumerate(blank)
    ]


def test_nothing_missing_is_no_pattern():
    assert by_pattern(columns(np.zeros((2, 5), bool)), None, 2) is None


def test_a_rare_pattern_joins_where_the_fewest_values_are_lost():
    blank = np.zeros((3, 11), dtype=bool)
    blank[0, 5:10] = True  # five records lack the first column
    blank[:2, 10] = True  # one lacks the first two
    codes = by_pattern(columns(blank), None, 3).codes
    assert len(set(codes)) == 2
    assert codes[10] == codes[5] != codes[0]


@pytest.mark.parametrize("seed", range(20))
def test_each_part_has_k_records_and_lies_in_one_stratum(seed):
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(2, 7)), 120
    blank = rng.random((4, n)) < rng.choice([0.02, 0.2, 0.5])
    strata = Strata(np.repeat([0, 1, 2], n // 3))
    parts = by_pattern(columns(blank), strata, k)
    if not blank.any():
        return
    assert np.bincount(parts.codes).min() >= k
    for part in range(parts.count):
        assert len(set(strata.codes[parts.codes == part])) == 1
    whole = [tuple(column) for column in blank.T]
    often = {p for p in whole if whole.count(p) >= k}
    for stratum in range(3):  # a frequent pattern is not split
        for pattern in often:
            own = [i for i, p in enumerate(whole) if p == pattern and strata.codes[i] == stratum]
            assert len({int(parts.codes[i]) for i in own}) <= 1
