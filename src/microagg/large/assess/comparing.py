"""The first pass over both files: which columns differ, and which may identify records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from microagg.data.categories import is_text
from microagg.data.numerals import to_numbers
from microagg.errors import DataError
from microagg.large.assess.paired_files import PairedFiles
from microagg.measure.exact import is_number
from microagg.measure.keys import floats, same_values
from microagg.typing import Floats

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(eq=False)
class Compared:
    """What the comparison of two files tells.

    Attributes
    ----------
    n : int
        The number of records.
    changed : set of str
        The columns that differ.
    identifying : mapping of str to tuple of int
        The columns that may be unique in each released record, and the lowest and the highest of their
        integers.
    sizes : mapping of str to float
        The largest absolute number of each column, in either file.
    fields : pair of Schema
        The types of the columns of both files.
    weighted : bool
        Whether the weights of the records differ.
    """

    n: int = 0
    changed: set[str] = field(default_factory=set)
    identifying: dict[str, tuple[int, int]] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)
    fields: tuple[Any, Any] = (None, None)
    weighted: bool = False

    def add(self, before: pa.Table, after: pa.Table) -> None:
        """Take note of more records."""
        first = self.n == 0
        self.n += after.num_rows
        for name in before.column_names:
            one, other = before[name], after[name]
            if name not in self.changed and not _same(one, other):
                self.changed.add(name)
            if first or name in self.identifying:
                self._identify(name, other)
            for column in (one, other):
                if is_number(column.type):
                    self.sizes[name] = max(self.sizes.get(name, 0.0), _largest(column))

    def _identify(self, name: str, column: Any) -> None:
        """Keep a column among those that may identify records, or drop it."""
        from pyarrow import compute, types

        whole = bool(types.is_integer(column.type))
        if not whole and not is_text(column.type):
            return
        if column.null_count or compute.count_distinct(column).as_py() < len(column):
            self.identifying.pop(name, None)
            return
        ends = compute.min_max(column).as_py() if whole else {"min": 0, "max": 0}
        low, high = self.identifying.get(name, (ends["min"], ends["max"]))
        self.identifying[name] = min(low, ends["min"]), max(high, ends["max"])

    def may_identify(self, name: str) -> bool:
        """Return whether all records may differ there; integers that are far apart are amounts."""
        if name not in self.identifying or self.n < 2:
            return False
        low, high = self.identifying[name]
        return high - low <= 2 * self.n


def _same(one: Any, other: Any) -> bool:
    """Return whether two columns hold the same values; equal ones of one type are told at once."""
    return (one.type == other.type and one.equals(other)) or same_values(one, other)


def _largest(column: Any) -> float:
    values = floats(column)
    return float(np.abs(values).max(initial=0.0, where=~np.isnan(values)))


def compared(files: PairedFiles, weights: str | None) -> Compared:
    """Compare the columns that both files have."""
    import pyarrow as pa

    if not files.shared:
        raise DataError(
            "The two files have no column in common.",
            hint="Columns are matched by name. Is this the right file?",
        )
    own = [] if weights is None else [weights]
    result, low, high = Compared(), np.inf, -np.inf
    columns = list(dict.fromkeys([*files.shared, *own]))
    for before, after in files.tables("Comparing", columns, files.shared):
        if result.n == 0:
            result.fields = (before.schema, after.schema)
        for name in own:
            masses = weights_of(before, name)
            low, high = min(low, masses.min()), max(high, masses.max())
        result.add(before.select(files.shared), after)
    if result.n == 0:
        raise DataError("There are no records.", hint="Use files with at least one record.")
    result.weighted = bool(low < high)
    assert isinstance(result.fields[0], pa.Schema)
    return result


def weights_of(table: pa.Table, name: str) -> Floats:
    """Return the weights of the records of a table."""
    column = to_numbers(table[name]) if is_text(table[name].type) else table[name]
    if column is None or not is_number(column.type):
        raise DataError(
            f"Column '{name}' contains values that are not numbers, so it cannot be weights."
        )
    weights = floats(column)
    unfit = ~np.isfinite(weights) & ~np.isnan(weights) | (weights <= 0)
    for wrong, what in ((np.isnan(weights), "missing"), (unfit, "not finite numbers above 0")):
        if wrong.any():
            raise DataError(
                f"Some weights in column '{name}' are {what}.",
                hint="Remove these records, or correct their weights.",
            )
    return weights
