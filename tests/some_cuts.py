"""Cuts of any kind, for tests of properties."""

import numpy as np
from hypothesis import strategies as st

from microagg.partition.bounds.cuts import KINDS, GroupCuts


@st.composite
def cuts_of(draw, n, most):
    """Draw up to `most` cuts of n records."""
    cuts = GroupCuts.of(0)
    kinds = [number for number, kind in enumerate(KINDS) if len(kind.weights) <= n]
    for _ in range(draw(st.integers(0, most))):
        kind = draw(st.sampled_from(kinds))
        size = len(KINDS[kind].weights)
        rows = draw(st.lists(st.integers(0, n - 1), min_size=size, max_size=size, unique=True))
        cuts = cuts.plus(GroupCuts.of(kind, np.array([rows])))
    return cuts
