"""`select_columns`: which columns to group on, with the tree that says why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.constraints import OneOf, check
from microagg.data.atomic import replacing
from microagg.data.frames import Frame
from microagg.data.matrix import columns_of
from microagg.prepare.select import emad
from microagg.report.tree import Node, indented, picture, rooted, save_png

MEASURES = {
    "emi": "expected mutual information",
    "chi2": "chi-squared",
    "normal": "mutual information of normal columns",
}
"""The measures in words."""

MOST = 3
"""How many columns are chosen when nothing else is asked for."""


@dataclass(frozen=True, eq=False)
class Selection:
    """The columns to group on, and how all columns depend on each other.

    Attributes
    ----------
    columns : tuple of str
        The most connected columns, in the order in which they were taken.
    tied : tuple of str
        Those with as many edges as the last one taken: it might have been any of them.
    tree : tuple of (str, str, float)
        The dependence tree: two columns and the weight of their edge, the heaviest first.
    names : tuple of str
        All columns.
    weights : float64[d, d]
        The weight of each pair of columns, in the order of `names`.
    measure : str
        What was weighed: "emi", "chi2" or "normal".
    width : float or None
        That of the intervals; None when they hold as many records each.
    """

    columns: tuple[str, ...]
    tied: tuple[str, ...]
    tree: tuple[tuple[str, str, float], ...]
    names: tuple[str, ...]
    weights: NDArray[np.float64]
    measure: str
    width: float | None

    def __repr__(self) -> str:
        return f"Selection(columns={list(self.columns)}, measure={self.measure!r})"

    @property
    def edges(self) -> Mapping[str, int]:
        """How many edges of the tree each column has."""
        return {name: sum(name in edge[:2] for edge in self.tree) for name in self.names}

    def text(self) -> str:
        """Return the tree as lines of text; a star marks the columns to group on."""
        return indented(self._nodes(), self.columns)

    def svg(self) -> str:
        """Return the tree as a picture."""
        return picture(self._nodes(), self.columns, self._title())

    def save_picture(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the tree as a picture: ``.svg``, or ``.png``, which needs matplotlib."""
        suffix = Path(path).suffix.lower()
        check("picture", suffix, OneOf((".svg", ".png")), "save_picture")
        with replacing(path, overwrite=overwrite) as (beside,):
            if suffix == ".png":
                save_png(self._nodes(), self.columns, self._title(), beside)
            else:
                beside.write_text(self.svg(), encoding="utf-8")

    def _nodes(self) -> list[Node]:
        return rooted(self.columns[0], self.tree)

    def _title(self) -> str:
        return f"Dependence tree by {MEASURES[self.measure]}"


def select_columns(
    data: Any,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    m: int | None = None,
    measure: str = "emi",
    width: float | None = None,
) -> Selection:
    """Find the columns that stand for the others: the most connected ones of a dependence tree.

    Parameters
    ----------
    data : array or DataFrame
        The records.
    quasi_identifiers : list of column names, optional
        The columns to choose from; all when not given.
    m : int, optional
        How many to choose; 3 when not given, as in the literature, or all if there are fewer.
    measure : {"emi", "chi2", "normal"}
        How much two columns say about each other: expected mutual information, chi-squared, or
        the mutual information of normal columns, which follows from their correlation.
    width : float, optional
        That of the intervals into which the values of every column are cut, from its minimum
        on. Without it, n^(1/3) intervals of as many records each. Not for "normal".

    Returns
    -------
    Selection
        Its `columns` go into ``partition(..., columns=...)`` or ``protect(..., columns=...)``.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 30, 40, 50], "pay": [2, 3, 4, 5], "id": [3, 1, 4, 2]})
    >>> select_columns(people, m=1, measure="normal").columns
    ('age',)
    """
    if quasi_identifiers is not None:
        frame = Frame(data)
        frame.require(quasi_identifiers, "quasi_identifiers")
        data = frame.select(list(quasi_identifiers))
    columns, names = columns_of(data)
    selection = emad(columns, min(MOST, len(columns)) if m is None else m, measure, width)
    weights = selection.weights
    weights.flags.writeable = False
    return Selection(
        columns=tuple(names[j] for j in selection.chosen),
        tied=tuple(names[j] for j in selection.tied),
        tree=tuple((names[i], names[j], float(weights[i, j])) for i, j in selection.edges),
        names=tuple(names),
        weights=weights,
        measure=measure,
        width=width,
    )
