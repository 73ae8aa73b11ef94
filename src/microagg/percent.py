"""Shares in percent, written in the same way everywhere."""

from __future__ import annotations


def short_percent(value: float) -> str:
    """Return a share in percent, with a suitable number of digits.

    Examples
    --------
    >>> [short_percent(v) for v in (0.0, 0.04, 3.21, 48.5, 99.96, 100.0)]
    ['0 %', '0.04 %', '3.2 %', '48.5 %', 'above 99.9 %', '100 %']
    """
    if value in (0.0, 100.0):
        return f"{value:.0f} %"
    if value > 99.9:
        return "above 99.9 %"
    return f"{value:.2g} %" if value < 10 else f"{value:.1f} %"
