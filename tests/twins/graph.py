"""Minimum spanning tree, nearest-neighbour forest and k-Ward again in plain NumPy."""

from __future__ import annotations

import numpy as np

from tests.twins.fixed import centroid_seeded, diameter_seeded
from tests.twins.space import Floats, Labels, Rows, distances, nearest

Edges = tuple[Rows, Rows, Floats]


def spanning_tree(columns: Floats) -> Edges:
    """Prim's algorithm: lower ends, higher ends and squared lengths of the edges."""
    n = columns.shape[1]
    outside, gaps, near = np.arange(1, n), np.full(n, np.inf), np.zeros(n, dtype=np.int64)
    edges, new = [], 0
    while outside.size:
        to_new = distances(columns, outside, columns[:, new])
        known, far = near[outside], gaps[outside]
        low, new_low = np.minimum(outside, known), np.minimum(outside, new)
        high, new_high = np.maximum(outside, known), np.maximum(outside, new)
        earlier = (new_low < low) | ((new_low == low) & (new_high < high))
        better = (to_new < far) | ((to_new == far) & earlier)
        gaps[outside[better]], near[outside[better]] = to_new[better], new
        tied = outside[gaps[outside] == gaps[outside].min()]
        ends = np.array([np.minimum(tied, near[tied]), np.maximum(tied, near[tied])])
        at = np.lexsort((ends[1], ends[0]))[0]
        new = int(tied[at])
        edges.append((ends[0, at], ends[1, at], gaps[new]))
        outside = outside[outside != new]
    lows, highs, squares = zip(*edges, strict=True) if edges else ((), (), ())
    return np.array(lows, np.int64), np.array(highs, np.int64), np.array(squares, np.float64)


def cut_longest(edges: Edges, n: int, k: int) -> Rows:
    """Parts of the tree when its longest edges are cut while both sides keep k."""
    neighbours: list[set[int]] = [set() for _ in range(n)]
    for low, high in zip(edges[0].tolist(), edges[1].tolist(), strict=True):
        neighbours[low].add(high)
        neighbours[high].add(low)
    order = np.lexsort((edges[1], edges[0], -edges[2]))
    for low, high in zip(edges[0][order].tolist(), edges[1][order].tolist(), strict=True):
        neighbours[low].discard(high)
        neighbours[high].discard(low)
        if min(len(_reached(neighbours, end, k)) for end in (low, high)) < k:
            neighbours[low].add(high)
            neighbours[high].add(low)
    parts = np.full(n, -1, dtype=np.int64)
    for row in range(n):
        if parts[row] < 0:
            parts[_reached(neighbours, row, n)] = parts.max() + 1
    return parts


def _reached(neighbours: list[set[int]], start: int, enough: int) -> list[int]:
    """Rows that hang together with `start`, or the first `enough` of them."""
    seen, waiting = {start}, [start]
    while waiting and len(seen) < enough:
        for row in neighbours[waiting.pop()]:
            if row not in seen:
                seen.add(row)
                waiting.append(row)
    return sorted(seen)


def split_parts(columns: Floats, parts: Rows, k: int, *, split: str) -> Labels:
    """Labels: parts of 2k and more are split by a fixed-size heuristic."""
    labels, label = np.empty(parts.size, dtype=np.int32), 0
    for part in range(parts.max() + 1):
        rows = np.flatnonzero(parts == part)
        own, inside = columns[:, rows], np.zeros(rows.size, dtype=np.int32)
        if rows.size >= 2 * k and split == "diameter":
            inside = diameter_seeded(own, k, growth="nc", leftovers="nearest")
        elif rows.size >= 2 * k:
            mdav = split == "mdav"
            rules = ("nn", "group") if mdav else ("nc", "nearest")
            inside = centroid_seeded(own, k, opposite=mdav, growth=rules[0], leftovers=rules[1])
        labels[rows] = label + inside
        label += int(inside.max()) + 1
    return labels


def nearest_forest(columns: Floats, k: int) -> Rows:
    """Parents in trees of at least k; -1 at the roots."""
    n = columns.shape[1]
    parents, trees = np.full(n, -1, dtype=np.int64), np.arange(n)
    while (np.bincount(trees, minlength=n)[parents < 0] < k).any():
        for row in range(n):
            own = trees == row
            if parents[row] < 0 and np.count_nonzero(own) < k:
                other = nearest(columns, np.flatnonzero(~own), columns[:, row], 1)[0]
                parents[row] = other
                trees[own] = trees[other]
    return parents


