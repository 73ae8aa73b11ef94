"""Noise of the discrete Laplace distribution, drawn exactly: no floating-point number takes part.

Reference: Canonne, Kamath and Steinke 2020, The Discrete Gaussian for Differential Privacy,
algorithms 1 and 2.

Why: the usual way, -b sign(u) ln(1 - 2|u|) in float64, reaches only some of the numbers, and which
ones depends on the value that it is added to; Mironov 2012 (On significance of the least significant
bits for differential privacy) recovers the value from that. Here values, noise and their sum are
integers, and every probability is a ratio of integers, so the noise has the distribution that the
proof speaks of. What is not defended: the time that drawing takes depends on the noise.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from fractions import Fraction

RandomBelow = Callable[[int], int]
"""A function that returns an integer from 0 to less than its argument, each as likely."""


def discrete_laplace(scale: Fraction, below: RandomBelow = secrets.randbelow) -> int:
    """Return an integer z with probability proportional to exp(-|z| / scale).

    Random numbers come from the operating system unless tests pass another source: anyone who knows a seed
    can take the noise away again.
    """
    s, t = scale.denominator, scale.numerator
    while True:
        u = below(t)
        if not _happens_exp(u, t, below):
            continue
        whole = 0
        while _happens_exp(1, 1, below):
            whole += 1
        size = (u + t * whole) // s
        negative = below(2) == 1
        if not (negative and size == 0):  # 0 would come twice as often
            return -size if negative else size


def _happens_exp(a: int, b: int, below: RandomBelow) -> bool:
    """Return True with probability exp(-a/b), for 0 <= a <= b."""
    k = 1
    while below(b * k) < a:
        k += 1
    return k % 2 == 1
