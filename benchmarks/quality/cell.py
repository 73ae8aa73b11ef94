"""The records of a benchmark, scaled as its losses and bounds are."""

from __future__ import annotations

import microagg as ma
from microagg.data.matrix import columns_of
from microagg.prepare.prepared import prepare
from microagg.typing import Floats


def scaled_columns(data: str) -> Floats:
    """Return the columns of a benchmark, each with mean 0 and variance 1, float64[d, n]."""
    return prepare(*columns_of(ma.datasets.load(data).X), scale="zscore").columns
