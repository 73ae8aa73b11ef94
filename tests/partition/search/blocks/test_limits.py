"""Limits in blocks: every group holds them, whatever the blocks, and blocks that cannot are joined."""

import numpy as np
import pyarrow as pa
import pytest

import microagg as ma
from microagg.partition.constrain.column import ConfidentialColumn
from microagg.partition.constrain.limits import Limits
from microagg.partition.constrain.record_limits import RecordLimits
from microagg.partition.search.blocks.cuts import cut
from microagg.partition.search.blocks.sample import ties_of

BLOCKS = {"method": "blocks", "parameters": {"block_size": 60}}


def people(n=500):
    rng = np.random.default_rng(3)
    x = rng.normal(size=n)
    return pa.table(
        {
            "x": x,
            "y": rng.normal(size=n),
            "town": rng.choice(["a", "b", "c"], n),
            "ill": (x > 0.5).astype(int) + (rng.random(n) < 0.1),
            "pay": np.exp(x + rng.normal(size=n)).round(1),
            "person": rng.integers(0, 120, n),
        }
    )


LIMITED = [
    {"l_diversity": 2, "confidential": ["ill"]},
    {"t_closeness": 0.2, "confidential": ["pay"]},
    {
        "t_closeness": 0.3,
        "l_diversity": 2,
        "confidential": ["ill", "pay"],
        "kinds": {"ill": "nominal"},
    },
    {"unit": "person"},
    {"unit": "person", "l_diversity": 2, "confidential": ["ill"]},
]


@pytest.mark.parametrize("given", LIMITED)
@pytest.mark.parametrize("columns", [["x", "y"], ["x", "town"]])
def test_every_group_holds_the_limits(given, columns):
    table = people()
    release = ma.protect(table, 4, quasi_identifiers=columns, **BLOCKS, **given)
    facts = release.partition.facts
    assert facts.blocks > 1
    assert facts.groups_that_broke_a_limit > (-1 if "unit" in given else 0)
    measures = release.measures
    assert measures["k"] >= 4
    assert measures.get("l-diversity", 2) >= 2
    assert measures.get("t-closeness", 0) <= given.get("t_closeness", 1) + 1e-9
    assert measures.get("k-units", 4) >= 4


def test_limits_in_strata_and_with_missing_values():
    table = people()
    blank = pa.array([None if i % 9 == 0 else v for i, v in enumerate(table["y"].to_pylist())])
    table = table.set_column(1, "y", blank)
    given = {"quasi_identifiers": ["x", "y"], "strata": "town", "missing": "keep"}
    release = ma.protect(table, 4, **given, **LIMITED[0], **BLOCKS)
    assert release.measures["l-diversity"] >= 2
    assert release.partition.facts.blocks > 3


def test_a_block_that_cannot_hold_the_limits_joins_its_neighbour():
    rng = np.random.default_rng(0)
    x = np.sort(rng.normal(size=400))
    ill = np.where(np.arange(400) < 300, 0, rng.integers(0, 2, 400))  # the low ones are all alike
    table = pa.table({"x": x, "ill": ill})
    given = {"quasi_identifiers": ["x"], "confidential": ["ill"], "l_diversity": 2}
    alone = ma.protect(table, 4, quasi_identifiers=["x"], **BLOCKS).partition.facts.blocks
    release = ma.protect(table, 4, **given, **BLOCKS)
    assert 1 <= release.partition.facts.blocks < alone
    assert release.measures["l-diversity"] == 2


def test_refinements_after_blocks_cannot_break_limits():
    release = ma.protect(
        people(), 4, quasi_identifiers=["x", "y"], refine="swap-shift", **LIMITED[0], **BLOCKS
    )
    assert release.measures["l-diversity"] >= 2


def test_joined_until_ends_with_one_block():
    values = np.random.default_rng(1).normal(size=(1, 64))
    cuts = cut(values, ties_of(np.arange(64)), 64, 8)
    starts = np.arange(cuts.n_leaves + 1)
    asked = []

    def holding(spans):
        asked.extend(spans)
        return [end - first >= 4 for first, end in spans]

    joined = cuts.joined_until(starts, holding)
    assert (np.diff(joined) >= 4).all()
    assert len(asked) == len(set(asked))
    assert cuts.joined_until(starts, lambda spans: [False] * len(spans)).tolist() == [
        0,
        cuts.n_leaves,
    ]
    assert cuts.joined_until(starts, lambda spans: [True] * len(spans)).tolist() == starts.tolist()


def test_units_count_by_where_they_appear():
    column = ConfidentialColumn("ill", np.array([0, 1, 0, 1]), ordered=False)
    one, other = (
        RecordLimits(Limits(unit=2), (column,), np.array(units)).subset(np.array([1, 2, 3]))
        for units in ([5, 9, 7, 9], [1, 2, 30, 2])
    )
    assert one.allow_one_group()
    assert one.units is not None
    assert one._who().tolist() == other._who().tolist() == [0, 1, 0]
