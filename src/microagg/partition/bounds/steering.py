"""Steering of a column generation: which prices to try, and how hard to look for cheaper groups.

- Prices are trusted only near the best known, and only part of the way: a step that raises the bound moves
  the centre and widens the box, one that does not narrows it.
- Pricing looks at few near records until that finds little, then at all. Where that takes too much work,
  the step is shortened: the nearer to prices that have been proved, the less there is to look at.
"""

from __future__ import annotations

from dataclasses import replace

from microagg.partition.bounds.duals import Duals
from microagg.partition.bounds.pricing import Effort, Priced

FIRST_EFFORT = Effort(width=20, work=20_000)
WHOLE = 2**62
"""More than any width or work."""

EXACT_WORK = 1_000_000
"""Records looked at from one root before a step is called too long, at first."""

FIRST_SHARE = 0.5
"""How far from the centre to the prices of the master problem to price, at first."""

SHORTEST = 1e-3
"""The least of that share: a step so short that is too long all the same is the last."""

NARROWEST, NARROW = 1e-3, 0.1
"""The least width of the box, and its width around prices of parts."""


class Steering:
    """The centre that prices are kept near, and the effort of pricing.

    Parameters
    ----------
    duals : Duals
        The first centre.

    Attributes
    ----------
    centre : Duals
        The best duals so far. While pricing looks at few records, they are ahead of what is proved.
    reached : float
        What the centre adds up to.
    width : float
        The width of the box around it.
    effort : Effort
        How hard pricing looks.
    missed : bool
        Whether the last pricing found little.
    """

    def __init__(self, duals: Duals) -> None:
        self.centre, self.reached = duals, duals.total()
        self.width, self._share = 1.0, FIRST_SHARE
        self.effort, self.missed = FIRST_EFFORT, False

    @property
    def exact(self) -> bool:
        """Whether pricing looks at all records by now."""
        return self.effort.width == WHOLE

    @property
    def trusted(self) -> float:
        """How far on the way from the centre to the prices of the master problem to price.

        Quick pricing goes part of the way, and all of it when that has found little.
        """
        return 1.0 if self.missed and not self.exact else self._share

    def towards(self, duals: Duals) -> Duals:
        """Return the duals to price at, on the way from the centre to others."""
        return self.centre.towards(duals, self.trusted)

    def return_to(self, proved: Duals, bound: float) -> None:
        """Take what is proved for the centre."""
        self.centre, self.reached = proved, bound

    def move(self, duals: Duals, priced: Priced) -> None:
        """Move the centre to better duals and trust more, or trust less."""
        if self.exact and not priced.exhausted:
            self._share = max(self._share / 2, SHORTEST)
        elif priced.bound > self.reached:
            self.return_to(duals.lowered(priced.least), priced.bound)
            self.width, self._share = min(self.width * 1.5, 1.0), min(self._share * 1.2, 1.0)
        else:
            self._share = max(self._share / 1.5, 0.3)
            if self.exact:
                self.width = max(self.width / 1.5, NARROWEST)

    def work_more(self) -> None:
        """Let exact pricing look at twice as many records."""
        self.effort = replace(self.effort, work=min(2 * self.effort.work, WHOLE))

    def look_at_few(self) -> None:
        """Price quickly from now on."""
        self.effort = FIRST_EFFORT

    def look_at_all(self, proved: Duals, bound: float) -> None:
        """Price exactly from now on, starting from what is proved."""
        self.effort, self._share = Effort(WHOLE, EXACT_WORK), FIRST_SHARE
        self.return_to(proved, bound)
