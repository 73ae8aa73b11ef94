"""The common part of differentially private maskings: bounds, integer units, groups by position, cautions.

The neighbouring relation is: one record replaced by any other. The number of records, k, epsilon,
the names of the columns and their bounds are considered public.

Bounds come from the user and never from the data: the noise is proportional to them, and a smallest
or largest value of the records would itself be released, exactly, through the scale of the noise.
Values outside are moved to the bound silently, because a message would reveal something about them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.errors import ParameterError, Phrase, column_hint, quoted_name
from microagg.mask.masked import Task
from microagg.typing import Floats

Units = NDArray[np.int64]

STEPS = 2**20
"""The number of units from one bound to the other. Rounding a value to a unit needs no proof: it
depends on that record alone."""


@dataclass(frozen=True, eq=False)
class Private:
    """A checked task for differential privacy.

    Attributes
    ----------
    units : mapping of column name to int64[n]
        Every value as an integer number of units above its lower bound, 0 to STEPS.
    share : Fraction
        The epsilon of each column; the epsilons of the columns add up.
    starts, sizes : int64[g]
        Groups of consecutive positions, which depend only on n and k.
    """

    units: Mapping[str, Units]
    bounds: Mapping[str, tuple[float, float]]
    share: Fraction
    starts: Units
    sizes: Units

    def values(self, name: str, noisy: Units) -> Floats:
        """Return noisy sums of groups as values of a column; this step sees only noisy sums."""
        low, high = self.bounds[name]
        return low + np.clip(noisy / self.sizes / STEPS, 0.0, 1.0) * (high - low)


def private(task: Task, name: str, epsilon: float | None, bounds: Any) -> Private:
    """Check what a differentially private masking requires, and convert the records to units."""
    n = task.prepared.n
    _refuse(task, name)
    if epsilon is None:
        raise ParameterError(
            f"{name} needs an epsilon.", hint=Phrase("Set {epsilon}, for example.", epsilon=1.0)
        )
    limits = _bounds(task.names, name, bounds)
    units = {column: _units(task.original[column], *limits[column]) for column in task.names}
    count = n // task.k
    starts = np.arange(count) * n // count
    sizes = np.diff(starts, append=n)
    share = Fraction(str(float(epsilon))) / len(units)
    return Private(units, limits, share, starts, sizes)


def _refuse(task: Task, name: str) -> None:
    """Raise for options that would invalidate the privacy guarantee."""
    if task.kept:
        raise ParameterError(
            f"{name} covers only the quasi-identifiers, and these columns would be released "
            f"unchanged: {', '.join(map(quoted_name, task.kept))}.",
            hint="Make each column a quasi-identifier or an identifier, which is removed.",
        )
    if task.scale != "zscore":
        raise ParameterError(
            f"applies to groups, and {name} measures in units of the bounds.",
            parameter="scale",
            hint="Leave it out.",
        )
    if task.dates:
        raise ParameterError(
            f"{name} accepts only numbers, and these columns contain dates, whose resolution depends on "
            f"the records: {', '.join(map(quoted_name, task.dates))}.",
            hint="Convert them to numbers first, such as days since a fixed public date.",
        )
    if task.seed != 0:
        raise ParameterError(
            f"cannot be set for {name}: anyone who knows it can remove the noise. The noise comes "
            "from the operating system.",
            parameter="seed",
            hint="Leave it out.",
        )


def _bounds(names: tuple[str, ...], method: str, bounds: Any) -> dict[str, tuple[float, float]]:
    intervals = {} if bounds is None else dict(bounds)
    for column in intervals:
        if column not in names:
            raise ParameterError(
                f"names {column!r}, which is not a quasi-identifier.",
                parameter="bounds",
                hint=column_hint(column, names),
            )
    for column in names:
        if column not in intervals:
            raise ParameterError(
                f"{method} needs the bounds of {column!r}. Bounds taken from the records would reveal "
                "something about them.",
                hint=Phrase(
                    "Specify bounds for every quasi-identifier, such as {bounds}.",
                    bounds={"age": (0, 100)},
                ),
            )
    return {column: (float(intervals[column][0]), float(intervals[column][1])) for column in names}


def _units(values: Floats, low: float, high: float) -> Units:
    inside = (np.clip(values, low, high) - low) / (high - low)
    return np.clip(np.rint(inside * STEPS), 0, STEPS).astype(np.int64)


def caution(name: str, epsilon: float, rows: str) -> str:
    """Return the caution about such a release."""
    return (
        f"{name} makes the released DATA differentially private with epsilon = {epsilon:g}, with "
        "respect to the replacement of one record. The number of records, k, and the bounds of the "
        f"columns are public. {rows} No group of k records is promised. Everything else (the loss, "
        "the measures, this summary, the report and the provenance) is computed from the original "
        "records without noise and is NOT private: do not publish it. Each further release of the "
        "same records adds its epsilon."
    )
