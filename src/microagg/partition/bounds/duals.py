"""Duals: the prices of records and cuts from which every bound follows.

For any prices p of the records and any charges c >= 0 of the cuts, each partition of the records
costs the sum of its groups' errors, and

    sum of errors  =  sum of p  +  sum over its groups of (error - prices of its records)
                   >= sum of p  -  sum of c  +  sum over its groups of their reduced costs

since each cut is met by at most one of its groups. Let l_i be the least of 0 and of (reduced cost) /
(size) over all groups that hold i: a group's reduced cost is at least the sum of its records' l_i,
so that

    bound  =  sum of p  -  sum of c  +  sum of l

holds for every partition, whatever p and c are: they need not solve anything. With p + l in place of
p no group has a negative reduced cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microagg.typing import Floats


@dataclass(frozen=True)
class Duals:
    """A price of each record, and a charge of at least 0 for each cut."""

    prices: Floats
    charges: Floats

    def towards(self, other: Duals, share: float) -> Duals:
        """Return the duals that lie `share` of the way to others.

        Either may know more cuts; those that it does not know cost nothing.

        Examples
        --------
        >>> none, one = Duals(np.zeros(2), np.empty(0)), Duals(np.ones(2), np.ones(1))
        >>> none.towards(one, 0.5).charges.tolist(), one.towards(none, 0.25).charges.tolist()
        ([0.5], [0.75])
        """
        here, there = np.zeros((2, max(self.charges.size, other.charges.size)))
        here[: self.charges.size], there[: other.charges.size] = self.charges, other.charges
        return Duals(
            self.prices + share * (other.prices - self.prices),
            np.maximum(here + share * (there - here), 0.0),
        )

    def lowered(self, least: Floats) -> Duals:
        """Return the duals with each record's price lowered by `-least`."""
        return Duals(self.prices + least, self.charges)

    def total(self) -> float:
        """Return the prices less the charges."""
        return float(self.prices.sum() - self.charges.sum())

    def scale(self) -> float:
        """Return the size of the numbers in a reduced cost: what rounding is relative to."""
        return float(np.abs(self.prices).max() + self.charges.max(initial=0.0))
