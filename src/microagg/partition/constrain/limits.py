"""What groups must hold beside k: so many confidential values, so close to those of all records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.errors import ParameterError, Phrase
from microagg.partition.constrain.column import ConfidentialColumn, UnitColumn
from microagg.settings import Settings
from microagg.typing import Codes, Floats

ROUNDING = 1e-12
"""Distances that differ by less are the same: they are sums of shares, of the order of 1."""

SURELY = 1e-9
"""More than what rounding does to a bound on such distances."""


@dataclass(frozen=True)
class Limits:
    """Constraints on each confidential column in each group; None where there is none.

    Attributes
    ----------
    l_diversity : int
        The fewest different values ("distinct" l-diversity).
    t_closeness : float
        The largest earth mover's distance to the values of all records.
    unit : int
        The fewest different units.
    """

    l_diversity: int | None = None
    t_closeness: float | None = None
    unit: int | None = None

    @classmethod
    def of(cls, settings: Settings) -> Limits:
        """Return the limits among the settings."""
        units = None if settings.unit is None else settings.k
        return cls(settings.l_diversity, settings.t_closeness, units)

    def as_dict(self) -> dict[str, int | float]:
        """Return the constraints that there are, by the names of the parameters."""
        return {name: value for name, value in vars(self).items() if value is not None}

    def on_values(self) -> dict[str, int | float]:
        """Return the constraints on confidential values."""
        return {name: value for name, value in self.as_dict().items() if name != "unit"}

    def fewest(self, column: ConfidentialColumn) -> int:
        """Return how many different values of a column a group needs."""
        return (self.unit if isinstance(column, UnitColumn) else self.l_diversity) or 1

    def farthest(self, column: ConfidentialColumn) -> float | None:
        """Return how far from those of all records the values of a group may be."""
        return None if isinstance(column, UnitColumn) else self.t_closeness

    def require_columns(self, columns: Sequence[ConfidentialColumn]) -> None:
        """Raise where a limit on confidential values has no column to be about."""
        if columns or not self.on_values():
            return
        raise ParameterError(
            "applies to confidential columns, but none is named.",
            parameter=next(iter(self.on_values())),
            caller="protect",
            hint=Phrase("Name them, such as {confidential}.", confidential=["income"]),
        )

    def violation(self, columns: Sequence[ConfidentialColumn], groups: Sequence[Codes]) -> Floats:
        """Return how far each group is from holding all; 0 where it does.

        `groups` has for each column the sorted codes of each group, one row per group: groups of the
        same size. Values that lack count by their share of those needed, distances by their excess.
        """
        total = np.zeros(len(groups[0]))
        for column, codes in zip(columns, groups, strict=True):
            fewest, farthest = self.fewest(column), self.farthest(column)
            if fewest > 1:
                total += np.maximum(fewest - column.distinct(codes), 0) / fewest
            if farthest is not None:
                excess = column.distance(codes) - farthest
                total += np.where(excess > ROUNDING, excess, 0.0)
        return total

    def in_reach(self, columns: Sequence[ConfidentialColumn], size: int) -> bool:
        """Tell whether groups of this size can hold the limit on distances, by their size alone."""
        for column in columns:
            farthest = self.farthest(column)
            if farthest is None or 1.0 / (2 * size) <= farthest:
                continue  # no cumulative share is farther than that from a multiple of 1/size
            if column.least_distance(size) > farthest + SURELY:
                return False
        return True

    def surely_broken(
        self, columns: Sequence[ConfidentialColumn], rows: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Tell which groups are so far from all records that no sorting is needed to see it.

        `rows` has the records of each group, one row per group.
        """
        broken = np.zeros(len(rows), dtype=bool)
        for column in columns:
            farthest = self.farthest(column)
            if farthest is not None:
                broken |= column.distance_at_least(column.codes[rows]) > farthest + SURELY
        return broken

    def most_gained(
        self,
        columns: Sequence[ConfidentialColumn],
        ours: NDArray[np.int64],
        theirs: NDArray[np.int64],
        size: int,
    ) -> Floats:
        """Return what each exchange takes from the violation of a group at most.

        `ours` and `theirs` are records. There is one row per own record of a group of this size.
        """
        most = np.full((ours.size, theirs.size), SURELY)
        for column in columns:
            fewest = self.fewest(column)
            if fewest > 1:
                most += 1.0 / fewest
            if self.farthest(column) is not None:
                most += column.most_moved(column.codes[ours], column.codes[theirs], size)
        return most

    def arrays(self, columns: Sequence[ConfidentialColumn], most: int) -> dict[str, NDArray[Any]]:
        """Return columns and limits as kernels have them, for groups of up to `most` records."""
        shape = (len(columns), max(column.values for column in columns) + 1)
        share, sums = np.zeros(shape), np.zeros(shape)
        crossing = np.zeros((len(columns), most + 1, most), dtype=np.int64)
        for c, column in enumerate(columns):
            share[c, : column.values] = column.share
            sums[c, : column.values + 1] = column.sums
            for size in range(1, most + 1):
                crossing[c, size, :size] = column.crossing(size, np.arange(1, size + 1) / size)
        farthest = [self.farthest(column) for column in columns]
        return {
            "codes": np.array([column.codes for column in columns], dtype=np.float64),
            "ordered": np.array([column.ordered for column in columns]),
            "fewest": np.array([self.fewest(column) for column in columns], dtype=np.int64),
            "farthest": np.array([-1.0 if limit is None else limit for limit in farthest]),
            "share": share,
            "sums": sums,
            "crossing": crossing,
            "values": np.array([column.values for column in columns], dtype=np.int64),
        }

    def require_possible(
        self, columns: Sequence[ConfidentialColumn], strata: NDArray[np.int64] | None
    ) -> None:
        """Raise when not even one group, of all records or of each stratum, holds them.

        No other grouping does then: joining groups never takes a value away, and the distance of a
        union is at most the largest of its parts, because it is convex.
        """
        for column in columns:
            if isinstance(column, UnitColumn):
                continue  # strata of fewer than k units were joined or refused before
            wholes = list(_wholes(column.codes, strata))
            most = min(int(column.distinct(rows)[0]) for rows in wholes)
            least = max(float(column.distance(rows)[0]) for rows in wholes)
            self.require_wholes(column.name, most, least, strata is not None)

    def within(self, distances: Floats) -> NDArray[np.bool_]:
        """Tell which distances from all records are within the limit."""
        return np.asarray(distances <= (self.t_closeness or 0.0) + ROUNDING)

    def require_wholes(self, name: str, distinct: int, distance: float, strata: bool) -> None:
        """Raise when a column cannot hold the limits.

        All records as one group, or the worst of the `strata`, have so many different values in it, and
        are so far from all records.
        """
        where = "a whole stratum" if strata else "all records"
        if (self.l_diversity or 1) > distinct:
            values = "value" if distinct == 1 else "values"
            raise ParameterError(
                f"is {self.l_diversity}, but the confidential column {name!r} has {distinct} "
                f"different {values} in {where}: {distinct} is the best possible.",
                parameter="l_diversity",
                caller="protect",
                hint=_larger_strata(distinct) if strata else _lower(distinct),
            )
        if self.t_closeness is not None and not self.within(np.array([distance]))[0]:
            best = np.ceil(distance * 1e4) / 1e4
            raise ParameterError(
                f"is {self.t_closeness:g}, but groups do "
                f"not cross strata, and a whole stratum has the distance {best:g} from all records in "
                f"the confidential column {name!r}: {best:g} is the best possible.",
                parameter="t_closeness",
                caller="protect",
                hint=Phrase("Use {t_closeness} or more, or other strata.", t_closeness=float(best)),
            )


def _larger_strata(most: int) -> Phrase:
    """Return what helps where a stratum has too few values: others have more."""
    larger = "Use fewer or coarser strata, so that each has more records"
    if most < 2:
        return Phrase(f"{larger}, or leave the limit out.")
    return Phrase(f"{larger}, or use {{l_diversity}} or less.", l_diversity=most)


def _lower(most: int) -> str | Phrase:
    if most < 2:
        return "Leave it out: there is only one value."
    return Phrase("Use {l_diversity} or less.", l_diversity=most)


def _wholes(codes: Codes, strata: NDArray[np.int64] | None) -> Iterator[Codes]:
    """Yield the sorted codes of all records, or of each stratum, as one group each."""
    strata = np.zeros(codes.size, dtype=np.int64) if strata is None else strata
    order = np.lexsort((codes, strata))
    for rows in np.split(codes[order], np.flatnonzero(np.diff(strata[order])) + 1):
        yield rows[None, :]
