"""What released numbers are rounded to, and which keep a type of integers."""

from __future__ import annotations

from microagg.errors import ParameterError
from microagg.prepare.options import Options
from microagg.prepare.read_records import Ready


def steps_of(ready: Ready, options: Options) -> dict[str, float]:
    """Return what each column is rounded to; only numbers can be."""
    for name in options.round_to:
        if ready.columns[name].kind != "continuous" or name in ready.calendars:
            raise ParameterError(
                f"is for numbers, and {name!r} holds none.",
                parameter="round_to",
                hint="Dates come back in steps of their own, categories as they are.",
            )
    return {name: float(step) for name, step in options.round_to.items()}


def whole_columns(ready: Ready, options: Options) -> list[str]:
    """Return the columns that keep a type of integers."""
    steps = options.round_to
    return [
        name
        for name in ready.columns
        if (options.integers == "round" if name not in steps else float(steps[name]).is_integer())
    ]
