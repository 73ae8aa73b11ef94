"""`select_columns`: the columns to group on, and the dependence tree that explains them."""

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
        The selected columns, in order of selection.
    tied : tuple of str
        The columns with as many edges as the last one selected, any of which could replace it.
    tree : tuple of (str, str, float)
        The dependence tree: two columns and the weight of their edge, the heaviest first.
    names : tuple of str
        All columns.
    weights : float64[d, d]
        The weight of each pair of columns, in the order of `names`.
    measure : str
        The measure of dependence: "emi", "chi2" or "normal".
    width : float or None
        The width of the intervals; None if they contain equal numbers of records.
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
        """The number of edges of each column in the tree."""
        return {name: sum(name in edge[:2] for edge in self.tree) for name in self.names}

    def text(self) -> str:
        """Return the tree as lines of text; a star marks the columns to group on."""
        return indented(self._nodes(), self.columns)

    def svg(self) -> str:
        """Return the tree as a picture."""
        return picture(self._nodes(), self.columns, self._title())

    def save_picture(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the tree as a picture: ``.svg``, or ``.png``, which requires matplotlib."""
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
    """Select the columns to group on: those with the most edges in a dependence tree.

    Parameters
    ----------
    data : array or DataFrame
        The records.
    quasi_identifiers : list of column names, optional
        The columns to select from; all by default.
    m : int, optional
        The number of columns to select; 3 by default, as in the literature, or all if fewer.
    measure : {"emi", "chi2", "normal"}
        The dependence of two columns: expected mutual information, chi-squared, or the mutual
        information of normal columns, which follows from their correlation.
    width : float, optional
        The width of the intervals into which the values of every column are cut, starting at its
        minimum. The default is n^(1/3) intervals with equal numbers of records. It does not apply
        to "normal".

    Returns
    -------
    Selection
        Pass its `columns` to ``partition(..., columns=...)`` or ``protect(..., columns=...)``.

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
