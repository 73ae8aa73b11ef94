"""Groups that also satisfy limits on confidential columns and units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microagg.context import Context
from microagg.data.codes import looks_like_codes
from microagg.data.frames import Frame
from microagg.errors import quoted_name
from microagg.measure.diversity.promise import ConfidentialPromise
from microagg.measure.exact import coded
from microagg.partition.constrain.column import ConfidentialColumn, UnitColumn
from microagg.partition.constrain.enforce import enforce
from microagg.partition.constrain.groups import combined
from microagg.partition.constrain.limits import Limits
from microagg.partition.constrain.record_limits import RecordLimits
from microagg.partition.partition import Partition
from microagg.typing import Codes, Floats


@dataclass(frozen=True, eq=False)
class GroupConstraints:
    """The limits that groups must satisfy, and the columns that they apply to."""

    limits: Limits
    columns: tuple[ConfidentialColumn, ...]
    nominal: tuple[str, ...]

    def constrained(
        self,
        X: Floats,
        part: Partition,
        strata: NDArray[np.int64] | None = None,
        context: Context | None = None,
    ) -> Partition:
        """Return groups like those of `part` that satisfy the limits."""
        met = enforce(X, part, self.columns, self.limits, strata, context)
        facts = met.added_to(part.facts)
        return Partition(met.labels, k=part.k, method=part.method, facts=facts)

    def require_possible(self, strata: NDArray[np.int64] | None) -> None:
        """Raise if not even a single group of all records, or of a stratum, satisfies the limits."""
        self.limits.require_possible(self.columns, strata)

    def classes(self) -> Codes:
        """Return a number for each record, equal for records with the same confidential values and unit."""
        return combined([column.codes for column in self.columns])

    def of_records(self) -> RecordLimits:
        """Return the limits for a method that enforces them itself."""
        columns = tuple(c for c in self.columns if not isinstance(c, UnitColumn))
        units = [column.codes for column in self.columns if isinstance(column, UnitColumn)]
        return RecordLimits(self.limits, columns, units[0] if units else None)

    def promises(self, keys: tuple[str, ...]) -> tuple[ConfidentialPromise, ...]:
        """Return what may be promised of records with equal keys."""
        confidential = (c for c in self.columns if not isinstance(c, UnitColumn))
        names = tuple(column.name for column in confidential)
        return tuple(
            ConfidentialPromise(keys, names, what, limit, self.nominal)
            for what, limit in self.limits.on_values().items()
        )


def guard(
    frame: Frame,
    limits: Limits,
    confidential: Sequence[str],
    kinds: Mapping[str, str],
    units: NDArray[np.int64] | None = None,
) -> GroupConstraints | None:
    """Return the limits of `protect` as constraints, if there are any; `units` are those of the records.

    Numbers are compared by their order unless their kind is nominal. Text that contains numbers is
    compared by order if its kind has one. Everything else is compared by equality, which is stricter.
    """
    if not limits.as_dict():
        return None
    columns: tuple[ConfidentialColumn, ...] = ()
    if limits.on_values():
        columns = tuple(
            ConfidentialColumn(name, *coded(frame, name, kinds.get(name))) for name in confidential
        )
        limits.require_columns(columns)
    nominal = tuple(column.name for column in columns if not column.ordered)
    of_units = () if units is None else (UnitColumn(units),)
    return GroupConstraints(limits, (*columns, *of_units), nominal)


def ordered_codes(
    frame: Frame, constraints: GroupConstraints | None, kinds: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the warning about confidential columns that are compared by order but look like codes."""
    if constraints is None or constraints.limits.t_closeness is None:
        return ()
    ordered = [
        column.name
        for column in constraints.columns
        if column.ordered  # which units are not
        and column.values > 2  # two values are as far apart either way
        and column.name not in kinds
        and looks_like_codes(frame, column.name)
    ]
    return ordered_codes_in_words(ordered)


def ordered_codes_in_words(names: Sequence[str]) -> tuple[str, ...]:
    """Return the warning about confidential columns that look like codes and are compared by order."""
    if not names:
        return ()
    listed = ", ".join(map(quoted_name, names))
    return (
        f"These confidential columns look like codes: {listed}. t-closeness compares them by their "
        "order. Specify their kinds: nominal for codes, ordinal or continuous for amounts.",
    )
