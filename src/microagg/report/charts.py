"""Charts as inline SVG: labelled axes, colours that everyone can tell apart, all text escaped.

Before is blue and filled, after is orange and outlined, so that they differ without colour too
(colours of Okabe and Ito).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, NamedTuple

BEFORE, AFTER, GREY, INK = "#0072B2", "#D55E00", "#8a8f98", "#22262b"
WIDTH, HEIGHT = 440, 250
LEFT, RIGHT, TOP, BOTTOM = 72, 24, 14, 46

WIDEST = 640
"""Pictures grow with the page up to this."""

MOST_NAMED = 6
"""So many choices of a map have their names beside them; more would overlap and get numbers."""

LINE = 18
"""The height of a line of a legend."""


class Point(NamedTuple):
    """A choice on the risk-utility map; `holds` tells whether its release has the k asked for."""

    name: str
    loss: float
    risk: float
    optimal: bool
    holds: bool = True

    @property
    def label(self) -> str:
        """Its name, marked where it breaks k."""
        return self.name if self.holds else f"{self.name} !"


class Axis:
    """A straight scale from data to the page."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.high = low, high if high > low else low + 1
        self.start, self.end = start, end

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self, count: int = 5) -> list[float]:
        """Return round numbers in the range.

        Examples
        --------
        >>> Axis(0, 97, 0, 1).ticks()
        [0, 20, 40, 60, 80]
        """
        rough = (self.high - self.low) / count
        unit = 10 ** math.floor(math.log10(rough))
        step = next((m * unit for m in (1, 2, 5) if m * unit >= rough), 10 * unit)
        first = math.ceil(self.low / step - 1e-9)
        return [i * step for i in range(first, math.floor(self.high / step + 1e-9) + 1)]


def number(value: float) -> str:
    """Return a number for an axis: short, with thousands apart.

    Examples
    --------
    >>> number(1234567.0), number(20000.0), number(0.25), number(3e-7)
    ('1.23M', '20,000', '0.25', '3e-07')
    """
    for limit, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if abs(value) >= limit:
            return f"{value / limit:.3g}{letter}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def svg(parts: Iterable[str], title: str, height: int = HEIGHT, width: int = WIDTH) -> str:
    """Return a whole picture with a title that screen readers say."""
    label = escape(title, quote=True)
    widest = min(round(1.5 * width), WIDEST)  # or a small picture would have huge letters
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{widest}" role="img" '
        f'aria-label="{label}">'
        f"{''.join(parts)}</svg>"
    )


def text(x: float, y: float, words: str, anchor: str = "middle", extra: str = "") -> str:
    """Return a text at a place."""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" {extra}>{escape(words)}</text>'


def frame(x: Axis, y: Axis, x_label: str, y_label: str, *, x_ticks: bool = True) -> list[str]:
    """Return axes with ticks, faint lines and labels."""
    parts = []
    for value in y.ticks(4):
        parts.append(
            f'<line class="grid" x1="{x.start}" x2="{x.end}" y1="{y(value)}" y2="{y(value)}"/>'
        )
        parts.append(text(x.start - 6, y(value) + 4, number(value), "end"))
    for value in x.ticks() if x_ticks else []:
        parts.append(
            f'<line class="axis" x1="{x(value)}" x2="{x(value)}" y1="{y.start}" y2="{y.start + 4}"/>'
        )
        parts.append(text(x(value), y.start + 17, number(value)))
    parts.append(f'<line class="axis" x1="{x.start}" x2="{x.end}" y1="{y.start}" y2="{y.start}"/>')
    parts.append(
        text((x.start + x.end) / 2, y.start + 36, _short(x_label, 50), extra='class="label"')
    )
    turned = f'class="label" transform="rotate(-90 13 {(y.start + y.end) / 2})"'
    parts.append(text(13, (y.start + y.end) / 2, y_label, extra=turned))
    return parts


