"""Exposure: what unchanged columns add to the risk on the quasi-identifiers.

k-anonymity holds for the quasi-identifiers. Anyone who also knows unchanged columns about a person
may still single that person out, so the records are also counted on the quasi-identifiers together
with those columns. The count is exact: values are hashed, and equal hashes are compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from microagg.errors import DataError
from microagg.measure.classes import EquivalenceClasses, codes_of, refined
from microagg.measure.exact import encoded
from microagg.measure.units import units_of
from microagg.typing import Codes

MOST_NAMED = 3
"""The number of columns that are named as the worst."""


@dataclass(frozen=True)
class Exposure:
    """The number of records that unchanged columns single out, together with the quasi-identifiers.

    Attributes
    ----------
    columns : tuple of str
        The unchanged columns without a confidential role that were counted.
    records, k : int
        Number of released records, and the class size below which a record counts as exposed.
    unique : int
        The number of records that are alone in their class of quasi-identifiers and unchanged columns.
    below_k : int
        The number of records in such classes of fewer than k, including the unique ones.
    by_column : mapping of str to int
        The records in classes of fewer than k with that one unchanged column alone.
    not_compared : tuple of str
        Unchanged columns whose values cannot be compared; they are ignored.
    counted : {"records", "units"}
        What the size of a class counts; with units, a class of one unit is unique.
    sampled_from : int
        The number of released records if a sample of whole classes was counted, which has `records`
        records; 0 if all records were counted.
    """

    columns: tuple[str, ...]
    records: int
    k: int
    unique: int = 0
    below_k: int = 0
    by_column: Mapping[str, int] = field(default_factory=dict)
    not_compared: tuple[str, ...] = ()
    counted: str = "records"
    sampled_from: int = 0

    @property
    def worst(self) -> tuple[str, ...]:
        """The columns that expose the most records, the worst first."""
        exposing = [name for name, below in self.by_column.items() if below]
        ranked = sorted(exposing, key=lambda name: -self.by_column[name])
        return tuple(ranked[:MOST_NAMED])

    @property
    def fewer(self) -> str:
        """Classes that are too small, in words."""
        return f"fewer than {self.k} {'units' if self.counted == 'units' else 'records'}"

    @property
    def alone(self) -> str:
        """What `unique` counts, in words."""
        if self.counted == "units":
            return "share their values with no other unit"
        return "are unique"

    def percent(self, count: int) -> float:
        """Return a number of records as a percentage of all."""
        return 100 * count / self.records

    def as_dict(self) -> dict[str, Any]:
        """Return the counts for a file or a program."""
        return {
            "columns": list(self.columns),
            "records_counted": self.records,
            "records_unique": self.unique,
            "records_below_k": self.below_k,
            "records_below_k_by_column": dict(self.by_column),
            "worst_columns": list(self.worst),
            "not_compared": list(self.not_compared),
        }


def exposure_of(
    classes: EquivalenceClasses,
    keys: Sequence[str],
    unchanged: Sequence[str],
    k: int,
    units: Codes | None = None,
) -> Exposure:
    """Count records on the quasi-identifiers `keys` together with the `unchanged` columns.

    With `units`, the unit of each record, a class counts by its different units.

    Examples
    --------
    >>> import pyarrow as pa
    >>> released = pa.table({"age": [31, 31, 62, 62], "city": ["a", "b", "c", "c"]})
    >>> found = exposure_of(EquivalenceClasses(released), ["age"], ["city"], k=2)
    >>> found.unique, found.below_k, found.worst
    (2, 2, ('city',))
    """
    import pyarrow as pa

    base = classes.of(tuple(keys))
    whole, by_column, left_out = base, {}, []
    for name in unchanged:
        try:
            codes = _codes(str(name), classes.frame.arrow(name))
        except (DataError, pa.ArrowException):  # such as lists of dates beyond year 9999
            left_out.append(str(name))
            continue
        by_column[str(name)] = _below(refined(base, codes), k, units)
        whole = refined(whole, codes)
    return Exposure(
        columns=tuple(by_column),
        records=classes.frame.n,
        k=k,
        unique=_below(whole, 2, units) if by_column else 0,
        below_k=_below(whole, k, units) if by_column else 0,
        by_column=by_column,
        not_compared=tuple(left_out),
        counted="records" if units is None else "units",
    )


def _codes(name: str, column: Any) -> Codes:
    """Number the values of a column, including nested ones and those of extension types."""
    try:
        return codes_of(name, column)
    except DataError:
        return encoded(column)[0]


def _below(classes: Codes, k: int, units: Codes | None = None) -> int:
    """Return the number of records in classes of fewer than k records, or units."""
    sizes = np.bincount(classes)
    counted = sizes if units is None else units_of(classes, units)
    return int(sizes[counted < k].sum())
