"""The refinements again in plain NumPy: short and obviously right, for small data."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.twins import fixed, space

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]

GAIN = 1e-12
NOISE = 1e-24
BLUR = 1e-14
NEAR_GROUPS = 8


class Groups:
    """Members by group, and the errors and means that follow from them."""

    def __init__(self, columns: Floats, labels: Labels) -> None:
        self.X = columns.T
        everyone = range(labels.max() + 1)
        self.rows: list[list[int]] = [np.flatnonzero(labels == g).tolist() for g in everyone]
        error, squares = self.sse(), float((columns * columns).sum())
        self.least = GAIN * error + NOISE * squares + BLUR * float(np.sqrt(error * squares))

    def error(self, group: int) -> float:
        return _error(self.X[self.rows[group]])

    def sse(self) -> float:
        return sum(_error(self.X[rows]) for rows in self.rows)

    def gap(self, row: int, group: int) -> float:
        return _in_order((self.X[row] - _mean(self.X[self.rows[group]])) ** 2)

    def near(self, row: int, own: int) -> list[int]:
        """Other groups, those of nearest mean first."""
        others = [g for g, rows in enumerate(self.rows) if rows and g != own]
        return sorted(others, key=lambda g: (self.gap(row, g), g))

    def labels(self) -> Labels:
        labels = np.empty(len(self.X), dtype=np.int32)
        for group, rows in enumerate(self.rows):
            labels[rows] = group
        return labels


def _error(X: Floats) -> float:
    if len(X) == 0:
        return 0.0
    squares = np.add.accumulate((X - _mean(X)) ** 2, axis=1)[:, -1]
    return _in_order(squares)


def _mean(X: Floats) -> Floats:
    mean: Floats = np.add.accumulate(X, axis=0)[-1] / len(X)
    return mean


def _in_order(terms: Floats) -> float:
    """Sum one term after the other, as the kernels do: equal errors must come out equal in both."""
    return float(np.add.accumulate(terms)[-1])


def _scatter_each(groups: Groups, *, order: str, cap: float) -> int:
    turn = list(range(len(groups.rows)))
    if order == "error":
        turn.sort(key=lambda g: -groups.error(g))
    elif order == "reverse":
        turn.reverse()
    dissolved = 0
    for group in turn:
        rows, joined = groups.rows[group], [list(rows) for rows in groups.rows]
        joined[group] = []
        for row in rows:
            targets = [g for g in groups.near(row, group) if len(joined[g]) < cap]
            if not targets:
                break
            joined[targets[0]].append(row)
        if sum(map(len, joined)) < len(groups.X) or not rows:
            continue
        if sum(_error(groups.X[rows]) for rows in joined) < groups.sse() - groups.least:
            groups.rows = joined
            dissolved += 1
    return dissolved


def _shrink_each(groups: Groups, k: int) -> int:
    moved = 0
    for group in range(len(groups.rows)):
        while (size := len(groups.rows[group])) > k:
            best, move = -groups.least, None
            for row in groups.rows[group]:
                for target in groups.near(row, group)[:1]:
                    m = len(groups.rows[target])
                    change = groups.gap(row, target) * m / (m + 1)
                    change -= groups.gap(row, group) * size / (size - 1)
                    if change < best:
                        best, move = change, (row, target)
            if move is None:
                break
            groups.rows[group].remove(move[0])
            groups.rows[move[1]].append(move[0])
            moved += 1
    return moved


def _split_large(groups: Groups, k: int, cut: Any) -> None:
    for group in range(len(groups.rows)):
        rows = np.array(groups.rows[group])
        if len(rows) >= 2 * k:
            _set_parts(groups, group, rows, cut(np.ascontiguousarray(groups.X[rows].T), k))


def _set_parts(groups: Groups, group: int, rows: Any, parts: Labels) -> None:
    groups.rows[group] = rows[parts == 0].tolist()
    for part in range(1, parts.max() + 1):
        free = [g for g, members in enumerate(groups.rows) if not members]
        target = free[0] if free else len(groups.rows)
        groups.rows[target : target + 1] = [rows[parts == part].tolist()]


def _split_by(groups: Groups, k: int, split: str) -> None:
    """Split large groups as the rule says, and what is large after that by CBFS."""
    for group in range(len(groups.rows) if split == "scatter" else 0):
        rows = np.array(groups.rows[group])
        if len(rows) >= 2 * k:
            before, kept = groups.sse(), [list(members) for members in groups.rows]
            _split_and_scatter(groups, group, rows, k)
            if groups.sse() >= before - groups.least:
                groups.rows = kept
    _split_large(groups, k, _cbfs)


def _split_and_scatter(groups: Groups, group: int, rows: Any, k: int) -> None:
    left, parts = np.arange(len(rows)), np.full(len(rows), -1, dtype=np.int32)
    columns = np.ascontiguousarray(groups.X[rows].T)
    total = np.add.accumulate(columns, axis=1)[:, -1]
    while left.size > k:
        seed = space.farthest(columns, left, total / left.size)
        taken = fixed.GROWTH["nc"](columns, left, seed, k)
        parts[taken] = parts.max() + 1
        left = np.flatnonzero(parts < 0)
        for member in taken:
            total = total - columns[:, member]
    _set_parts(groups, group, rows, parts)
    targets = [groups.near(row, -1)[0] for row in rows[left]]
    for row, target in zip(rows[left].tolist(), targets, strict=True):
        groups.rows[target].append(row)


def _cbfs(columns: Floats, k: int) -> Labels:
    return fixed.centroid_seeded(columns, k, opposite=False, growth="nc", leftovers="nearest")


def _tfrp(columns: Floats, k: int) -> Labels:
    low, high = np.full(len(columns), columns.min()), np.full(len(columns), columns.max())
    return fixed.reference_seeded(
        columns, k, references=(low, high), growth="nn", sorted_leftovers=True
    )


def decompose_2007(columns: Floats, labels: Labels, k: int) -> Labels:
    """Decompose by the rules of TFRP."""
    groups = Groups(columns, labels)
    _scatter_each(groups, order="error", cap=4 * k - 1)
    _split_large(groups, k, _tfrp)
    return groups.labels()


def decompose_2018(columns: Floats, labels: Labels, k: int, order: str, split: str) -> Labels:
    """Decompose by the rules of 2018."""
    groups = Groups(columns, labels)
    _scatter_each(groups, order=order, cap=np.inf)
    _split_by(groups, k, split)
    return groups.labels()


def decompose_shrink(columns: Floats, labels: Labels, k: int, order: str, split: str) -> Labels:
    """Decompose and shrink until nothing changes."""
    groups = Groups(columns, labels)
    changes = 1
    while changes:
        changes = _scatter_each(groups, order=order, cap=np.inf)
        _split_by(groups, k, split)
        changes += _shrink_each(groups, k)
        _split_by(groups, k, split)
    return groups.labels()


def swap_shift(columns: Floats, labels: Labels, k: int) -> Labels:
    """Move and exchange records until nothing improves.

    A group looks for near groups when it has changed, and is looked at when it or one of them has.
    """
    groups = Groups(columns, labels)
    n_groups = len(groups.rows)
    changed, looked = [0] * n_groups, [-1] * n_groups
    near: list[list[int]] = [[] for _ in range(n_groups)]
    changes, again = 0, True
    while again:
        again = False
        for group in range(n_groups):
            if all(looked[group] >= changed[g] for g in (group, *near[group])):
                continue
            if looked[group] < changed[group]:
                near[group] = _near_means(groups, group)
            looked[group] = changes
            for row in list(groups.rows[group]):
                if row not in groups.rows[group]:
                    continue
                target = _improve(groups, row, group, near[group], k)
                if target is not None:
                    changes += 1
                    changed[group] = changed[target] = changes
                    again = True
    return groups.labels()


def pairwise_means(columns: Floats, labels: Labels, k: int) -> Labels:
    """Divide the records of pairs of near groups by which mean is nearer, until a pass gains little."""
    groups = Groups(columns, labels)
    changed, looked = [0] * len(groups.rows), [-1] * len(groups.rows)
    near: list[list[int]] = [[] for _ in groups.rows]
    changes, error, before = 0, _total_error(groups), np.inf
    while error < before * (1 - 0.001):
        before = error
        for group in range(len(groups.rows)):
            if all(looked[group] >= changed[g] for g in (group, *near[group])):
                continue
            since, looked[group] = looked[group], changes
            near[group] = _near_means(groups, group)
            for other in near[group]:
                if max(changed[group], changed[other]) > since and _divide(groups, group, other, k):
                    changes += 1
                    changed[group] = changed[other] = changes
        error = _total_error(groups)
    return groups.labels()


def _total_error(groups: Groups) -> float:
    return _in_order(np.array([groups.error(group) for group in range(len(groups.rows))]))


def _divide(groups: Groups, group: int, other: int, k: int) -> bool:
    ours, theirs = (_mean(groups.X[groups.rows[g]]) for g in (group, other))
    rows, way = groups.rows[group] + groups.rows[other], theirs - ours
    keys = np.array([_in_order(np.append(0.0, groups.X[row] * way)) for row in rows])
    middle = _in_order(np.append(0.0, way * (theirs + ours) / 2))
    most = max(2 * k - 1, (len(rows) + 1) // 2)
    size = min(int((keys <= middle).sum()), len(rows) - k, most)
    size = max(size, k, len(rows) - most)
    low = set(np.argsort(keys, kind="stable")[:size].tolist())
    stay = [row for i, row in enumerate(rows) if i in low]
    leave = [row for i, row in enumerate(rows) if i not in low]
    after = _error(groups.X[stay]) + _error(groups.X[leave])
    if groups.error(group) + groups.error(other) - after <= groups.least:
        return False
    groups.rows[group], groups.rows[other] = stay, leave
    return True


def _near_means(groups: Groups, group: int) -> list[int]:
    mean = _mean(groups.X[groups.rows[group]])
    others = [g for g in range(len(groups.rows)) if g != group]
    gaps = [_in_order((_mean(groups.X[groups.rows[g]]) - mean) ** 2) for g in others]
    return [others[i] for i in np.argsort(gaps, kind="stable")[:NEAR_GROUPS]]


def _improve(groups: Groups, row: int, group: int, near: list[int], k: int) -> int | None:
    """Do the best shift or swap of a record; returns the other group, if there was a gain."""
    best, change = 0.0, None
    mine = groups.rows[group]
    for target in near:
        theirs = groups.rows[target]
        before = groups.error(group) + groups.error(target)
        changes = [_exchanged(mine, theirs, row, other) for other in theirs]
        if len(mine) > k and len(theirs) < 2 * k - 1:
            changes.insert(0, ([r for r in mine if r != row], [*theirs, row]))
        for ours, others in changes:
            gain = _error(groups.X[ours]) + _error(groups.X[others]) - before
            if gain < best - groups.least:
                best, change = gain, (target, ours, others)
    if change is None:
        return None
    target, groups.rows[group], groups.rows[target] = change
    return target


def _exchanged(
    mine: list[int], theirs: list[int], row: int, other: int
) -> tuple[list[int], list[int]]:
    ours = [other if r == row else r for r in mine]
    return ours, [row if r == other else r for r in theirs]
