"""How results appear in notebooks: HTML tables, and axes of matplotlib to draw on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from microagg.errors import MicroaggError, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 30
"""Rows of a table that a notebook shows."""

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7")
"""The palette of Okabe and Ito without black and yellow, which colour-blind readers can distinguish."""

BEFORE, AFTER, GREY = "#999999", "#0072B2", "#666666"


def html_table(rows: Sequence[Mapping[str, Any]], caption: str = "") -> str:
    """Return rows as an HTML table; every text is escaped.

    Examples
    --------
    >>> html_table([{"k": 5, "loss": 1.25}], "Two <cells>")
    '<table><caption>Two &lt;cells&gt;</caption><thead><tr><th>k</th><th>loss</th></tr></thead>\
<tbody><tr><td>5</td><td>1.25</td></tr></tbody></table>'
    """
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    heads = "".join(f"<th>{escape(str(name))}</th>" for name in (rows[0] if rows else ()))
    lines = "".join(
        f"<tr>{''.join(f'<td>{escape(_cell(value))}</td>' for value in row.values())}</tr>"
        for row in rows[:MOST_ROWS]
    )
    more = f"<p>… and {len(rows) - MOST_ROWS} more rows</p>" if len(rows) > MOST_ROWS else ""
    body = f"<thead><tr>{heads}</tr></thead><tbody>{lines}</tbody>"
    return visible(f"<table>{title}{body}</table>{more}")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def plain_label(text: object) -> str:
    r"""Return text for a plot: dollar signs begin no formula, and control characters are codes.

    Examples
    --------
    >>> print(plain_label("cost in $ or $1000"))
    cost in \$ or \$1000
    """
    return visible(str(text)).replace("$", "\\$")


def axes_or_new(ax: Axes | None) -> Axes:
    """Return the axes given, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MicroaggError(
            "Plots need matplotlib, which is not installed.",
            hint="Install it with: pip install 'microagg[plots]'",
        ) from None
    return plt.subplots(layout="constrained")[1]
