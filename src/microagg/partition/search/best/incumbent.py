"""The incumbent: the best partition so far, and the best lower bound."""

from __future__ import annotations

from collections.abc import Callable

from microagg.partition.bounds.gap import gap_of, safe
from microagg.partition.sum_of_squares import error_of
from microagg.typing import Floats, Labels


class Incumbent:
    """The best partition and the best bound so far; both only get better.

    Parameters
    ----------
    columns : float64[d, n]
        The records.
    labels : int32[n]
        A first partition.
    tell : function of (loss, bound)
        Told whenever one of them has improved.
    """

    def __init__(
        self, columns: Floats, labels: Labels, tell: Callable[[float, float], None]
    ) -> None:
        self._columns, self._tell = columns, tell
        self.labels, self.lowest, self.bound = labels, error_of(columns, labels), 0.0

    @property
    def gap(self) -> float:
        """The share of the loss that better groups could save at most."""
        return gap_of(self.lowest, self.bound)

    def offer(self, labels: Labels) -> None:
        """Keep a partition if it is the best so far."""
        lost = error_of(self._columns, labels)
        if lost < self.lowest:
            self.labels, self.lowest = labels, lost
            self._tell(self.lowest, self.bound)

    def prove(self, bound: float) -> None:
        """Keep a bound if it is the best so far, with room for rounding."""
        if safe(bound) > self.bound:
            self.bound = safe(bound)
            self._tell(self.lowest, self.bound)