def decompose_forest(columns: Floats, parents: Rows, k: int) -> Rows:
    """Parts of k to 3k-3, gathered from the leaves up, numbered by their lowest rows."""
    children: dict[int, list[int]] = {}
    for row, parent in enumerate(parents.tolist()):
        children.setdefault(parent, []).append(row)
    levels = [children[-1]]
    while levels[-1]:
        levels.append([c for row in levels[-1] for c in reversed(children.get(row, []))])
    groups: dict[int, list[int]] = {}  # by name: the record that its links end at in the kernel
    hangs_on: dict[int, int] = {}
    waiting: dict[int, list[int]] = {}
    for row in (row for level in reversed(levels) for row in reversed(level)):
        gathered, above = [row, *waiting.pop(row, [])], int(parents[row])
        if len(gathered) < k and above >= 0:
            gathered = waiting.pop(above, []) + gathered
            if len(gathered) < k:
                waiting[above] = gathered
                continue
        groups[gathered[0]], hangs_on[gathered[0]] = gathered, above
    for root in sorted(row for row in groups if len(groups[row]) < k):
        rest = groups.pop(root)
        beside = [name for name in sorted(groups) if hangs_on[name] in rest]
        added = [_added(columns, rest, groups[name]) for name in beside]
        groups[beside[int(np.argmin(added))]] += rest
    return _numbered(list(groups.values()), parents.size)


def _added(columns: Floats, first: list[int], second: list[int]) -> float:
    """Error that joining two groups adds."""
    one, other = (
        np.add.accumulate(columns[:, sorted(rows)], axis=1)[:, -1:] / len(rows)
        for rows in (first, second)
    )
    weight = len(first) * len(second) / (len(first) + len(second))
    return float(weight * distances(other, np.zeros(1, np.int64), one[:, 0])[0])


def _numbered(groups: list[list[int]], n: int) -> Rows:
    parts = np.empty(n, dtype=np.int64)
    for part, rows in enumerate(sorted(groups, key=min)):
        parts[rows] = part
    return parts


def k_ward(columns: Floats, k: int) -> Labels:
    """Groups of k to 2k-1 by Ward merging, never of two clusters that both have k."""
    waiting, done = [np.arange(columns.shape[1])], []
    while waiting:
        rows = waiting.pop()
        if rows.size < 2 * k:
            done.append(rows.tolist())
            continue
        clusters = _cluster(columns[:, rows], k)
        waiting += [rows[clusters == name] for name in np.unique(clusters)]
    return _numbered(done, columns.shape[1]).astype(np.int32)


def _cluster(points: Floats, k: int) -> Rows:
    """Clusters of at least k, by a chain of nearest neighbours."""
    n = points.shape[1]
    if (points == points[:, :1]).all():
        return np.minimum(np.arange(n) // k, n // k - 1)
    clusters, sizes, means = np.arange(n), np.ones(n, dtype=np.int64), points.copy()
    sums = np.zeros(n)
    for column in points:
        sums += column
    order = np.argsort(sums, kind="stable")
    for members in (np.sort(order[:k]), np.sort(order[n - k :])):
        clusters[members], sizes[members], sizes[members[0]] = members[0], 0, k
        total = np.add.accumulate(points[:, members], axis=1)[:, -1]
        means[:, members[0]] = total / k
    chain: list[int] = []
    while ((sizes > 0) & (sizes < k)).any():
        if not chain:
            chain = [int(np.flatnonzero((sizes > 0) & (sizes < k))[0])]
        other = _nearest_cluster(means, sizes, k, chain)
        if len(chain) > 1 and other == chain[-2]:
            kept, gone = sorted((chain.pop(), chain.pop()))
            size = sizes[kept] + sizes[gone]
            means[:, kept] = (sizes[kept] * means[:, kept] + sizes[gone] * means[:, gone]) / size
            sizes[kept], sizes[gone] = size, 0
            clusters[clusters == gone] = kept
        else:
            chain.append(other)
    return clusters


def _nearest_cluster(means: Floats, sizes: Rows, k: int, chain: list[int]) -> int:
    here = chain[-1]
    allowed = np.flatnonzero((sizes > 0) if sizes[here] < k else ((sizes > 0) & (sizes < k)))
    allowed = allowed[allowed != here]
    weights = sizes[here] * sizes[allowed] / (sizes[here] + sizes[allowed])
    added = weights * distances(means, allowed, means[:, here])
    if len(chain) > 1 and added[allowed == chain[-2]] == added.min():
        return chain[-2]
    return int(allowed[np.argmin(added)])
