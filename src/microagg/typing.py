"""The kinds of arrays that signatures name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Values of columns, or points."""

Integers = NDArray[np.int64]
"""Whole numbers of any meaning."""

Rows = NDArray[np.int64]
"""Numbers of records, from 0."""

Codes = NDArray[np.int64]
"""A number for each record that is the same for equal values."""

Labels = NDArray[np.int32]
"""The group of each record, from 0."""

Flags = NDArray[np.bool_]
"""Yes or no for each record."""
