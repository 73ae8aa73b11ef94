"""Missing values that were filled in, and values that were released as missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from microagg.prepare.column import Column
from microagg.typing import Floats

MANY = 0.01
"""The share of changed cells above which a column causes a warning."""


@dataclass(frozen=True)
class Blanks:
    """The numbers of cells of each quasi-identifier that were missing, filled in, or released as missing.

    Attributes
    ----------
    records : int
        Number of released records.
    missing : mapping of str to int
        Cells that are missing in the original, of the columns that have any.
    filled : mapping of str to int
        Those of them that are present in the release.
    blanked : mapping of str to int
        Cells that are present in the original and missing in the release.
    """

    records: int
    missing: Mapping[str, int] = field(default_factory=dict)
    filled: Mapping[str, int] = field(default_factory=dict)
    blanked: Mapping[str, int] = field(default_factory=dict)

    def percent(self, count: int) -> float:
        """Return a number of cells as a percentage of the column."""
        return 100 * count / self.records

    def many(self, cells: Mapping[str, int]) -> dict[str, int]:
        """Return the columns with more than 1 % of their values among `cells`."""
        return {name: count for name, count in cells.items() if count > MANY * self.records}

    def as_dict(self) -> dict[str, Any]:
        """Return the counts for a file or a program."""
        return {
            "missing": dict(self.missing),
            "filled": dict(self.filled),
            "blanked": dict(self.blanked),
        }


def blanks_of(columns: Mapping[str, Column], released: Mapping[str, Floats]) -> Blanks:
    """Count missing cells of the original `columns` and of their `released` values.

    Examples
    --------
    >>> age = Column("age", "continuous", np.array([30.0, np.nan, 50.0, 60.0]))
    >>> blanks = blanks_of({"age": age}, {"age": np.array([40.0, 40.0, np.nan, np.nan])})
    >>> blanks.missing, blanks.filled, blanks.blanked
    ({'age': 1}, {'age': 1}, {'age': 2})
    """
    missing, filled, blanked = {}, {}, {}
    for name, column in columns.items():
        before, after = column.blank, np.isnan(released[name])
        missing[str(name)] = int(np.count_nonzero(before))
        filled[str(name)] = int(np.count_nonzero(before & ~after))
        blanked[str(name)] = int(np.count_nonzero(~before & after))
    records = next(iter(columns.values())).values.size
    return Blanks(records, *map(_positive, (missing, filled, blanked)))


def _positive(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count}
