"""The common parts of all charts: colours that everyone can distinguish, axes, escaped text.

Before is blue and filled, after is orange and outlined, so that they differ without colour too
(colours of Okabe and Ito).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape

BEFORE, AFTER, GREY, INK = "#0072B2", "#D55E00", "#8a8f98", "#22262b"
SOFT, FAINT = "#5a626c", "#e8ebee"
WIDTH, HEIGHT = 440, 250
LEFT, RIGHT, TOP, BOTTOM = 72, 24, 14, 46

WIDEST = 640
"""The maximum width of pictures, which grow with the page."""

SMALL = 'font-size="9.5"'


class Axis:
    """A linear scale from data to the page."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.high = low, high if high > low else low + 1
        self.start, self.end = start, end

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self, count: int = 5) -> list[float]:
        """Return round numbers within the range.

        Examples
        --------
        >>> Axis(0, 97, 0, 1).ticks()
        [0, 20, 40, 60, 80]
        """
        rough = (self.high - self.low) / count
        unit = 10 ** math.floor(math.log10(rough))
        step = next((m * unit for m in (1, 2, 2.5, 5) if m * unit >= rough), 10 * unit)
        first = math.ceil(self.low / step - 1e-9)
        return [i * step for i in range(first, math.floor(self.high / step + 1e-9) + 1)]


def number(value: float) -> str:
    """Return a short number for an axis, with thousands separators.

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
    """Return a complete picture with a title for screen readers."""
    label = escape(title, quote=True)
    widest = min(round(1.5 * width), WIDEST)  # or a small picture would have huge letters
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{widest}" role="img" aria-label="{label}" '
        f'font-family="system-ui, sans-serif" font-size="11.5" fill="{INK}">{"".join(parts)}</svg>'
    )


def as_file(picture: str) -> str:
    """Return a picture as the content of an SVG file.

    Examples
    --------
    >>> as_file(svg([], "Nothing"))[:48]
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox='
    """
    return picture.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)


def text(x: float, y: float, words: str, anchor: str = "middle", extra: str = "") -> str:
    """Return a text at a position."""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" {extra}>{escape(words)}</text>'


def line(x1: float, x2: float, y1: float, y2: float, colour: str = GREY) -> str:
    """Return a thin line."""
    return f'<line x1="{x1}" x2="{x2}" y1="{y1}" y2="{y2}" stroke="{colour}"/>'


def label(x: float, y: float, words: str, extra: str = "") -> str:
    """Return the name of an axis."""
    return text(x, y, words, extra=f'class="label" fill="{SOFT}" {extra}')


def frame(x: Axis, y: Axis, x_label: str, y_label: str, *, x_ticks: bool = True) -> list[str]:
    """Return axes with ticks, faint lines and labels."""
    parts = []
    for value in y.ticks(4):
        parts.append(line(x.start, x.end, y(value), y(value), FAINT))
        parts.append(text(x.start - 6, y(value) + 4, number(value), "end"))
    for value in x.ticks() if x_ticks else []:
        parts += x_tick(x, y, value, number(value))
    parts.append(line(x.start, x.end, y.start, y.start))
    parts.append(label((x.start + x.end) / 2, y.start + 36, shortened(x_label, 50)))
    middle = (y.start + y.end) / 2
    parts.append(label(13, middle, y_label, f'transform="rotate(-90 13 {middle})"'))
    return parts


def x_tick(x: Axis, y: Axis, value: float, words: str) -> list[str]:
    """Return a tick of the horizontal axis with its label."""
    place = x(value)
    return [line(place, place, y.start, y.start + 4), text(place, y.start + 17, words)]


def shortened(words: str, length: int) -> str:
    """Return text that is shortened to a maximum number of characters."""
    return words if len(words) <= length else words[: length - 1] + "…"
