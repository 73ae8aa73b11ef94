"""A tree of names as text and as a picture: boxes from left to right, joined by curves.

Filled boxes mark the selected columns; a curve is wider if its edge is heavier.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from microagg.errors import MissingDependencyError, quoted_name
from microagg.notebook import plain_label
from microagg.report.charts.drawing import AFTER, GREY, INK, as_file, shortened, svg, text

Edge = tuple[str, str, float]

BOX, GAP, ROW, MARGIN = 132, 62, 36, 14
"""The width of a box, the gap between columns of boxes, the height of a row, and the margin."""

WIDEST = 6.0
"""The width of the curve of the heaviest edge."""


@dataclass(frozen=True)
class Node:
    """A place in a rooted tree, and on the page in units of columns and rows."""

    name: str
    depth: int
    row: float
    parent: str | None
    weight: float


def rooted(root: str, edges: Sequence[Edge]) -> list[Node]:
    """Return the tree in order, parents before children, heavier edges first.

    A leaf has its own row; other nodes are centred on their children.

    Examples
    --------
    >>> [(n.name, n.depth, n.row) for n in rooted("a", [("a", "b", 2.0), ("c", "a", 1.0)])]
    [('a', 0, 0.5), ('b', 1, 0.0), ('c', 1, 1.0)]
    """
    beside: dict[str, list[tuple[float, str]]] = {root: []}
    for one, other, weight in edges:
        beside.setdefault(one, []).append((-weight, other))
        beside.setdefault(other, []).append((-weight, one))
    above: dict[str, tuple[str | None, int, float]] = {}
    waiting: list[tuple[str, str | None, int, float]] = [(root, None, 0, 0.0)]
    while waiting:  # a chain of columns may be deeper than Python lets functions call each other
        name, parent, depth, weight = waiting.pop()
        above[name] = parent, depth, weight
        below = [(other, -less) for less, other in sorted(beside[name]) if other != parent]
        waiting += [(other, name, depth + 1, heavy) for other, heavy in reversed(below)]
    rows = _rows({name: parent for name, (parent, _, _) in above.items()})
    return [
        Node(name, depth, rows[name], parent, weight)
        for name, (parent, depth, weight) in above.items()
    ]


def _rows(parents: Mapping[str, str | None]) -> dict[str, float]:
    """Return the row of each name, from a list with parents before children."""
    children: dict[str, list[str]] = {name: [] for name in parents}
    for name, parent in parents.items():
        if parent is not None:
            children[parent].append(name)
    leaves = (name for name in parents if not children[name])
    rows = {name: float(row) for row, name in enumerate(leaves)}
    for name in reversed(list(parents)):
        if children[name]:
            rows[name] = (rows[children[name][0]] + rows[children[name][-1]]) / 2
    return rows


def indented(nodes: Sequence[Node], chosen: Collection[str]) -> str:
    """Return the tree as lines; the parent of a column is above it, with less indentation."""
    labels = [
        f"{'  ' * n.depth}{quoted_name(n.name)}{' *' if n.name in chosen else ''}" for n in nodes
    ]
    width = max(map(len, labels))
    lines = [
        label if node.parent is None else f"{label:<{width}}  {node.weight:8.4f}"
        for label, node in zip(labels, nodes, strict=True)
    ]
    return "\n".join([*lines, ""])


def picture(nodes: Sequence[Node], chosen: Collection[str], title: str) -> str:
    """Return the tree as a self-contained SVG file."""
    parts = [
        "<style>text{font:13px system-ui,sans-serif;fill:#22262b}.small{font-size:11px;"
        "fill:#5c626b;paint-order:stroke;stroke:#fff;stroke-width:3px}</style>"
    ]
    heaviest = max(node.weight for node in nodes)
    for x1, y1, x2, y2, node in _links(nodes):
        half = (x1 + x2) / 2
        parts.append(
            f'<path d="M{x1},{y1} C{half},{y1} {half},{y2} {x2},{y2}" fill="none" '
            f'stroke="{GREY}" stroke-width="{_thickness(node, heaviest):.1f}"/>'
        )
        parts.append(text(x2 - 4, y2 - 7, f"{node.weight:.3f}", "end", 'class="small"'))
    for node in nodes:
        x, y = _corner(node)
        style = f'fill="{AFTER}" fill-opacity=".25" stroke="{AFTER}" stroke-width="2"'
        plain = f'fill="#fff" stroke="{INK}"'
        parts.append(
            f'<rect x="{x}" y="{y - 12}" width="{BOX}" height="24" rx="6" '
            f"{style if node.name in chosen else plain}/>"
        )
        parts.append(text(x + BOX / 2, y + 5, shortened(node.name, 18)))
    width, height = _extent(nodes)
    return as_file(svg(parts, title, height, width))


def save_png(nodes: Sequence[Node], chosen: Collection[str], title: str, path: Path) -> None:
    """Draw the same with matplotlib, as a PNG, whatever settings of matplotlib the folder or the user has.

    A file `matplotlibrc` beside the records may come from their author, and could have LaTeX run on names.
    """
    try:
        import matplotlib.figure
    except ImportError:
        raise MissingDependencyError(
            "A PNG picture needs matplotlib.",
            hint="Install it with: pip install 'microagg[plots]'. Or write the picture as .svg.",
        ) from None
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        _draw_png(nodes, chosen, title, path)


def _draw_png(nodes: Sequence[Node], chosen: Collection[str], title: str, path: Path) -> None:
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyBboxPatch

    width, height = _extent(nodes)
    figure = Figure(figsize=(width / 72, height / 72 + 0.4), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(height, -29))
    axes.axis("off")
    axes.text(MARGIN, -12, plain_label(title), fontsize=11, color=INK)
    heaviest = max(node.weight for node in nodes)
    for x1, y1, x2, y2, node in _links(nodes):
        axes.plot([x1, x2], [y1, y2], color=GREY, linewidth=_thickness(node, heaviest), zorder=1)
        number = axes.text(x2 - 4, y2 - 6, f"{node.weight:.3f}", fontsize=8, ha="right")
        number.set(color="#5c626b", bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})
    for node in nodes:
        x, y = _corner(node)
        own = {"facecolor": "#f6d5c1", "edgecolor": AFTER, "linewidth": 2.0}
        plain = {"facecolor": "white", "edgecolor": INK}
        style = own if node.name in chosen else plain
        axes.add_patch(FancyBboxPatch((x, y - 12), BOX, 24, "round,pad=0,rounding_size=6", **style))
        axes.text(
            x + BOX / 2,
            y,
            plain_label(shortened(node.name, 18)),
            fontsize=9,
            ha="center",
            va="center",
        )
    figure.savefig(path, format="png", dpi=120, metadata={"Software": None})


def _links(nodes: Sequence[Node]) -> Iterator[tuple[float, float, float, float, Node]]:
    """Yield where each edge starts and ends, and the node it leads to."""
    by_name = {node.name: node for node in nodes}
    for node in nodes:
        if node.parent is not None:
            start, end = _corner(by_name[node.parent]), _corner(node)
            yield start[0] + BOX, start[1], end[0], end[1], node


def _corner(node: Node) -> tuple[float, float]:
    """Return the left end and the middle of a box."""
    return MARGIN + node.depth * (BOX + GAP), MARGIN + ROW * (node.row + 0.5)


def _extent(nodes: Sequence[Node]) -> tuple[int, int]:
    deep, rows = max(n.depth for n in nodes), max(n.row for n in nodes) + 1
    return 2 * MARGIN + BOX + deep * (BOX + GAP), int(2 * MARGIN + ROW * rows)


def _thickness(node: Node, heaviest: float) -> float:
    return max(1.0, WIDEST * node.weight / heaviest) if heaviest > 0 else 1.0
