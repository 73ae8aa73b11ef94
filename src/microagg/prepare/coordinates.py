"""Where records lie, as points: what is near when groups are changed for a limit."""

from __future__ import annotations

import numpy as np

from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.typing import Floats


def coordinates(prepared: Prepared | Records) -> Floats:
    """Return the records as float64[n, m] points, at about the distances that methods see.

    A nominal column becomes one coordinate a category; tables and hierarchies count as equality, and a
    blank lies at the mean. That decides which groups are near, not whether a limit holds.
    """
    if isinstance(prepared, Prepared):
        return prepared.columns.T
    parts = []
    for column, measure in zip(prepared.columns, prepared.measures, strict=True):
        present = ~column.blank
        if column.nominal:
            codes = np.where(present, column.values, 0).astype(np.int64)
            part = np.zeros((prepared.n, int(codes.max()) + 1))
            part[np.flatnonzero(present), codes[present]] = np.sqrt((measure.strength or 1.0) / 2.0)
        else:
            part = ((column.values - measure.center) / measure.scale)[:, None]
        part[~present] = part[present].mean(axis=0) if present.any() else 0.0
        parts.append(part)
    return np.ascontiguousarray(np.concatenate(parts, axis=1))
