"""Charts of group sizes, correlations, and records with their representatives."""

from __future__ import annotations

from collections.abc import Sequence

from microagg.report.charts.drawing import (
    AFTER,
    BEFORE,
    BOTTOM,
    HEIGHT,
    INK,
    LEFT,
    RIGHT,
    SMALL,
    TOP,
    WIDTH,
    Axis,
    frame,
    shortened,
    svg,
    text,
)


def sizes(counts: Sequence[tuple[str, int]]) -> str:
    """Return a bar chart of the number of groups of each size, or range of sizes."""
    x = Axis(-0.6, len(counts) - 0.4, LEFT, WIDTH - RIGHT)
    y = Axis(0, 1.08 * max(count for _, count in counts), HEIGHT - BOTTOM, TOP)
    parts = frame(x, y, "records in a class", "classes", x_ticks=False)
    half = min(24.0, 0.4 * (x(1) - x(0)))
    for place, (label, count) in enumerate(counts):
        parts.append(
            f'<rect x="{x(place) - half:.1f}" y="{y(count)}" width="{2 * half:.1f}" '
            f'height="{round(y(0) - y(count), 1)}" fill="{AFTER}"/>'
        )
        small = SMALL if len(counts) > 6 else ""
        parts.append(text(x(place), y.start + 17, label, extra=small))
        parts.append(text(x(place), y(count) - 3, f"{count:,}", extra=small))
    return svg(parts, "Group sizes")


def correlations(names: Sequence[str], values: Sequence[Sequence[float]], title: str) -> str:
    """Return a matrix of numbers from -1 to 1: blue is positive, orange negative."""
    left, cell = 96, max(16, min(34, 330 // len(names)))
    width, height = left + cell * len(names) + 48, 92 + cell * len(names)
    parts = []
    for i, name in enumerate(names):
        middle = 84 + i * cell + cell / 2 + 4
        parts.append(text(left - 6, middle, shortened(name, 13), "end"))
        across = left + i * cell + cell / 2 + 3
        parts.append(
            text(across, 78, shortened(name, 11), "start", f'transform="rotate(-50 {across} 78)"')
        )
        for j, value in enumerate(values[i]):
            parts.append(_cell(left + j * cell, 84 + i * cell, cell, value))
    return svg(parts, title, int(height), int(width))


def _cell(x: float, y: float, cell: int, value: float) -> str:
    colour, ink = (BEFORE if value >= 0 else AFTER), ("#fff" if abs(value) > 0.6 else INK)
    shape = (
        f'<rect x="{x}" y="{y}" width="{cell - 1}" height="{cell - 1}" '
        f'fill="{colour}" fill-opacity="{min(abs(value), 1):.2f}" stroke="#e4e6ea"/>'
    )
    if cell < 22:
        return shape
    words = f"{round(value, 2) + 0.0:.2f}".replace("0.", ".")  # never -0.00
    return shape + text(x + cell / 2, y + cell / 2 + 4, words, extra=f'{SMALL} fill="{ink}"')


def cloud(lines: Sequence[tuple[float, float, float, float]]) -> str:
    """Return a plot of records (dots) and their representatives (squares) on two components."""
    xs = [v for line in lines for v in (line[0], line[2])]
    ys = [v for line in lines for v in (line[1], line[3])]
    height = 330
    x = Axis(min(xs), max(xs), LEFT, WIDTH - RIGHT)
    y = Axis(min(ys), max(ys), height - BOTTOM, TOP)
    parts = frame(x, y, "first principal component", "second principal component")
    for a, b, c, d in lines:
        parts.append(f'<path d="M{x(a)} {y(b)}L{x(c)} {y(d)}" stroke="#b9c3cd" stroke-width=".7"/>')
    parts += [f'<circle cx="{x(a)}" cy="{y(b)}" r="1.8" fill="{BEFORE}"/>' for a, b, _, _ in lines]
    for c, d in sorted({(x(c), y(d)) for _, _, c, d in lines}):
        parts.append(
            f'<rect x="{c - 2.5:.1f}" y="{d - 2.5:.1f}" width="5" height="5" fill="none" '
            f'stroke="{AFTER}" stroke-width="1.5"/>'
        )
    return svg(parts, "Records and their representatives", height)