def histogram(
    name: str, edges: Sequence[float], before: Sequence[int], after: Sequence[int]
) -> str:
    """Return how values are spread before (filled) and after (outlined)."""
    x = Axis(edges[0], edges[-1], LEFT, WIDTH - RIGHT)
    y = Axis(0, max(*before, *after, 1), HEIGHT - BOTTOM, TOP)
    parts = frame(x, y, name, "records")
    outline = f"M{x(edges[0])} {y(0)}"
    for left, right, old, new in zip(edges, edges[1:], before, after, strict=False):
        width = round(x(right) - x(left) - 1, 1)
        parts.append(
            f'<rect x="{x(left)}" y="{y(old)}" width="{width}" '
            f'height="{round(y(0) - y(old), 1)}" fill="{BEFORE}" fill-opacity=".45"/>'
        )
        outline += f"V{y(new)}H{x(right)}"
    parts.append(f'<path d="{outline}V{y(0)}" fill="none" stroke="{AFTER}" stroke-width="2"/>')
    return svg(parts, f"Distribution of {name} before and after")


def bars(name: str, labels: Sequence[str], before: Sequence[int], after: Sequence[int]) -> str:
    """Return counts of categories before (filled) and after (outlined)."""
    row, left = 26, 130
    height = TOP + row * len(labels) + BOTTOM
    x = Axis(0, max(*before, *after, 1), left, WIDTH - RIGHT)
    base = height - BOTTOM
    parts = []
    for value in x.ticks(4):
        parts.append(f'<line class="grid" x1="{x(value)}" x2="{x(value)}" y1="{TOP}" y2="{base}"/>')
        parts.append(text(x(value), base + 17, number(value)))
    for place, (label, old, new) in enumerate(zip(labels, before, after, strict=True)):
        y = TOP + place * row
        parts.append(text(left - 6, y + 16, _short(label, 18), "end"))
        for at, count, style in (
            (y + 3, old, f'fill="{BEFORE}" fill-opacity=".45"'),
            (y + 13, new, f'fill="none" stroke="{AFTER}" stroke-width="1.5"'),
        ):
            width = round(x(count) - left, 1)
            parts.append(f'<rect x="{left}" y="{at}" width="{width}" height="9" {style}/>')
    parts.append(text((left + WIDTH) / 2, base + 36, "records", extra='class="label"'))
    return svg(parts, f"Categories of {name} before and after", height)


