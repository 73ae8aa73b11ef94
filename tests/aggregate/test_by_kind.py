"""What stands for a group: by hand, by brute force, with weights and with blanks."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from microagg.aggregate.by_kind import RULES, representatives, rules_of
from microagg.aggregate.mean import group_means
from microagg.aggregate.round import rounded
from microagg.errors import ParameterError
from microagg.partition.partition import Partition
from microagg.prepare.column import Column
from microagg.prepare.missing import imputed

RNG = np.random.default_rng
KINDS = [(kind, rule) for kind, rules in RULES.items() for rule in rules]


@st.composite
def groups(draw):
    n = draw(st.integers(1, 25))
    labels = np.unique(
        draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), return_inverse=True
    )
    values = draw(st.lists(st.integers(0, 4) | st.just(np.nan), min_size=n, max_size=n))
    weights = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    return np.array(values, float), Partition(labels[1], k=1), np.array(weights, float)


@pytest.mark.parametrize(("kind", "rule"), KINDS)
@given(groups())
def test_whole_weights_are_repeated_rows(kind, rule, case):
    values, part, weights = case
    times = weights.astype(int)
    repeated = Partition(np.repeat(part.labels, times), k=1)
    column = Column("x", kind, values, tuple("abcde"))
    longer = column.filled(np.repeat(values, times))
    one = representatives(column, part, rule, RNG(1), weights)
    other = representatives(longer, repeated, rule, RNG(1))
    assert np.allclose(np.repeat(one, times), other, rtol=1e-12, equal_nan=True)


@given(groups())
def test_by_brute_force(case):
    values, part, _ = case
    column = Column("x", "continuous", values)
    found = {rule: representatives(column, part, rule, RNG(0)) for rule in RULES["continuous"]}
    for rows in part.groups():
        present = np.sort(values[rows][~np.isnan(values[rows])])
        if not present.size:
            assert all(np.isnan(new[rows]).all() for new in found.values())
            continue
        assert np.allclose(found["mean"][rows], present.mean())
        assert np.array_equal(found["median"][rows], np.full(rows.size, np.median(present)))
        assert all(np.unique(new[rows]).size == 1 for new in found.values())
        assert present[0] - 1e-12 <= found["trimmed"][rows[0]] <= present[-1] + 1e-12


def test_a_trimmed_mean_leaves_a_fifth_out_at_each_end():
    part = Partition([0] * 5, k=5)
    column = Column("x", "continuous", np.array([1.0, 2.0, 3.0, 4.0, 1000.0]))
    assert representatives(column, part, "trimmed", RNG(0)).tolist() == [3.0] * 5


def test_complete_means_without_weights_are_those_of_before():
    values, part = RNG(0).normal(size=40) + 1e9, Partition(np.arange(40) % 7, k=5)
    column = Column("x", "continuous", values)
    assert np.array_equal(representatives(column, part, "mean", RNG(0)), group_means(values, part))


def test_ties_of_a_mode_fall_by_the_seed_and_not_by_the_alphabet():
    column = Column("x", "nominal", np.tile([0.0, 1.0, 2.0], 40), tuple("abc"))
    part = Partition(np.repeat(np.arange(40), 3), k=3)
    found = [representatives(column, part, "mode", RNG(seed)) for seed in (0, 0, 1)]
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])
    assert np.bincount(found[0].astype(int)).min() > 15


def test_the_median_of_categories_is_one_of_them():
    column = Column("x", "ordinal", np.array([0.0, 3.0, 1.0, 2.0]), tuple("abcd"))
    assert representatives(column, Partition([0] * 4, k=4), "median", RNG(0))[0] == 1.0


def test_a_column_of_ones_with_a_blank_stays_ones():
    values = np.array([1.0, 1.0, np.nan, 1.0, 1.0])
    for rule in RULES["continuous"]:
        column = Column("x", "continuous", values)
        assert (representatives(column, Partition([0] * 5, k=5), rule, RNG(0)) == 1.0).all()


def test_rules_that_a_kind_does_not_have():
    columns = {"sex": Column("sex", "nominal", np.zeros(2), ("f",))}
    assert rules_of(columns, "auto") == {"sex": "mode"}
    with pytest.raises(ParameterError, match="must be 'mode' for the nominal column 'sex'"):
        rules_of(columns, {"sex": "mean"})


@pytest.mark.parametrize(("step", "expected"), [(0.01, 33.33), (0.05, 33.35), (5, 35.0),
                                                (0.3, 33.3), (1, 33.0)])  # fmt: skip
def test_rounding_reads_as_it_is_written(step, expected):
    assert rounded(np.array([33.334, np.nan]), step)[0] == pytest.approx(expected, abs=1e-12)
    assert repr(float(rounded(np.array([0.1 + 0.2]), 0.01)[0])) == "0.3"


@pytest.mark.parametrize(("kind", "rule"), KINDS)
@given(groups())
def test_weights_in_another_unit_change_nothing(kind, rule, case):
    values, part, weights = case
    column = Column("x", kind, values, tuple("abcde"))
    whole = representatives(column, part, rule, RNG(1), weights)
    tenths = representatives(column, part, rule, RNG(1), weights * 0.1)
    assert np.allclose(whole, tenths, rtol=1e-12, equal_nan=True)


def test_fractions_that_reach_a_half_only_but_for_rounding():
    column = Column("x", "continuous", np.tile([1.0, 2.0, 3.0, 4.0], 3000))
    part = Partition(np.repeat(np.arange(3000), 4), k=4)
    weights = np.tile([0.1, 0.2, 0.1, 0.2], 3000)
    assert np.unique(representatives(column, part, "median", RNG(0), weights)).tolist() == [2.5]


@given(groups(), st.sampled_from(["continuous", "nominal"]))
def test_what_fills_a_blank_does_not_hang_on_the_unit_of_the_weights(case, kind):
    values, _, weights = case
    assume(not np.isnan(values).all())
    column = Column("x", kind, values, tuple("abcde"))
    whole, tenths = (imputed([column], RNG(1), w)[0].values for w in (weights, weights * 0.1))
    assert np.array_equal(whole, tenths)
