"""The gap between what groups lose and what is proved, and the room that is left for rounding."""

from __future__ import annotations

SAFETY = 1e-9
"""By how much, relatively, a bound is lowered: much more than rounding can have raised it."""

PROVED = 2e-6
"""The gap at which groups count as the best possible: what is left is room for rounding."""


def safe(bound: float) -> float:
    """Return a bound that holds although it was counted in floating-point numbers."""
    return bound * (1 - SAFETY)


def gap_of(sse: float, bound: float) -> float:
    """Return the share of an error that better groups could save at most.

    Examples
    --------
    >>> gap_of(4.0, 3.0), gap_of(0.0, 0.0)
    (0.25, 0.0)
    """
    return max(0.0, (sse - bound) / sse) if sse > 0 else 0.0