def sizes(counts: Sequence[tuple[str, int]]) -> str:
    """Return how many groups have which size, a bar each size or class of sizes."""
    x = Axis(-0.6, len(counts) - 0.4, LEFT, WIDTH - RIGHT)
    y = Axis(0, 1.08 * max(count for _, count in counts), HEIGHT - BOTTOM, TOP)
    parts = frame(x, y, "records in a class", "classes", x_ticks=False)
    half = min(24.0, 0.4 * (x(1) - x(0)))
    for place, (label, count) in enumerate(counts):
        parts.append(
            f'<rect x="{x(place) - half:.1f}" y="{y(count)}" width="{2 * half:.1f}" '
            f'height="{round(y(0) - y(count), 1)}" fill="{AFTER}"/>'
        )
        small = 'class="small"' if len(counts) > 6 else ""
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
        parts.append(text(left - 6, middle, _short(name, 13), "end"))
        across = left + i * cell + cell / 2 + 3
        parts.append(
            text(across, 78, _short(name, 11), "start", f'transform="rotate(-50 {across} 78)"')
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
    return shape + text(x + cell / 2, y + cell / 2 + 4, words, extra=f'class="small" fill="{ink}"')


def cloud(lines: Sequence[tuple[float, float, float, float]]) -> str:
    """Return records (dots) joined with what replaced them (squares), on two components."""
    xs = [v for line in lines for v in (line[0], line[2])]
    ys = [v for line in lines for v in (line[1], line[3])]
    height = 330
    x = Axis(min(xs), max(xs), LEFT, WIDTH - RIGHT)
    y = Axis(min(ys), max(ys), height - BOTTOM, TOP)
    parts = frame(x, y, "first principal component", "second principal component")
    for a, b, c, d in lines:
        parts.append(f'<line class="tie" x1="{x(a)}" y1="{y(b)}" x2="{x(c)}" y2="{y(d)}"/>')
    parts += [f'<circle cx="{x(a)}" cy="{y(b)}" r="1.8" fill="{BEFORE}"/>' for a, b, _, _ in lines]
    for c, d in sorted({(x(c), y(d)) for _, _, c, d in lines}):
        parts.append(
            f'<rect x="{c - 2.5:.1f}" y="{d - 2.5:.1f}" width="5" height="5" fill="none" '
            f'stroke="{AFTER}" stroke-width="1.5"/>'
        )
    return svg(parts, "Records and what replaced them", height)


def risk_utility(choices: Sequence[Sequence[Any]], loss: str = "g-il") -> str:
    """Return the map of loss and risk; the choices that nothing beats are filled and joined.

    A choice is what makes a `Point`; one that breaks k is crossed out.
    """
    points = [Point(*choice) for choice in choices]
    height, width = 380, 640
    x = Axis(0, 1.05 * max(p[1] for p in points), LEFT, width - 24)
    y = Axis(0, 1.08 * max(p[2] for p in points), height - BOTTOM, TOP)
    parts = frame(x, y, f"loss ({loss}, %)", "risk (g-dr, %)")
    front = sorted((p for p in points if p[3]), key=lambda p: p[1])
    path = " ".join(f"{x(p[1])},{y(p[2])}" for p in front)
    parts.append(f'<polyline points="{path}" fill="none" stroke="{AFTER}" stroke-dasharray="4 3"/>')
    for point in points:
        label, lost, risk, best = point.label, point.loss, point.risk, point.optimal
        fill = AFTER if best else "none"
        parts.append(
            f'<circle cx="{x(lost)}" cy="{y(risk)}" r="4.5" fill="{fill}" '
            f'stroke="{AFTER if best else GREY}"><title>{escape(label)}</title></circle>'
        )
        if not point.holds:
            a, b = x(lost), y(risk)
            cross = f"M{a - 7:.1f} {b - 7:.1f}l14 14m0 -14l-14 14"
            parts.append(f'<path class="broken" d="{cross}" stroke="{INK}" stroke-width="1.5"/>')
    if len(front) <= MOST_NAMED:
        return svg([*parts, *_labels(front, points, x, y)], "Risk-utility map", height, width)
    numbers = [point._replace(name=str(i)) for i, point in enumerate(front, start=1)]
    parts += [*_labels(numbers, points, x, y), *_legend(front, height)]
    return svg(parts, "Risk-utility map", height + LINE * len(front) + 8, width)


def _legend(front: Sequence[Point], top: int) -> list[str]:
    """Say below the picture which choice has which number."""
    return [
        text(LEFT, top + LINE * i, f"{i}  {_short(point.label, 80)}", "start")
        for i, point in enumerate(front, start=1)
    ]


def _labels(front: Sequence[Point], points: Sequence[Point], x: Axis, y: Axis) -> list[str]:
    """Name the choices of the front beside their circles, where no other label or circle is."""
    taken = [_Area(x(p.loss) - 6, x(p.loss) + 6, y(p.risk) - 6, y(p.risk) + 6) for p in points]
    parts = []
    for point in sorted(front, key=lambda p: -p.risk):
        place = _free_place(point, x, y, taken)
        taken.append(place)
        on_the_left = place.right < x(point.loss)
        edge = round(place.right if on_the_left else place.left, 1)
        anchor = "end" if on_the_left else "start"
        parts.append(text(edge, round(place.bottom - 3, 1), point.label, anchor, 'class="name"'))
    return parts


class _Area(NamedTuple):
    """A rectangle on the page; the top has the smaller number."""

    left: float
    right: float
    top: float
    bottom: float

    def overlaps(self, other: _Area) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def _free_place(point: Point, x: Axis, y: Axis, taken: Sequence[_Area]) -> _Area:
    """Return the nearest place for a label that overlaps nothing and lies inside the picture."""
    wide, a, b = 6.3 * len(point.label) + 2, x(point.loss), y(point.risk)
    inside = _Area(x.start, x.end + RIGHT, y.end - TOP, y.start)
    places = [
        _Area(left, left + wide, b + down - 7, b + down + 7)
        for away in range(0, 200, 7)
        for down in ((-away, away) if away else (0,))
        for left in (a + 9, a - 9 - wide, a - wide / 2)
    ]
    within = [
        p for p in places if p.left >= inside.left and p.right <= inside.right
        and p.top >= inside.top and p.bottom <= inside.bottom
    ]  # fmt: skip
    free = (p for p in within if not any(map(p.overlaps, taken)))
    return next(free, (within or places)[0])


def _short(words: str, length: int) -> str:
    return words if len(words) <= length else words[: length - 1] + "…"
