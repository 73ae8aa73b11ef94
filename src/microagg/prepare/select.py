"""EMAD: selection of the columns to group on, by their dependence on each other.

Reference: Fayyoumi 2008 (thesis), chapter 6, algorithm 13; the tree is that of Chow and Liu 1968.

Idea: weigh each pair of columns by their dependence, compute the spanning tree of the largest total
weight, and group on the columns with the most edges in it: each represents the columns that it is
connected with. All quasi-identifiers are aggregated.

Cost: time O(d^2 n log n), memory O(nd).

Where the paper is silent or wrong: if several columns have the same number of edges, the thesis prints
all choices. microagg selects the column with the largest total weight of its edges first, and then the
column that depends least on those already selected (the thesis asks for "maximally independent"
columns). Continuous values are cut into intervals of one width for all columns, starting at the minimum
of each column. Equal weights, such as the 0 of a column with a single interval, go to the pair with the
lowest column numbers. With these rules, all fourteen choices of tables 6.5, 6.7 and 6.8 for Tarragona
and Census are reproduced. The thesis specifies no rule for the width. Without a width, each column is
cut into n^(1/3) intervals with equal numbers of records, where equal values stay together, so that
units and outliers do not matter. With these intervals, the choice on Census is among the best (6 of 286
sets of three lose less), but that on Tarragona is not (213 lose less): the most connected columns need
not be the best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.constraints import IsInteger, IsNumber, OneOf, check
from microagg.errors import Either, ParameterError, Phrase, column_hint, shown
from microagg.prepare.prepared import Prepared
from microagg.typing import Codes, Floats

DECIMALS = 12
"""Weights that differ by less count as equal, so that rounding does not decide between columns."""


@dataclass(frozen=True, eq=False)
class Dependence:
    """The dependence between columns, by their numbers.

    Attributes
    ----------
    weights : float64[d, d]
        The dependence of each pair.
    edges : tuple of (int, int)
        The spanning tree of the largest total weight, the heaviest edge first.
    chosen : tuple of int
        The columns with the most edges, in order of selection.
    tied : tuple of int
        The columns with as many edges as the last one selected, any of which could replace it.
    """

    weights: Floats
    edges: tuple[tuple[int, int], ...]
    chosen: tuple[int, ...]
    tied: tuple[int, ...]


def emad(
    columns: Sequence[Floats], m: int = 3, measure: str = "emi", width: float | None = None
) -> Dependence:
    """Choose the m most connected of some columns of equal length.

    Examples
    --------
    >>> a = np.array([0.0, 1.0, 2.0, 3.0] * 8)
    >>> b = np.array([0.0, 1.0, 0.0, 1.0] * 8)
    >>> emad([b, a, a // 2], m=1).chosen
    (1,)
    """
    check("m", m, IsInteger(1, len(columns)), "select_columns")
    check("measure", measure, OneOf(tuple(MEASURES)), "select_columns")
    _check_width(width, measure)
    weights = np.round(MEASURES[measure](columns, width), DECIMALS) + 0.0  # never -0.0
    edges = spanning_tree(weights)
    chosen, tied = _most_connected(weights, edges, m)
    return Dependence(weights, edges, chosen, tied)


def grouping_columns(prepared: Prepared, columns: str | Sequence[object] | None) -> Prepared:
    """Return the columns to group on: all, the named ones, or those of "emad:3"."""
    if columns is None:
        return prepared
    if isinstance(columns, str):
        measure, m = _parsed(columns, prepared.d)
        chosen = emad(list(prepared.columns), m, measure).chosen
        return prepared.only([prepared.names[j] for j in chosen])
    if not isinstance(columns, Iterable):
        raise _not_columns(columns)
    by_text = {str(name): name for name in prepared.names}
    wanted = [str(name) for name in columns]
    if not wanted or len(set(wanted)) < len(wanted):
        what = "name at least one column" if not wanted else "name each column once"
        raise ParameterError(f"must {what}.", parameter="columns")
    for name in wanted:
        if name not in by_text:
            raise ParameterError(
                f"names {name!r}, which is not a quasi-identifier.",
                parameter="columns",
                hint=column_hint(name, by_text),
            )
    return prepared.only([by_text[name] for name in wanted])


def _parsed(text: str, d: int) -> tuple[str, int]:
    """Return the measure and the number of columns of "emad:3" or "emad-chi2:3"."""
    name, _, count = text.strip().lower().partition(":")
    kind, _, measure = name.partition("-")
    if kind != "emad" or (measure or "emi") not in MEASURES or not count.isdecimal():
        raise _not_columns(text)
    if not 1 <= int(count) <= d:
        raise ParameterError(
            f"{text!r} asks for {int(count)} columns; there are {d}.", parameter="columns"
        )
    return measure or "emi", int(count)


def _not_columns(value: object) -> ParameterError:
    return ParameterError(
        "must be a list of names, or 'emad:3' for the three most connected "
        f"columns ('emad-chi2:3' and 'emad-normal:3' by other measures). Got {shown(value)}.",
        parameter="columns",
        hint=Phrase("Set {columns}, for example.", columns=Either("emad:3", ["age", "income"])),
    )


def _check_width(width: object, measure: str) -> None:
    if width is None:
        return
    if measure == "normal":
        raise ParameterError(
            "applies to intervals, and the measure 'normal' uses none.",
            parameter="width",
            hint="Leave it out.",
        )
    if not IsNumber(0).admits(width) or width == 0:
        raise ParameterError(
            f"must be a number above 0. Got {shown(width)}.",
            parameter="width",
            caller="select_columns",
        )


def intervals(column: Floats, width: float | None) -> Codes:
    """Return the interval of each value: of one width from the minimum, or of equal counts."""
    if width is None:
        count = round(column.size ** (1 / 3))
        edges = np.quantile(column, np.linspace(0, 1, count + 1)[1:-1])
        places: NDArray[Any] = np.searchsorted(np.unique(edges), column, side="right")
    else:
        with np.errstate(over="ignore"):  # values beyond all intervals share the last
            places = np.floor((column - column.min()) / width)
    return np.unique(places, return_inverse=True)[1].astype(np.int64)


def _by_cells(summed: Callable[[Floats, Floats], float]) -> Callable[..., Floats]:
    """Return the weights of all pairs from a sum over the cells of their contingency table.

    The sum takes the observed and expected shares of records of the cells that are not empty.
    """

    def weights(columns: Sequence[Floats], width: float | None) -> Floats:
        codes = [intervals(column, width) for column in columns]
        shares = [np.bincount(code) / code.size for code in codes]
        matrix = np.zeros((len(codes), len(codes)))
        for i in range(len(codes)):
            for j in range(i):
                cells, counts = np.unique(codes[i] * shares[j].size + codes[j], return_counts=True)
                row, column = np.divmod(cells, shares[j].size)
                expected = shares[i][row] * shares[j][column]
                matrix[i, j] = matrix[j, i] = summed(counts / codes[i].size, expected)
        return matrix

    return weights


def _mutual_information(observed: Floats, expected: Floats) -> float:
    """Return the sum of p log(p / e): equation 6.5."""
    return float(np.sum(observed * np.log(observed / expected)))


def _chi_squared(observed: Floats, expected: Floats) -> float:
    """Return the sum of (p - e)^2 / e over all cells, including empty ones: equation 6.6."""
    return float(np.sum(observed**2 / expected)) - 1


def _normal(columns: Sequence[Floats], width: float | None) -> Floats:
    """Return -log(1 - r^2) / 2, the mutual information of normal columns: equation 6.11."""
    rest = np.maximum(1 - correlations(columns) ** 2, np.finfo(float).eps)
    return np.asarray(-np.log(rest) / 2)


def correlations(columns: Sequence[Floats]) -> Floats:
    """Return the correlation of each pair of columns; 0 with a constant column or with itself."""
    around = np.stack([column - column.mean() for column in columns])
    lengths = np.sqrt(np.sum(around**2, axis=1))
    constant = np.ptp(np.stack(columns), axis=1) == 0  # its computed length need not be exactly 0
    units = around / np.where(constant, np.inf, lengths)[:, None]
    matrix = units @ units.T
    np.fill_diagonal(matrix, 0)
    return np.clip(matrix, -1, 1)


MEASURES: dict[str, Callable[[Sequence[Floats], float | None], Floats]] = {
    "emi": _by_cells(_mutual_information),
    "chi2": _by_cells(_chi_squared),
    "normal": _normal,
}
"""The measures of dependence, by name."""


def spanning_tree(weights: Floats) -> tuple[tuple[int, int], ...]:
    """Return the edges of the spanning tree of the largest total weight, the heaviest first.

    Examples
    --------
    >>> spanning_tree(np.array([[0.0, 3.0, 1.0], [3.0, 0.0, 2.0], [1.0, 2.0, 0.0]]))
    ((0, 1), (1, 2))
    """
    from scipy.sparse.csgraph import minimum_spanning_tree

    one, other = np.triu_indices(len(weights), 1)
    heaviest = np.argsort(-weights[one, other], kind="stable")
    # Ranks stand for the negated weights: the tree is the same, and scipy takes 0 for no edge.
    ranks = np.zeros(weights.shape)
    ranks[one[heaviest], other[heaviest]] = np.arange(1, heaviest.size + 1)
    tree = minimum_spanning_tree(ranks).tocoo()
    order = np.argsort(tree.data)
    return tuple((int(i), int(j)) for i, j in zip(tree.row[order], tree.col[order], strict=True))


def _most_connected(
    weights: Floats, edges: Sequence[tuple[int, int]], m: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the m columns with the most edges, and all with as many as the last of them."""
    d = len(weights)
    degree, strength = np.zeros(d, dtype=np.int64), np.zeros(d)
    for edge in edges:
        degree[list(edge)] += 1
        strength[list(edge)] += weights[edge]
    chosen: list[int] = []
    while len(chosen) < m:
        rest = [j for j in range(d) if j not in chosen]
        most = [j for j in rest if degree[j] == max(degree[rest])]
        connected = weights[:, chosen].sum(axis=1) if chosen else -strength
        chosen.append(min(most, key=lambda j: (connected[j], j)))
    tied = np.flatnonzero(degree == degree[chosen[-1]])
    return tuple(chosen), tuple(tied.tolist())
