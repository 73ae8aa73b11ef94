"""The task and the result of a masking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from microagg.context import Context
from microagg.mask.constrained import GroupConstraints
from microagg.measure.anonymity import Promise
from microagg.measure.diversity.promise import ConfidentialPromise
from microagg.partition.names import NamedMethod
from microagg.partition.partition import Partition
from microagg.partition.registry import TIME_LIMIT
from microagg.prepare.column import Column
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.prepare.strata import Strata
from microagg.typing import Floats

if TYPE_CHECKING:
    from microagg.mask.registry import Masking


@dataclass(frozen=True, eq=False)
class Task:
    """Records to mask, and the options for it.

    Attributes
    ----------
    columns : mapping of str to Column
        The quasi-identifiers in their original units.
    prepared : Prepared or Records
        The same after scaling; Records only if they are not all complete numbers.
    scale : str
        The scaling; some maskings refuse a scaling that they would ignore.
    method : NamedMethod or Masking
        The method that the name denotes.
    k, refine, seed, parameters, segments
        As passed to `protect`.
    context : Context
        The budget and the reporter of the whole task.
    guard : GroupConstraints, optional
        The limits that groups must satisfy besides k.
    synthetic : bool
        Whether synthetic records replace the records of a group.
    kept : tuple of str
        The columns of the frame that are released unchanged.
    grouped_on
        The option `columns` of `protect`: the columns to group on, if not all.
    rules : mapping of str to str
        The aggregate of each column: "mean", "mode", ...
    steps : mapping of str to float
        The steps to which released numbers are rounded.
    weights : float64[n], optional
        The weights of the records.
    strata : Strata, optional
        Parts that groups do not cross.
    patterns : Strata, optional
        Parts of the strata in which groups are formed if missing values stay missing: a value that
        one record of a group lacks is missing for the whole group.
    units : int64[n], optional
        The unit of each record; each group must have k units.
    only_for_groups : tuple of str
        The options that a masking without groups cannot honour.
    dates : tuple of str
        The columns with dates, whose origin and steps are derived from the records.
    as_read : Prepared or Records, optional
        The scaled records before missing values were filled in, if that was requested: the loss is
        measured on these.
    """

    columns: Mapping[str, Column]
    prepared: Prepared | Records
    scale: str
    k: int
    method: NamedMethod | Masking
    refine: str | Sequence[str] | None = None
    seed: int = 0
    context: Context = field(default_factory=Context.of)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    grouped_on: str | Sequence[str] | None = None
    segments: int | Sequence[Sequence[str]] | None = None
    guard: GroupConstraints | None = None
    synthetic: bool = False
    kept: tuple[str, ...] = ()
    rules: Mapping[str, str] = field(default_factory=dict)
    steps: Mapping[str, float] = field(default_factory=dict)
    weights: Floats | None = None
    strata: Strata | None = None
    patterns: Strata | None = None
    units: NDArray[np.int64] | None = None
    only_for_groups: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    as_read: Prepared | Records | None = None

    @property
    def original(self) -> dict[str, Floats]:
        """The quasi-identifiers as numbers in their original units."""
        return {name: column.values for name, column in self.columns.items()}

    @property
    def meets_limits(self) -> bool:
        """Whether the method enforces the limits itself, and no refinement changes its groups."""
        return self.grouping.method.meets_limits and not self.refine

    @property
    def grouping(self) -> NamedMethod:
        """The method of a task that forms groups."""
        assert isinstance(self.method, NamedMethod)  # `mask` has seen to it
        return self.method

    @property
    def numbers(self) -> Prepared:
        """The prepared columns of a masking that accepts only complete numbers."""
        assert isinstance(self.prepared, Prepared)  # `mask` has seen to it
        return self.prepared

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns to mask."""
        return tuple(self.columns)

    def in_parts(self, sizes: Sequence[int]) -> Iterator[Task]:
        """Yield the task for each of several parts, which share one time limit by size."""
        parameters, budget = dict(self.parameters), self.context.budget
        if self._timed:
            budget = budget.within(parameters.pop(TIME_LIMIT, None))
        for part in budget.parts(sizes):
            own = replace(self.context, budget=part, whole=self.prepared.n)
            yield replace(self, context=own, parameters=parameters)

    @property
    def _timed(self) -> bool:
        """Whether the method accepts a time limit; wrong parameters are an error."""
        method = self.grouping.method
        if method.mixed is None and not isinstance(self.prepared, Prepared):
            return False  # the driver refuses it
        method.check(self.parameters)
        return method.timed

    def only(self, names: Sequence[str]) -> Task:
        """Return the same task for some of the columns."""
        columns = {name: self.columns[name] for name in names}
        return replace(self, columns=columns, prepared=self.numbers.only(names))


@dataclass(frozen=True, eq=False)
class Masked:
    """Released values, and the promises about them.

    Attributes
    ----------
    columns : mapping of column name to float64[n]
        The values to release, as numbers like those of the task's columns; NaN if missing.
    partition : Partition
        Which records share their values; its k is 1 if no groups are promised.
    promises : tuple of Promise
        The promises that are checked on the released values.
    cautions : tuple of str
        What the reader of the release must know: what is *not* promised.
    segments : mapping of column names to Partition
        The groups of each set of columns, if sets of columns were masked separately.
    beyond : tuple of ConfidentialPromise
        The promises about the confidential columns.
    rules : mapping of str to str
        The aggregate of each column: "mean", "mode", ...
    warnings : tuple of str
        Possible mistakes of the user.
    """

    columns: Mapping[str, Floats]
    partition: Partition
    promises: tuple[Promise, ...]
    cautions: tuple[str, ...] = ()
    segments: Mapping[tuple[str, ...], Partition] = field(default_factory=dict)
    beyond: tuple[ConfidentialPromise, ...] = ()
    rules: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
