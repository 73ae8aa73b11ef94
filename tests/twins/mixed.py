"""The kernels on mixed records again in plain NumPy, compared label for label.

Every sum runs in the same order as in the kernels, so that even exact ties fall alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Labels = NDArray[np.int32]

REACH = 8
"""As in `mixed_groups`."""

MANY_SLOTS = 1024
"""As in `kernels.mixed.records`."""


class Mixed:
    """Mixed records from the arrays of `Records.arrays()`."""

    def __init__(self, arrays: dict[str, Any]) -> None:
        self.numbers: Floats = arrays["numbers"]
        self.codes: NDArray[np.int32] = arrays["codes"]
        self.starts: Rows = arrays["starts"]
        self.blocks: Rows = arrays["blocks"]
        self.weights: Floats = arrays["weights"]
        self.known: NDArray[np.bool_] = arrays["known"][arrays["patterns"]].T
        self.shares: Floats = arrays["shares"]
        self.gower: bool = arrays["gower"]
        self.apart: float = arrays["apart"]
        self.strengths: Floats = arrays["strengths"]
        self.tables = [self._table(arrays, j) for j in range(len(self.codes))]
        self.n, self.d = self.numbers.shape[1], len(self.numbers)

    def _table(self, arrays: dict[str, Any], column: int) -> Floats | None:
        at, slots = arrays["table_at"][column], np.diff(self.starts)[column]
        return None if at < 0 else arrays["tables"][at : at + slots**2].reshape(slots, slots)

    def distances(self, rows: Rows, centre: Centre) -> Floats:
        """Distances of `rows` to a centre, over what is present."""
        out, common = np.zeros(rows.size), np.zeros(rows.size)
        lacking = np.zeros(rows.size, dtype=bool)
        has = centre.present > 0
        for j in range(self.d):
            if not has[j]:
                continue
            t = self.numbers[j, rows] - centre.totals[j] / centre.masses[j]
            out += np.where(self.known[j, rows], np.abs(t) if self.gower else t * t, 0.0)
        for first, end in zip(self.blocks[:-1].tolist(), self.blocks[1:].tolist(), strict=True):
            part = np.zeros(rows.size)
            for j in range(first, end):
                known = self.known[self.d + j, rows]
                part += np.where(known, self._slots(j, centre)[self.codes[j, rows]], 0.0)
            out += part
        for j in range(has.size):
            both = self.known[j, rows] & has[j]
            common += np.where(both, self.shares[j], 0.0)
            lacking |= ~both
        if not lacking.any():
            return out
        with np.errstate(divide="ignore"):
            factors = np.where(lacking, np.where(common > 0, 1.0 / common, 0.0), 1.0)
        return out * factors + np.where(lacking & (common <= 0), self.apart, 0.0)

    def _slots(self, column: int, centre: Centre) -> Floats:
        counts = centre.counts[self.starts[column] : self.starts[column + 1]]
        if not centre.present[self.d + column]:
            return np.zeros(counts.size)
        shares, table = counts / centre.masses[self.d + column], self.tables[column]
        if table is not None:
            slots = np.zeros(counts.size)
            for b in np.flatnonzero(counts):
                slots += shares[b] * table[b]
            half = 0.0 if self.gower else 0.5 * _in_order(shares * slots)
            return np.maximum(slots - half, 0.0)
        if self.gower:
            return np.asarray(self.strengths[column] * (1.0 - shares))
        if counts.size > MANY_SLOTS:
            mass = centre.masses[self.d + column]
            squares = centre.squares[column] / (mass * mass)
        else:
            squares = _in_order(shares * shares)
        return np.asarray(self.strengths[column] * (0.5 * (1.0 - 2.0 * shares + squares)))

    def centre(self, rows: Iterable[int]) -> Centre:
        """Return the centre of some records, added in order."""
        centre = Centre(self)
        for row in rows:
            centre.add(int(row))
        return centre

    def nearest(self, left: Rows, centre: Centre, m: int) -> Rows:
        """The m of `left` nearest to the centre, nearest first; `left` is sorted."""
        return left[np.argsort(self.distances(left, centre), kind="stable")[:m]]

    def farthest(self, left: Rows, centre: Centre) -> int:
        """The one of `left` farthest from the centre; `left` is sorted."""
        return int(left[np.argmax(self.distances(left, centre))])


class Centre:
    """Sums of some records."""

    def __init__(self, mixed: Mixed) -> None:
        columns = mixed.d + len(mixed.codes)
        self.mixed = mixed
        self.totals, self.counts = np.zeros(mixed.d), np.zeros(int(mixed.starts[-1]))
        self.masses, self.present = np.zeros(columns), np.zeros(columns, dtype=np.int64)
        self.squares = np.zeros(len(mixed.codes))

    def add(self, row: int, sign: int = 1) -> None:
        """Add a record, or take it away."""
        mixed, weight = self.mixed, sign * self.mixed.weights[row]
        for j in np.flatnonzero(mixed.known[:, row]):
            self.masses[j] += weight
            self.present[j] += sign
            if j < mixed.d:
                self.totals[j] += weight * mixed.numbers[j, row]
            else:
                slot = mixed.starts[j - mixed.d] + mixed.codes[j - mixed.d, row]
                self.squares[j - mixed.d] += weight * (2.0 * self.counts[slot] + weight)
                self.counts[slot] += weight


def _in_order(values: Floats) -> float:
    return float(np.add.accumulate(values)[-1])


def grow(mixed: Mixed, left: Rows, seed: int, k: int, growth: str) -> Rows:
    """The seed and k-1 of `left`: nearest to it, or one by one nearest to the centre."""
    others = left[left != seed]
    if growth == "nn":
        return np.append(seed, mixed.nearest(others, mixed.centre([seed]), k - 1))
    near = np.sort(mixed.nearest(others, mixed.centre([seed]), REACH * k))
    members = [seed]
    while len(members) < k:
        members.append(int(mixed.nearest(near, mixed.centre(members), 1)[0]))
        near = near[near != members[-1]]
    return np.array(members)


def centroid_seeded(mixed: Mixed, k: int, *, opposite: bool, growth: str, leftovers: str) -> Labels:
    """Groups seeded by the record farthest from the centre of what is left."""
    labels = np.full(mixed.n, -1, dtype=np.int32)
    left, total = np.arange(mixed.n), mixed.centre(range(mixed.n))
    enough = 2 * k if leftovers == "group" else k
    label = 0

    def form(seed: int) -> None:
        nonlocal left, label
        members = grow(mixed, left, seed, k, growth)
        labels[members] = label
        left = left[labels[left] < 0]
        for member in members:
            total.add(int(member), -1)
        label += 1

    while left.size >= enough:
        seed = mixed.farthest(left, total)
        form(seed)
        if opposite and left.size >= enough:
            form(mixed.farthest(left, mixed.centre([seed])))
    if leftovers == "group" or label == 0:
        labels[left] = label
    else:
        join_nearest_centre(mixed, left, label, labels)
    return labels


def join_nearest_centre(mixed: Mixed, left: Rows, n_groups: int, labels: Labels) -> None:
    """Add the records of `left` to the groups of nearest centre, the closest record first."""
    members = [np.flatnonzero(labels == group) for group in range(n_groups)]
    joined = np.full(left.size, -1)
    while (joined < 0).any():
        waiting = np.flatnonzero(joined < 0)
        centres = [
            mixed.centre([*rows, *left[joined == group]]) for group, rows in enumerate(members)
        ]
        gaps = np.array([mixed.distances(left[waiting], centre) for centre in centres]).T
        at, group = np.unravel_index(np.argmin(gaps), gaps.shape)
        joined[waiting[at]] = group
    labels[left] = joined


def v_mdav(mixed: Mixed, k: int, gamma: float) -> Labels:
    """Groups of k around the record left farthest from the centre of all, each extended."""
    everyone = np.arange(mixed.n)
    order = np.argsort(-mixed.distances(everyone, mixed.centre(everyone)), kind="stable")
    labels = np.full(mixed.n, -1, dtype=np.int32)
    label = 0
    while (left := np.flatnonzero(labels < 0)).size >= k:
        seed = int(order[labels[order] < 0][0])
        near = mixed.nearest(left[left != seed], mixed.centre([seed]), REACH * k)
        labels[seed] = label
        labels[near[: k - 1]] = label
        _extend(mixed, np.sort(near), label, k, gamma, labels)
        label += 1
    for row in left:
        grouped = np.flatnonzero(labels >= 0)
        nearest = mixed.nearest(grouped, mixed.centre([int(row)]), 1)
        labels[row] = labels[nearest[0]] if grouped.size else 0
    return labels


def _extend(mixed: Mixed, near: Rows, label: int, k: int, gamma: float, labels: Labels) -> None:
    for _ in range(k - 1):
        left, candidates = np.flatnonzero(labels < 0), near[labels[near] < 0]
        if left.size < 2 or not candidates.size:
            return
        members = np.flatnonzero(labels == label)
        centres = [mixed.centre([int(member)]) for member in members]
        gaps = np.min([mixed.distances(candidates, centre) for centre in centres], axis=0)
        row = int(candidates[np.argmin(gaps)])
        to_others = np.sort(mixed.distances(left, mixed.centre([row])))[1]
        if not gaps.min() < gamma * to_others:
            return
        labels[row] = label


def neighbour_distances(mixed: Mixed, rows: Rows, m: int) -> Floats:
    """Distances of some records to their m nearest others, nearest first."""
    everyone = np.arange(mixed.n)
    found = [np.sort(mixed.distances(everyone, mixed.centre([int(row)]))) for row in rows]
    return np.array(found)[:, 1 : m + 1]
