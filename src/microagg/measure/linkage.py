"""Distance-based record linkage: the original to which a released record leads an intruder.

Each released record is compared with every original record; it is linked if its own original is the
nearest. Released records of a group are identical, so only the distinct ones are compared. If
several originals are equally near, each is as likely as the others: the expected number of
links is counted, so the result does not depend on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.context import Context, Ticker
from microagg.lazy import lazy
from microagg.measure.linkage_values import comparable_values
from microagg.measure.pair import Pair
from microagg.reporter import Reporter
from microagg.threads import in_stretches
from microagg.typing import Floats, Rows

kernels = lazy("microagg.kernels.measure.linkage")
by_tree = lazy("microagg.kernels.measure.linkage_by_tree")
trees = lazy("microagg.kernels.space.tree")

FEW = 20_000
"""Fewer records are compared tile by tile, which is fast enough and needs no compiled tree."""


@dataclass(frozen=True, eq=False)
class Linkage:
    """Original records in tiles of neighbours, and the distinct released records as points.

    Attributes
    ----------
    values, codes : float64[d, n], int32[c, n]
        The originals, tile by tile: the record at place i is row ``order[i]``.
    low, high : float64[tiles, d]
        Bounds of the tiles.
    points, point_codes : float64[m, d], int32[m, c]
        The distinct released records.
    point_of : int64[n]
        The point of the released record that belongs to each original, in the order of `values`.
    columns_of : tuple of int64 arrays
        The rows of `values` that belong to each key of numbers.
    tree : Tree, optional
        The originals in a spatial index instead of tiles, if they are many and all keys are numbers. The
        results are the same.
    """

    order: Rows
    values: Floats
    codes: NDArray[np.int32]
    low: Floats
    high: Floats
    points: Floats
    point_codes: NDArray[np.int32]
    point_of: Rows
    columns_of: tuple[Rows, ...]
    tree: Any = None

    def matches(
        self,
        keys: Sequence[int] | None = None,
        sample: Rows | None = None,
        progress: Reporter | None = None,
        what: str = "Linking records",
    ) -> tuple[Floats, Floats, Rows]:
        """Return the probabilities that each record is linked first, and first or second, with the rows.

        Parameters
        ----------
        keys : sequence of int, optional
            Which keys the intruder knows: those with an order first.
        sample : int64 array, optional
            Only released records of these points.
        """
        return self.asked(sample).matches(keys, progress, what)

    def asked(self, sample: Rows | None = None) -> Asked:
        """Return what is asked for: released records of all points, or of a sample of them."""
        chosen = np.arange(len(self.points)) if sample is None else sample
        home = np.zeros(len(self.points), dtype=np.int64)
        home[self.point_of] = self._places()
        chosen = chosen[np.argsort(home[chosen], kind="stable")]  # near ones in turn: in the cache
        place = np.full(len(self.points), -1, dtype=np.int64)
        place[chosen] = np.arange(chosen.size)
        at = place[self.point_of]
        rows = np.flatnonzero(at >= 0)
        return Asked(
            links=self,
            rows=self.order[rows],
            values=np.ascontiguousarray(self.values[:, rows]),
            codes=self.codes[:, rows].copy(),
            points=self.points[chosen],
            point_codes=self.point_codes[chosen],
            home=home[chosen],
            point_of=at[rows],
        )

    def _places(self) -> Rows:
        """Return the tile of each original, or its leaf of the tree."""
        if self.tree is None:
            return np.arange(self.order.size) // _tile()
        leaves: Rows = self.tree.slots // trees.LEAF
        return leaves

    def columns_of_keys(self, keys: Sequence[int] | None) -> tuple[Rows, Rows]:
        """Return the rows of `values` and of `codes` that belong to some keys, or to all."""
        d, c = len(self.columns_of), len(self.codes)
        chosen = range(d + c) if keys is None else keys
        columns = [self.columns_of[key] for key in chosen if key < d]
        joined = np.concatenate(columns) if columns else np.empty(0, dtype=np.int64)
        return joined, np.array([key - d for key in chosen if key >= d], dtype=np.int64)

    def evenly(self, most: int) -> Rows | None:
        """Return at most `most` points, evenly spaced in the order of their values; None is all."""
        m = len(self.points)
        if m <= most:
            return None
        keys = [*self.point_codes.T[::-1], *self.points.T[::-1]]
        places = np.linspace(0, m - 1, most).round().astype(np.int64)
        order = np.argsort(keys[-1], kind="stable")
        if (np.diff(keys[-1][order]) == 0).any():  # only then do the other columns matter
            order = np.lexsort(keys)
        return np.sort(order[places])


@dataclass(frozen=True, eq=False)
class Asked:
    """Some of the different released records, and the originals that belong to them.

    Attributes
    ----------
    rows : int64[m]
        The rows of these originals.
    values, codes : float64[d, m], int32[c, m]
        These originals.
    points, point_codes : float64[p, d], int32[p, c]
        The released records.
    home : int64[p]
        A tile of originals, or a leaf of the tree, that is likely near each point.
    point_of : int64[m]
        The point that belongs to each original.
    """

    links: Linkage
    rows: Rows
    values: Floats
    codes: NDArray[np.int32]
    points: Floats
    point_codes: NDArray[np.int32]
    home: Rows
    point_of: Rows

    def matches(
        self, keys: Sequence[int] | None, progress: Reporter | None, what: str = "Linking records"
    ) -> tuple[Floats, Floats, Rows]:
        """Return the probabilities that each record is linked first, and first or second, with the rows."""
        columns, code_columns = self.links.columns_of_keys(keys)
        own, bounds = np.empty(self.rows.size), np.empty((2, len(self.points)))
        points = (self.points, self.point_codes, self.point_of)
        kernels.own_distances(self.values, self.codes, *points, columns, code_columns, own, *bounds)
        near, ties = self._search(bounds[0], bounds[1], columns, code_columns, progress, what)
        first, second = _chances(own, near[self.point_of], ties[self.point_of])
        return first, second, self.rows

    def _search(
        self,
        reach: Floats,
        enough: Floats,
        columns: Rows,
        code_columns: Rows,
        progress: Reporter | None,
        what: str,
    ) -> tuple[Floats, Rows]:
        """Return the two smallest distances of each point and how many originals have them.

        Where two originals are nearer than `enough`, those of any two such originals: a point's own
        original is then not among the nearest two.
        """
        m, links = len(self.points), self.links
        near, ties = np.empty((m, 2)), np.empty((m, 2), dtype=np.int64)
        records = (links.values, links.codes, links.low, links.high)

        def search(ticker: Ticker) -> None:
            def part(some: slice) -> None:
                results = (near[some], ties[some], ticker)
                points, near_by = self.points[some], (self.home[some], reach[some], enough[some])
                if links.tree is not None:
                    by_tree.two_nearest_by_tree(links.tree, points, *near_by, columns, *results)
                    return
                asked = (points, self.point_codes[some], *near_by, columns, code_columns)
                kernels.two_nearest(*records, *asked, *results)

            in_stretches(part, m)

        Context.of(progress).run(what, m, search)
        return near, ties


def linkage_of(
    pair: Pair, *, mahalanobis: bool = False, own_scale: bool = False, backwards: bool = False
) -> Linkage:
    """Prepare the linkage of a pair on standardised columns.

    Categories with an order are numbers by rank; another that differs counts as much as one standard
    deviation. A missing value stands at the column's mean and one standard deviation aside, so it is
    nearest to a missing value. With
    `own_scale` each file is standardised by itself; with `backwards` the released record nearest
    to each original is sought, and released and original change places in all that follows.
    """
    if own_scale:
        usual = linkage_of(pair)
        _, after, _ = comparable_values(pair, mahalanobis=False, own_scale=True)
        first = _first_rows(pair.released_classes)
        return replace(usual, points=np.ascontiguousarray(after[:, first].T))
    if mahalanobis or backwards:
        return _linkage(pair, mahalanobis, backwards)
    return pair.once("linkage", lambda: _linkage(pair, mahalanobis=False, backwards=False))


def _linkage(pair: Pair, mahalanobis: bool, backwards: bool) -> Linkage:
    """Return the linkage with the scale of the original."""
    before, after, columns_of = comparable_values(pair, mahalanobis, own_scale=False)
    columns = pair.unordered()
    codes = _stacked([column.original for column in columns], pair.n)
    words = _stacked([column.released for column in columns], pair.n)
    point_of = pair.released_classes
    if backwards:
        before, after, codes, words = after, before, words, codes
        point_of = pair.original_classes
    first = _first_rows(point_of)
    tree = None
    if pair.n >= FEW and not len(codes):
        tree = trees.new_tree(np.ascontiguousarray(before.T))
    order = neighbours(before) if len(before) and tree is None else np.arange(pair.n)
    values = np.ascontiguousarray(before[:, order])
    low, high = _boxes(values, pair.n) if tree is None else (np.empty((0, 0)), np.empty((0, 0)))
    return Linkage(
        order=order,
        values=values,
        codes=np.ascontiguousarray(codes[:, order]),
        low=low,
        high=high,
        points=np.ascontiguousarray(after[:, first].T),
        point_codes=np.ascontiguousarray(words[:, first].T),
        point_of=point_of[order].astype(np.int64),
        columns_of=columns_of,
        tree=tree,
    )


def _first_rows(classes: Rows) -> Rows:
    """Return the first row of each class.

    Examples
    --------
    >>> _first_rows(np.array([1, 0, 1]))
    array([1, 0])
    """
    first = np.empty(int(classes.max(initial=-1)) + 1, dtype=np.int64)
    first[classes[::-1]] = np.arange(classes.size)[::-1]  # the last to be written is the first row
    return first


def _stacked(columns: Sequence[Rows], n: int) -> NDArray[np.int32]:
    return np.array(columns, dtype=np.int32).reshape(len(columns), n)


def neighbours(values: Floats) -> Rows:
    """Order records so that each tile holds neighbours: halve along the widest column, again."""
    tile = _tile()

    def halved(rows: Rows) -> list[Rows]:
        if rows.size <= tile:
            return [rows]
        part = values[:, rows]
        widest = part[int(np.argmax(part.max(axis=1) - part.min(axis=1)))]
        middle = -(-rows.size // (2 * tile)) * tile
        split = np.argpartition(widest, middle - 1)
        return [*halved(rows[split[:middle]]), *halved(rows[split[middle:]])]

    return np.concatenate(halved(np.arange(values.shape[1])))


def _boxes(values: Floats, n: int) -> tuple[Floats, Floats]:
    shape = (-(-n // _tile()), len(values))
    low, high = np.empty(shape), np.empty(shape)
    kernels.boxes(values, low, high)
    return low, high


def _tile() -> int:
    return int(kernels.TILE)


def _chances(own: Floats, near: Floats, ties: Rows) -> tuple[Floats, Floats]:
    """Return the chance that the own record comes first, and that it comes first or second."""
    leads, follows = own == near[:, 0], own == near[:, 1]
    first = np.where(leads, 1 / np.maximum(ties[:, 0], 1), 0.0)
    second = np.where(leads, np.minimum(1.0, 2 / np.maximum(ties[:, 0], 1)), 0.0)
    # Only one is nearer, so one place is left for those that come next.
    return first, np.where(follows, 1 / np.maximum(ties[:, 1], 1), second)
