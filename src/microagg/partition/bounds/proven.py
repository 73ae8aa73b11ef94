"""What a search has proved about its groups, among the details of a partition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def proven(details: Mapping[str, Any]) -> dict[str, float]:
    """Return the proven lower bound of the loss in percent and the gap to it, or nothing.

    A bound for some of the columns says nothing of all of them.

    Examples
    --------
    >>> proven({"lower_bound": 4.66, "gap": 0.002, "stopped": "time limit"})
    {'lower_bound': 4.66, 'gap': 0.002}
    """
    if "lower_bound" not in details or "columns" in details:
        return {}
    return {name: float(details[name]) for name in ("lower_bound", "gap")}
