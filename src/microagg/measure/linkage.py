"""Distance-based record linkage: the original to which a released record leads an intruder.

Each released record is compared with every original; it is linked when its own original is the
nearest. Released records of a group are identical, so only the different ones are compared. Where
several originals are equally near, each is as likely as the others: the expected number of
links is counted, which does not depend on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.context import Context, Ticker
from microagg.lazy import lazy
from microagg.measure.pair import Pair, standardised
from microagg.reporter import Reporter
from microagg.threads import in_stretches
from microagg.typing import Floats, Rows

kernels = lazy("microagg.kernels.measure.linkage")
by_tree = lazy("microagg.kernels.measure.linkage_by_tree")
trees = lazy("microagg.kernels.space.tree")

FEW = 20_000
"""Fewer records are compared tile by tile: that is fast enough, and the tree has to be compiled."""


@dataclass(frozen=True, eq=False)
class Linkage:
    """Originals in tiles of neighbours, and the different released records as points.

    Attributes
    ----------
    values, codes : float64[d, n], int32[c, n]
        The originals, tile by tile: the record at place i is row ``order[i]``.
    low, high : float64[tiles, d]
        Bounds of the tiles.
    points, point_codes : float64[m, d], int32[m, c]
        The different released records.
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
        """Return the chance of each record to be linked first, first or second, and the rows.

        Parameters
        ----------
        keys : sequence of int, optional
            Which keys the intruder knows: those with an order first.
        sample : int64 array, optional
            Only released records of these points.
        """
        columns, code_columns = self._columns_of_keys(keys)
        chosen = np.arange(len(self.points)) if sample is None else sample
        home = np.zeros(len(self.points), dtype=np.int64)
        home[self.point_of] = self._places()
        near, ties = self._search(chosen, home[chosen], columns, code_columns, progress, what)
        place = np.full(len(self.points), -1, dtype=np.int64)
        place[chosen] = np.arange(chosen.size)
        asked = place[self.point_of]
        rows = np.flatnonzero(asked >= 0)
        own = self._own(rows, columns, code_columns)
        first, second = _chances(own, near[asked[rows]], ties[asked[rows]])
        return first, second, self.order[rows]

    def _places(self) -> Rows:
        """Return the tile of each original, or its leaf of the tree."""
        if self.tree is None:
            return np.arange(self.order.size) // _tile()
        leaves: Rows = self.tree.slots // trees.LEAF
        return leaves

    def _columns_of_keys(self, keys: Sequence[int] | None) -> tuple[Rows, Rows]:
        d, c = len(self.columns_of), len(self.codes)
        chosen = range(d + c) if keys is None else keys
        columns = [self.columns_of[key] for key in chosen if key < d]
        joined = np.concatenate(columns) if columns else np.empty(0, dtype=np.int64)
        return joined, np.array([key - d for key in chosen if key >= d], dtype=np.int64)

    def _search(
        self,
        chosen: Rows,
        home: Rows,
        columns: Rows,
        code_columns: Rows,
        progress: Reporter | None,
        what: str,
    ) -> tuple[Floats, Rows]:
        near, ties = np.empty((chosen.size, 2)), np.empty((chosen.size, 2), dtype=np.int64)
        records = (self.values, self.codes, self.low, self.high)
        points, words = self.points[chosen], self.point_codes[chosen]

        def search(ticker: Ticker) -> None:
            def part(some: slice) -> None:
                results = (near[some], ties[some], ticker)
                if self.tree is not None:
                    leaves = (self.tree, points[some], home[some])
                    by_tree.two_nearest_by_tree(*leaves, columns, *results)
                    return
                asked = (points[some], words[some], home[some], columns, code_columns)
                kernels.two_nearest(*records, *asked, *results)

            in_stretches(part, chosen.size)

        Context.of(progress).run(what, chosen.size, search)
        return near, ties

    def _own(self, rows: Rows, columns: Rows, code_columns: Rows) -> Floats:
        out = np.empty(rows.size)
        records = (np.ascontiguousarray(self.values[:, rows]), self.codes[:, rows].copy())
        points = (self.points, self.point_codes, self.point_of[rows])
        kernels.own_distances(*records, *points, columns, code_columns, out)
        return out

    def evenly(self, most: int) -> Rows | None:
        """Return at most `most` points, evenly spaced in the order of their values; None is all."""
        m = len(self.points)
        if m <= most:
            return None
        keys = [*self.point_codes.T[::-1], *self.points.T[::-1]]
        places = np.linspace(0, m - 1, most).round().astype(np.int64)
        order = np.argsort(keys[-1], kind="stable")
        if (
            np.diff(keys[-1][order]) == 0
        ).any():  # the other columns matter only to ties in the first
            order = np.lexsort(keys)
        return np.sort(order[places])


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
    before, after, columns_of = _values(pair, mahalanobis, own_scale)
    columns = pair.unordered()
    codes = _stacked([column.original for column in columns], pair.n)
    words = _stacked([column.released for column in columns], pair.n)
    classes = pair.released_classes
    if backwards:
        before, after, codes, words = after, before, words, codes
        classes = pair.original_classes
    first, point_of = np.unique(classes, return_index=True, return_inverse=True)[1:]
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


