"""The uncertainty about an original category, given the released one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.measure.pair import Pair
from microagg.measure.registry import measure


@measure(
    "entropy",
    "Uncertainty about categories",
    kind="loss",
    summary="the share of the information in categorical columns that the release loses",
    formula="100 mean over columns of H(V|V') / H(V); H(V|V') = mean over records of H(V|V'=j)",
    source="Willenborg and De Waal 2001; Fayyoumi 2008, section 2.4.2 (entropy)",
    counts="categories",
    sums=True,
)
def entropy(pair: Pair) -> float:
    """Return the conditional entropy in percent of the entropy; 0 for a constant column."""
    shares = []
    for column in pair.categories.values():
        joint = np.unique(column.released * column.size + column.original, return_inverse=True)[1]
        whole = _bits(pair.counts(column.original))
        kept = _bits(pair.counts(joint)) - _bits(pair.counts(column.released))
        shares.append(max(kept, 0.0) / whole if whole else 0.0)
    return float(100 * np.mean(shares))


def _bits(counts: NDArray[np.float64]) -> float:
    p = counts[counts > 0] / counts.sum()
    return float(-(p * np.log2(p)).sum())
