"""Rounding released numbers to the step of their column, such as whole numbers or cents."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

import numpy as np

from microagg.errors import ParameterError
from microagg.prepare.column import Column
from microagg.typing import Floats


def rounded(values: Floats, step: float) -> Floats:
    """Round to multiples of `step`, half to even; the result is the decimal number that would be written.

    Examples
    --------
    >>> rounded(np.array([33.333, 0.295]), 0.01)
    array([33.33,  0.3 ])
    >>> rounded(np.array([33.333]), 5)
    array([35.])
    """
    with np.errstate(over="ignore"):
        parts = 1.0 / step
    if step < 1 and np.isfinite(parts) and abs(parts - np.rint(parts)) < 1e-9 * parts:
        # By division, because 0.01 is no binary number but 100 is.
        return np.asarray(np.rint(values * np.rint(parts)) / np.rint(parts))
    with np.errstate(over="ignore"):
        multiples = np.rint(values / step)
    # A step that is finer than the values themselves leaves them as they are.
    return np.where(np.isfinite(multiples), multiples * step, values)


def steps_of(
    columns: Mapping[str, Column], dates: Container[str], round_to: Mapping[str, float]
) -> dict[str, float]:
    """Return the step of each column that is rounded, or raise for a column without numbers."""
    for name in round_to:
        if columns[name].kind != "continuous" or name in dates:
            raise ParameterError(
                f"applies to numbers, and {name!r} contains none.",
                parameter="round_to",
                hint="Dates and categories cannot be rounded.",
            )
    return {name: float(step) for name, step in round_to.items()}


def whole_columns(
    columns: Iterable[str], round_to: Mapping[str, float], integers: str
) -> list[str]:
    """Return the columns that keep an integer type."""
    return [
        name
        for name in columns
        if (integers == "round" if name not in round_to else float(round_to[name]).is_integer())
    ]