def _stacked(columns: Sequence[Rows], n: int) -> NDArray[np.int32]:
    return np.array(columns, dtype=np.int32).reshape(len(columns), n)


def _values(
    pair: Pair, mahalanobis: bool, own_scale: bool
) -> tuple[Floats, Floats, tuple[Rows, ...]]:
    """Return both files as finite columns, and which of them belong to which key."""
    original, released = pair.ordered()
    scale = released if own_scale else original
    both = [standardised(original, original), standardised(released, scale)]
    blank = [np.isnan(values) for values in both]
    holes = np.flatnonzero(blank[0].any(axis=1) | blank[1].any(axis=1))
    filled = [np.where(nan, 0.0, values) for nan, values in zip(blank, both, strict=True)]
    if mahalanobis:
        turn = _whitening(filled[0])
        filled = [turn @ values for values in filled]
    full = [np.vstack([v, nan[holes]]) for v, nan in zip(filled, blank, strict=True)]
    d, rows = len(filled[0]), [[j] for j in range(len(filled[0]))]
    if not mahalanobis:
        for at, j in enumerate(holes):
            rows[j].append(d + at)
        return full[0], full[1], tuple(np.array(r, dtype=np.int64) for r in rows)
    spare = [[d + at] for at in range(holes.size)]
    return full[0], full[1], tuple(np.array(r, dtype=np.int64) for r in [*rows, *spare])


def _whitening(values: Floats) -> Floats:
    """Return the matrix that makes the columns uncorrelated with variance 1, less dependent ones.

    Euclidean distance after it is Mahalanobis distance, with the pseudo-inverse where columns
    depend on each other.
    """
    eigenvalues, vectors = np.linalg.eigh(np.cov(values, bias=True).reshape(len(values), -1))
    kept = eigenvalues > 1e-10 * max(eigenvalues.max(initial=0.0), 1e-300)
    turned: Floats = vectors[:, kept].T / np.sqrt(eigenvalues[kept])[:, None]
    return turned


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


MOST_ROWS = 10
"""Rows named as the worst, at most."""


class AtRisk(NamedTuple):
    """The rows most likely linked, the largest chance of one, and how many are linked for certain.

    `looked_at` is how many records that is known of, where it is not all.
    """

    rows: tuple[int, ...] = ()
    chance: float = 0.0
    certain: int = 0
    looked_at: int | None = None

    def words(self) -> list[str]:
        """Return it in sentences."""
        if not self.rows:
            return []
        listed = ", ".join(map(str, self.rows))
        more = ", and more" if self.certain > len(self.rows) else ""
        some = "" if self.looked_at is None else f" of {self.looked_at:,} examined"
        sentences = [
            f"Data rows{some} that are most likely to be recognised by distance, each with a probability "
            f"of at most {100 * self.chance:.3g} %: {listed}{more}."
        ]
        if self.certain:
            sentences.append(
                f"Unique released records{some} whose only nearest original is their own: "
                f"{self.certain:,}."
            )
        return sentences


def most_at_risk(pair: Pair, numbers: Rows | None = None) -> AtRisk:
    """Return the rows most likely linked; nothing is known before linkage was measured.

    Records that are equal in the release lead to the same originals, so a claim is as often right
    as their mean chance says. `numbers` are those of the rows, by default from 1; of rows with equal
    risk, those with the rarest released keys come first.
    """
    if pair.record_risk is None:
        return AtRisk()
    rows = np.arange(1, pair.n + 1) if numbers is None else numbers
    measured = ~np.isnan(pair.record_risk)
    risk, classes = np.where(measured, pair.record_risk, 0.0), pair.released_classes
    sizes = np.bincount(classes)
    chance = np.where(risk > 0, (np.bincount(classes, risk) / np.maximum(sizes, 1))[classes], 0.0)
    order = np.lexsort((rows, sizes[classes], -chance))[:MOST_ROWS]
    return AtRisk(
        rows=tuple(int(rows[at]) for at in order if chance[at] > 0),
        chance=float(chance.max()),
        certain=int(np.count_nonzero(chance == 1)),
        looked_at=None if measured.all() else int(np.count_nonzero(measured)),
    )
