"""A column before and after protection: a histogram of numbers, or bars of categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from microagg.report.charts.drawing import (
    AFTER,
    BEFORE,
    BOTTOM,
    FAINT,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Axis,
    frame,
    label,
    line,
    number,
    shortened,
    svg,
    text,
    x_tick,
)
from microagg.report.distributions import Distribution, distribution_of_values

_FILLED = f'fill="{BEFORE}" fill-opacity=".45"'
_OUTLINED = f'fill="none" stroke="{AFTER}"'


def before_and_after(
    name: str, before: Sequence[Any], after: Sequence[Any] = (), *, least: int = 0
) -> str:
    """Return the distribution of a column, of numbers or of categories, from its values.

    Parameters
    ----------
    name : str
        The name of the column.
    before, after : sequence of numbers or str
        The values in both files; None and NaN are missing values. Without `after`, only the original is
        drawn.
    least : int
        Counts of fewer records and the ends of the range are not drawn, for external readers.

    Examples
    --------
    >>> picture = before_and_after("age", [30, 32, 60, 64], [31, 31, 62, 62])
    >>> picture.count("<rect"), picture.count("<path")
    (18, 1)
    """
    return drawn(distribution_of_values(name, before, after, least))


def drawn(column: Distribution) -> str:
    """Return the picture of a distribution, or an empty text if there is nothing to draw."""
    if column.labels:
        return bars(column.name, column.labels, column.before, column.after)
    if column.edges:
        return histogram(column.name, column.edges, column.before, column.after, column.ticks)
    return ""


def histogram(
    name: str,
    edges: Sequence[float],
    before: Sequence[int],
    after: Sequence[int] = (),
    ticks: Sequence[tuple[float, str]] = (),
) -> str:
    """Return the histogram of values before (filled) and, if there are any, after (outlined).

    `ticks` are the positions of labels along the axis, if they are not numbers.
    """
    x = Axis(edges[0], edges[-1], LEFT, WIDTH - RIGHT)
    y = Axis(0, max(*before, *after, 1), HEIGHT - BOTTOM, TOP)
    parts = frame(x, y, name, "records", x_ticks=not ticks)
    parts += [part for place, words in ticks for part in x_tick(x, y, place, words)]
    for left, right, count in zip(edges, edges[1:], before, strict=False):
        width, height = round(x(right) - x(left) - 1, 1), round(y(0) - y(count), 1)
        parts.append(
            f'<rect x="{x(left)}" y="{y(count)}" width="{width}" height="{height}" {_FILLED}/>'
        )
    steps = (f"V{y(count)}H{x(right)}" for right, count in zip(edges[1:], after, strict=False))
    outline = f"M{x(edges[0])} {y(0)}{''.join(steps)}V{y(0)}"
    parts += [f'<path d="{outline}" {_OUTLINED} stroke-width="2"/>'] if len(after) else []
    return svg(parts, _title("Distribution", name, after))


def bars(name: str, labels: Sequence[str], before: Sequence[int], after: Sequence[int] = ()) -> str:
    """Return bars of categories before (filled) and, if there are any, after (outlined)."""
    row, left = 26, 130
    height = TOP + row * len(labels) + BOTTOM
    x = Axis(0, max(*before, *after, 1), left, WIDTH - RIGHT)
    base = height - BOTTOM
    parts = []
    for value in x.ticks(4):
        parts.append(line(x(value), x(value), TOP, base, FAINT))
        parts.append(text(x(value), base + 17, number(value)))
    for place, category in enumerate(labels):
        parts.append(text(left - 6, TOP + place * row + 16, shortened(category, 18), "end"))
    kinds = ((3, before, _FILLED), (13, after, f'{_OUTLINED} stroke-width="1.5"'))
    for down, counts, style in kinds:
        for place, count in enumerate(counts):
            y, width = TOP + place * row + down, round(x(count) - left, 1)
            parts.append(f'<rect x="{left}" y="{y}" width="{width}" height="9" {style}/>')
    parts.append(label((left + WIDTH) / 2, base + 36, "records"))
    return svg(parts, _title("Categories", name, after), height)


def _title(what: str, name: str, after: Sequence[int]) -> str:
    return f"{what} of {name} before and after" if len(after) else f"{what} of {name}"
