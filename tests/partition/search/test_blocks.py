"""blocks: large data in blocks of similar records, repaired at their borders."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import microagg as ma
from microagg.errors import ParameterError
from microagg.partition.search.blocks import blocks
from tests.examples import examples

RECORDS = st.tuples(st.integers(30, 200), st.integers(1, 3)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0.0, 1.0, 2.5, 1e6]))
)


@settings(max_examples=examples(40), deadline=None)
@given(RECORDS, st.integers(2, 5), st.sampled_from(["mdav", "v-mdav", "MDAV-NC3"]))
def test_every_group_has_k_records(X, k, within):
    part = ma.partition(X, k, "blocks", parameters={"block_size": 4 * k, "within": within})
    assert part.n == len(X)
    assert part.sizes.min() >= k
    assert ma.partition(X, k, "blocks", parameters={"block_size": 4 * k, "within": within}) == part


def test_a_sample_that_knows_little_cannot_make_a_block_too_small(monkeypatch):
    monkeypatch.setattr(blocks, "SAMPLE", 40)
    X = np.random.default_rng(0).standard_cauchy(size=(1000, 2))
    part = ma.partition(X, 5, "blocks", parameters={"block_size": 25})
    assert part.n == 1000
    assert part.sizes.min() >= 5


def test_few_records_are_grouped_as_a_whole():
    X = np.random.default_rng(0).normal(size=(300, 3))
    whole = ma.partition(X, 4, "mdav-nc", refine=["swap-shift"])
    assert np.array_equal(
        ma.partition(X, 4, "blocks", parameters={"block_size": 300}).labels, whole.labels
    )


def test_the_cut_leaves_little_trace():
    X = np.random.default_rng(0).normal(size=(6000, 3))
    part = ma.partition(X, 5, "blocks", parameters={"block_size": 1000})
    assert part.facts.blocks == 8
    assert part.method == "blocks (mdav-nc)"
    whole = ma.information_loss(X, ma.partition(X, 5, "mdav-nc", refine=["swap-shift"])).il
    assert ma.information_loss(X, part).il < whole * 1.07  # blocks of 750 records
    assert ma.information_loss(X, part).il < ma.information_loss(X, ma.partition(X, 5, "mdav")).il


def test_repair_crosses_the_cuts(monkeypatch):
    X = np.random.default_rng(1).normal(size=(3000, 2))
    repaired = ma.information_loss(
        X, ma.partition(X, 5, "blocks", parameters={"block_size": 500})
    ).il
    monkeypatch.setattr(blocks, "repaired_cell", lambda records, labels, *_: labels)
    inside = ma.information_loss(X, ma.partition(X, 5, "blocks", parameters={"block_size": 500})).il
    assert repaired < inside


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"block_size": 19}, "at least 4k = 20. Got 19"),
        ({"block_size": 2.5}, "'block_size' parameter of blocks must be an integer"),
        ({"within": "mdva"}, "There is no method 'mdva'"),
        ({"within": "blocks"}, "'within' parameter determines how each .* cannot be 'blocks'"),
    ],
)
def test_wrong_parameters(wrong, words):
    X = np.random.default_rng(0).normal(size=(100, 2))
    with pytest.raises(ParameterError, match=words):
        ma.partition(X, 5, "blocks", parameters=wrong)


def test_protect_says_how(tmp_path):
    import pyarrow as pa

    X = np.random.default_rng(0).normal(size=(200, 2))
    people = pa.table({"x": X[:, 0], "y": X[:, 1]})
    release = ma.protect(
        people, 3, quasi_identifiers=["x", "y"], method="blocks", parameters={"block_size": 60}
    )
    assert "groups, formed by blocks (mdav-nc)" in release.summary()


@pytest.mark.slow
def test_records_that_are_nearly_equal_come_to_an_end():
    # Far values make the others differ by less than rounding can tell: swaps could go on for ever.
    rng = np.random.default_rng(0)
    for _ in range(30):
        X = rng.choice([0.0, 2.5, 1e6], size=(175, 2), p=[0.02, 0.7, 0.28])
        assert ma.partition(X, 3, "blocks", parameters={"block_size": 12}).sizes.min() >= 3


def test_any_number_of_threads_gives_the_same_groups(monkeypatch):
    X = np.random.default_rng(2).normal(size=(4000, 2)).round(1)
    found = []
    for threads in (1, 2, 3):
        monkeypatch.setattr(blocks, "workers", lambda threads=threads: threads)
        found.append(ma.partition(X, 4, "blocks", parameters={"block_size": 500}))
    assert found[0] == found[1] == found[2]


def test_mixed_records_are_cut_into_blocks_too():
    rng = np.random.default_rng(2)
    table = pa.table(
        {
            "age": rng.normal(size=900),
            "town": rng.choice(["a", "b", "c", "d", "e"], 900),
            "sex": rng.choice(["f", "m"], 900),
        }
    )
    given = {"quasi_identifiers": table.column_names, "method": "blocks"}
    release = ma.protect(table, 4, parameters={"block_size": 120}, **given)
    assert release.partition.facts.blocks >= 8
    assert release.measures["k"] >= 4
    whole = ma.protect(table, 4, **given)
    plain = ma.protect(
        table, 4, quasi_identifiers=table.column_names, method="mdav-nc",
        refine=["decompose", "swap-shift"],
    )  # fmt: skip
    assert np.array_equal(whole.partition.labels, plain.partition.labels)
    assert release.measures["il"] < 2.5 * whole.measures["il"]
