"""Groups that hold what is asked of the confidential columns too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microagg.data.frames import Frame
from microagg.measure.diversity.promise import ConfidentialPromise
from microagg.measure.keys import coded
from microagg.partition.constrain.column import ConfidentialColumn
from microagg.partition.constrain.limits import Limits
from microagg.partition.constrain.meet import meet
from microagg.partition.partition import Partition
from microagg.progress import Progress

Floats = NDArray[np.float64]


_NO_MORE = ("lower_bound", "gap")
"""What was proven of groups without limits."""


@dataclass(frozen=True, eq=False)
class Guard:
    """The limits that groups must hold, and the confidential columns that they are about."""

    limits: Limits
    columns: tuple[ConfidentialColumn, ...]
    nominal: tuple[str, ...]

    def constrained(
        self,
        X: Floats,
        part: Partition,
        strata: NDArray[np.int64] | None = None,
        progress: Progress | None = None,
    ) -> Partition:
        """Return groups like those of `part` that hold the limits."""
        met = meet(X, part, self.columns, self.limits, strata, progress)
        kept = {name: said for name, said in part.details.items() if name not in _NO_MORE}
        details = {**kept, **met.details()}
        return Partition(met.labels, k=part.k, method=part.method, details=details)

    def promises(self, keys: tuple[str, ...]) -> tuple[ConfidentialPromise, ...]:
        """Return what may be promised of records with equal keys."""
        names = tuple(column.name for column in self.columns)
        return tuple(
            ConfidentialPromise(keys, names, what, limit, self.nominal)
            for what, limit in self.limits.given().items()
        )


def guard(
    frame: Frame, limits: Limits, confidential: Sequence[str], kinds: Mapping[str, str]
) -> Guard | None:
    """Return the guard that `protect` was asked for, if any.

    Numbers are compared by their order unless their kind is nominal; everything else by equality
    alone, whatever its kind: text has no order of its own, and equality is the stricter.
    """
    if not limits.given():
        return None
    nominal = tuple(name for name in confidential if kinds.get(name) == "nominal")
    columns = tuple(
        ConfidentialColumn(name, *coded(frame, name, "nominal" if name in nominal else None))
        for name in confidential
    )
    return Guard(limits, columns, nominal)
