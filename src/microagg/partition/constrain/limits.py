"""What groups must hold beside k: so many confidential values, so close to those of all records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microagg.errors import ParameterError, Phrase
from microagg.partition.constrain.column import Codes, ConfidentialColumn, Floats
from microagg.settings import Settings

Rows = NDArray[np.int64]

ROUNDING = 1e-12
"""Distances that differ by less are the same: they are sums of shares, of the order of 1."""


@dataclass(frozen=True)
class Limits:
    """Constraints on each confidential column in each group; None where there is none.

    Attributes
    ----------
    l_diversity : int
        The fewest different values ("distinct" l-diversity).
    t_closeness : float
        The largest earth mover's distance to the values of all records.
    """

    l_diversity: int | None = None
    t_closeness: float | None = None

    @classmethod
    def of(cls, settings: Settings) -> Limits:
        """Return the limits among the settings."""
        return cls(settings.l_diversity, settings.t_closeness)

    def given(self) -> dict[str, int | float]:
        """Return the constraints that there are, by the names of the parameters."""
        return {name: value for name, value in vars(self).items() if value is not None}

    @property
    def fewest(self) -> int:
        """How many different values a group needs."""
        return self.l_diversity or 1

    def violation(self, columns: Sequence[ConfidentialColumn], groups: Sequence[Codes]) -> Floats:
        """Return how far each group is from holding all; 0 where it does.

        `groups` has for each column the sorted codes of each group, a row a group: groups of the
        same size. Values that lack count by their share of those needed, distances by their excess.
        """
        total = np.zeros(len(groups[0]))
        for column, codes in zip(columns, groups, strict=True):
            if self.fewest > 1:
                total += np.maximum(self.fewest - column.distinct(codes), 0) / self.fewest
            if self.t_closeness is not None:
                excess = column.distance(codes) - self.t_closeness
                total += np.where(excess > ROUNDING, excess, 0.0)
        return total

    def require_possible(
        self, columns: Sequence[ConfidentialColumn], strata: NDArray[np.int64] | None
    ) -> None:
        """Raise when not even one group, of all records or of each stratum, holds them.

        No other grouping does then: joining groups never takes a value away, and the distance of a
        union is at most the largest of its parts, because it is convex.
        """
        where = "all records" if strata is None else "a whole stratum"
        for column in columns:
            wholes = list(_wholes(column.codes, strata))
            most = min(int(column.distinct(rows)[0]) for rows in wholes)
            if self.fewest > most:
                raise ParameterError(
                    f"is {self.l_diversity}, but the confidential column {column.name!r} has {most} "
                    f"different values in {where}: {most} is the best that can be.",
                    parameter="l_diversity",
                    caller="protect",
                    hint=_lower(most),
                )
            least = max(float(column.distance(rows)[0]) for rows in wholes)
            if self.t_closeness is not None and least > self.t_closeness + ROUNDING:
                best = np.ceil(least * 1e4) / 1e4
                raise ParameterError(
                    f"is {self.t_closeness:g}, but groups do "
                    f"not cross strata, and a whole stratum is {best:g} from all records in the "
                    f"confidential column {column.name!r}: {best:g} is the best that can be.",
                    parameter="t_closeness",
                    caller="protect",
                    hint=Phrase(
                        "Give {t_closeness} or more, or other strata.", t_closeness=float(best)
                    ),
                )


def _lower(most: int) -> str | Phrase:
    if most < 2:
        return "Leave it out: there is one value."
    return Phrase("Give {l_diversity} or less.", l_diversity=most)


def _wholes(codes: Codes, strata: NDArray[np.int64] | None) -> Iterator[Codes]:
    """Yield the sorted codes of all records, or of each stratum, as one group each."""
    strata = np.zeros(codes.size, dtype=np.int64) if strata is None else strata
    order = np.lexsort((codes, strata))
    for rows in np.split(codes[order], np.flatnonzero(np.diff(strata[order])) + 1):
        yield rows[None, :]
