"""Limits on groups besides k: the number of confidential values or units, and their distance from all."""

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
    """Constraints on each confidential column in each group; None if there is none.

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
        """Return how many different values of a column a group requires."""
        return (self.unit if isinstance(column, UnitColumn) else self.l_diversity) or 1

    def farthest(self, column: ConfidentialColumn) -> float | None:
        """Return how far from those of all records the values of a group may be."""
        return None if isinstance(column, UnitColumn) else self.t_closeness

    def require_columns(self, columns: Sequence[ConfidentialColumn]) -> None:
        """Raise if a limit on confidential values has no column to apply to."""
        if columns or not self.on_values():
            return
        raise ParameterError(
            "applies to confidential columns, but none is named.",
            parameter=next(iter(self.on_values())),
            caller="protect",
            hint=Phrase("Name them, such as {confidential}.", confidential=["income"]),
        )

    def violation(self, columns: Sequence[ConfidentialColumn], groups: Sequence[Codes]) -> Floats:
        """Return by how much each group violates the limits; 0 if it satisfies all of them.

        `groups` has for each column the sorted codes of each group, one row per group: groups of the
        same size. Missing values count by their share of the number required, distances by their excess.
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
        """Return whether the size of groups alone allows them to satisfy the limit on distances."""
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
        """Tell which groups are too far from all records by a bound that needs no sorting.

        `rows` has the records of each group, one row per group.
        """
        if self.t_closeness is None:
            return np.zeros(len(rows), dtype=bool)
        return self.surely_far(columns, [column.scores[rows].mean(axis=1) for column in columns])

    def surely_far(
        self, columns: Sequence[ConfidentialColumn], means: Sequence[Floats]
    ) -> NDArray[np.bool_]:
        """Tell the same by the mean score of each group, one array per column."""
        broken = np.zeros(len(means[0]), dtype=bool)
        for column, mean in zip(columns, means, strict=True):
            farthest = self.farthest(column)
            if farthest is not None:
                broken |= column.distance_at_least(mean) > farthest + SURELY
        return broken

    def least_violation(
        self, columns: Sequence[ConfidentialColumn], means: Sequence[Floats]
    ) -> Floats:
        """Return violations that groups are not below, but for rounding, by `in_bins` of each column.

        `means` has float64[bins, groups] for each column with a limit on distances.
        """
        far = [(column, self.farthest(column)) for column in columns]
        limited = [(column, farthest) for column, farthest in far if farthest is not None]
        least = np.zeros(means[0].shape[1] if len(means) else 0)
        for (column, farthest), mean in zip(limited, means, strict=True):
            least += np.maximum(column.far_by_bins(mean) - farthest, 0.0)
        return least

    def most_gained(
        self,
        columns: Sequence[ConfidentialColumn],
        ours: NDArray[np.int64],
        theirs: NDArray[np.int64],
        size: int,
    ) -> Floats:
        """Return the most that each exchange can take from the violation of a group.

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
        """Return columns and limits as arrays for kernels, for groups of up to `most` records."""
        shape = (len(columns), max(column.values for column in columns) + 1)
        share, sums, below = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        crossing = np.zeros((len(columns), most + 1, most), dtype=np.int64)
        for c, column in enumerate(columns):
            share[c, : column.values] = column.share
            below[c, : column.values] = column.below
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
            "below": below,
            "values": np.array([column.values for column in columns], dtype=np.int64),
            "steps": np.array([1.0 / max(column.values - 1, 1) for column in columns]),
            "center": np.array([column.center for column in columns]),
        }

    def require_possible(
        self, columns: Sequence[ConfidentialColumn], strata: NDArray[np.int64] | None
    ) -> None:
        """Raise if not even a single group of all records, or of a stratum, satisfies the limits.

        No other grouping does so either: joining groups never removes a value, and the distance of a
        union is at most the largest of its parts, because the distance is convex.
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
        """Raise if a column cannot satisfy the limits.

        `distinct` and `distance` are those of all records as one group, or of the worst of the `strata`.
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
