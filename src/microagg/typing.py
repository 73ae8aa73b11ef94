"""The types of arrays in signatures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Values of columns, or points."""

Integers = NDArray[np.int64]
"""Whole numbers of any meaning."""

Rows = NDArray[np.int64]
"""Row numbers, from 0."""

Codes = NDArray[np.int64]
"""A number for each record, equal for equal values."""

Labels = NDArray[np.int32]
"""The group of each record, from 0."""

Flags = NDArray[np.bool_]
"""A Boolean value for each record."""
