"""The search for violated cuts takes the same way as its twin."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.kernels.bounds.separation import search_sets
from microagg.partition.bounds.cuts import KINDS
from microagg.partition.bounds.separation import mixture_of
from tests.examples import examples
from tests.twins.bounds import SetSearch
from tests.twins.splitmix import Stream


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(KINDS), st.integers(2, 4))
def test_the_search_ends_where_its_twin_does(seed, kind, size):
    rng, n = np.random.default_rng(seed), 8
    every = list(combinations(range(n), size))
    groups = [list(every[number]) for number in rng.permutation(len(every))[: rng.integers(2, 15)]]
    shares = np.round(rng.uniform(0.0, 1.0, len(groups)), 2)
    starts = np.unique(np.concatenate(groups))
    rows = np.full((starts.size, len(kind.weights)), -1)
    totals, stream = np.empty(starts.size), np.array([seed], dtype=np.uint64)
    mixture = mixture_of([np.array(group) for group in groups], shares, n)
    weights, ticker = np.array(kind.weights), np.zeros(2, dtype=np.int64)
    search_sets(mixture, weights, kind.modulus, starts, stream, rows, totals, ticker)
    twin, drawn = SetSearch(groups, shares.tolist(), kind), Stream(seed)
    for start, ours, total in zip(starts.tolist(), rows.tolist(), totals.tolist(), strict=True):
        theirs, expected = twin.search(start, drawn)
        assert total == pytest.approx(expected, abs=1e-12)
        assert ours == theirs or not theirs
