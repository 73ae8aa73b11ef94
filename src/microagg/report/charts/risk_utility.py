"""The risk-utility map: loss to the right, risk upwards, labels that do not overlap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, NamedTuple

from microagg.report.charts.drawing import (
    AFTER,
    BOTTOM,
    GREY,
    INK,
    LEFT,
    RIGHT,
    TOP,
    Axis,
    frame,
    line,
    shortened,
    svg,
    text,
)

MOST_NAMED = 6
"""The maximum number of settings with names on the map; more settings get numbers."""

LINE = 18
"""The height of a line of the legend."""

LETTER, HALF = 6.3, 7
"""The width of a character and half the height of a line."""

CLEARANCE, FARTHEST = 9, 300
"""The minimum and the maximum distance of a label from its circle."""


class MapPoint(NamedTuple):
    """A setting on the risk-utility map.

    Attributes
    ----------
    name : str
        The name of the setting.
    loss, risk : float
        Its loss and risk, in percent.
    optimal : bool
        Whether it is Pareto-optimal.
    holds : bool
        Whether its release has the requested k; if not, it is marked with a cross.
    recommended : bool
        Whether it is marked with a ring.
    named : bool, optional
        Whether it has a label; by default if it is Pareto-optimal or recommended.
    """

    name: str
    loss: float
    risk: float
    optimal: bool
    holds: bool = True
    recommended: bool = False
    named: bool | None = None

    @property
    def label(self) -> str:
        """Its name, marked if its release does not satisfy k."""
        return self.name if self.holds else f"{self.name} !"


class _Area(NamedTuple):
    """A rectangle on the page; the top has the smaller coordinate."""

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

    def contains(self, other: _Area) -> bool:
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.top <= other.top
            and other.bottom <= self.bottom
        )

    def distance(self, x: float, y: float) -> float:
        """Return how far the rectangle is from a point, along the farther axis."""
        across = max(self.left - x, x - self.right, 0.0)
        down = max(self.top - y, y - self.bottom, 0.0)
        return max(across, down)


def risk_utility(points: Iterable[Sequence[Any]], loss: str = "g-il") -> str:
    """Return the map of loss and risk; Pareto-optimal settings are filled and joined.

    Parameters
    ----------
    points : iterable of MapPoint
        The settings, or tuples with the same parts.
    loss : str
        The name of the measure of loss, for the axis.

    Examples
    --------
    >>> picture = risk_utility([("mdav, k=3", 10.0, 5.0, True), ("mdav, k=5", 14.0, 6.0, False)])
    >>> ">mdav, k=3</text>" in picture, ">mdav, k=5</text>" in picture
    (True, False)
    """
    drawn = [MapPoint(*point) for point in points]
    height, width = 380, 640
    x = Axis(0, 1.05 * max(p.loss for p in drawn), LEFT, width - RIGHT)
    y = Axis(0, 1.08 * max(p.risk for p in drawn), height - BOTTOM, TOP)
    front = sorted((p for p in drawn if p.optimal), key=lambda p: p.loss)
    path = " ".join(f"{x(p.loss)},{y(p.risk)}" for p in front)
    parts = frame(x, y, f"loss ({loss}, %)", "risk (g-dr, %)")
    parts.append(f'<polyline points="{path}" fill="none" stroke="{AFTER}" stroke-dasharray="4 3"/>')
    parts += [_circle(point, x(point.loss), y(point.risk)) for point in drawn]
    named = sorted(filter(_has_label, drawn), key=lambda p: p.loss)
    labels = _labels(named, drawn, x, y) if len(named) <= MOST_NAMED else []
    if len(labels) == len(named):
        return svg([*parts, *labels], "Risk-utility map", height, width)
    numbers = [point._replace(name=str(i), holds=True) for i, point in enumerate(named, start=1)]
    parts += [*_labels(numbers, drawn, x, y), *_legend(named, height)]
    return svg(parts, "Risk-utility map", height + LINE * len(named) + 8, width)


def _has_label(point: MapPoint) -> bool:
    return point.optimal or point.recommended if point.named is None else point.named


def _circle(point: MapPoint, x: float, y: float) -> str:
    fill, stroke = (AFTER, AFTER) if point.optimal else ("none", GREY)
    picture = (
        f'<circle cx="{x}" cy="{y}" r="4.5" fill="{fill}" stroke="{stroke}">'
        f"<title>{escape(point.label)}</title></circle>"
    )
    if point.recommended:
        picture += f'<circle cx="{x}" cy="{y}" r="8" fill="none" stroke="{INK}"/>'
    if not point.holds:
        cross = f"M{x - 7:.1f} {y - 7:.1f}l14 14m0 -14l-14 14"
        picture += f'<path class="broken" d="{cross}" stroke="{INK}" stroke-width="1.5"/>'
    return picture


def _legend(named: Sequence[MapPoint], top: int) -> list[str]:
    """Return a legend of numbered settings below the picture."""
    return [
        text(LEFT, top + LINE * i, f"{i}  {shortened(point.label, 80)}", "start")
        for i, point in enumerate(named, start=1)
    ]


def _labels(named: Sequence[MapPoint], points: Sequence[MapPoint], x: Axis, y: Axis) -> list[str]:
    """Place labels beside circles; settings without a free place have no label."""
    taken = [_Area(x(p.loss) - 8, x(p.loss) + 8, y(p.risk) - 8, y(p.risk) + 8) for p in points]
    inside = _Area(x.start, x.end + RIGHT, y.end - TOP, y.start)
    labels = []
    for point in sorted(named, key=lambda p: -p.risk):
        a, b = x(point.loss), y(point.risk)
        place = _free_place(LETTER * len(point.label) + 2, a, b, inside, taken)
        if place is not None:
            taken.append(place)
            labels.append(_leader(place, a, b) + _text(place, a, point.label))
    return labels


def _text(place: _Area, x: float, words: str) -> str:
    """Return a label with a white outline; it begins or ends at the point nearest to its circle."""
    on_the_left = place.right < x
    edge = round(place.right if on_the_left else place.left, 1)
    halo = 'class="name" paint-order="stroke" stroke="#fff" stroke-width="4"'
    anchor = "end" if on_the_left else "start"
    return text(edge, round(place.bottom - 3, 1), words, anchor, halo)


def _leader(place: _Area, x: float, y: float) -> str:
    """Connect a label with its circle if it is not next to it."""
    if place.distance(x, y) <= 2 * CLEARANCE:
        return ""
    end_x = min(max(x, place.left), place.right)
    end_y = min(max(y, place.top), place.bottom)
    return line(x, round(end_x, 1), y, round(end_y, 1))


def _free_place(
    width: float, x: float, y: float, inside: _Area, taken: Sequence[_Area]
) -> _Area | None:
    """Return the nearest place for a label that overlaps nothing and lies inside the picture."""
    for away in range(0, FARTHEST, HALF):
        beside = [
            (left, down)
            for down in range(-away, away + 1, HALF)
            for left in (x + CLEARANCE + away, x - CLEARANCE - away - width)
        ]
        above = [
            (x - width / 2 + across, down)
            for down in ((-away, away) if away else ())
            for across in range(-away, away + 1, HALF)
        ]
        for left, down in (*beside, *above):
            place = _Area(left, left + width, y + down - HALF, y + down + HALF)
            if inside.contains(place) and not any(map(place.overlaps, taken)):
                return place
    return None
