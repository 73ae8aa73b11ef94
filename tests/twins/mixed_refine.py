"""Refinement of groups of mixed records in plain Python, compared label for label.

The loss of a group is computed from its records, without sums that are kept and updated.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from microagg.prepare.objective import objective_arrays
from microagg.prepare.records import Records
from tests.twins.mixed import Floats, Mixed, Rows

ALIKE, TRIM, ROUNDING, CLOSE, PASSES = 1e-9, 0.2, 1e-9, 2, 3


class Losses:
    """What groups of mixed records lose."""

    def __init__(self, records: Records) -> None:
        arrays: dict[str, Any] = objective_arrays(records)
        self.weights, self.blank, self.keeps = arrays["weights"], arrays["blank"], arrays["keeps"]
        self.whole, self.spreads = arrays["whole"], arrays["spreads"]
        self.values = np.hstack([arrays["numbers"], arrays["codes"], arrays["listed"]])
        a, c = arrays["numbers"].shape[1], arrays["codes"].shape[1]
        s = arrays["listed"].shape[1]
        self.rules = [0] * a + [4] * c + arrays["rules"].tolist()
        self.forms = [0] * a + [3] * c + arrays["forms"].tolist()
        self.strengths = np.concatenate([np.zeros(a), arrays["strengths"]])
        starts, widths = arrays["table_at"], arrays["widths"]
        tables = [
            arrays["tables"][starts[j] : starts[j] + widths[j] ** 2].reshape(widths[j], widths[j])
            for j in range(s)
        ]
        self.tables = [None] * (a + c) + tables

    def of(self, rows: Iterable[int]) -> float:
        """Return the loss of a group."""
        members = np.array(sorted(rows), dtype=np.int64)
        return sum(self._column(j, members) for j in range(len(self.rules)))

    def _column(self, j: int, rows: Rows) -> float:
        blank = self.blank[rows, j]
        lacking = self.weights[rows[blank]].sum()
        there = rows[~blank]
        if self.keeps:
            return self.whole[there, j].sum() if blank.any() else self._present(j, there)
        return self._present(j, there) + self.spreads[j] * lacking if there.size else 0.0

    def _present(self, j: int, rows: Rows) -> float:
        if not rows.size:
            return 0.0
        values, weights = self.values[rows, j], self.weights[rows]
        order = np.argsort(values, kind="stable")
        values, weights = values[order], weights[order]
        if self.rules[j] != 4:
            return float(weights @ self._gaps(j, values, _middle(self.rules[j], values, weights)))
        different = np.unique(values)
        masses = np.array([weights[values == each].sum() for each in different])
        modes = different[masses >= masses.max() * (1 - ALIKE)]
        return float(np.mean([weights @ self._gaps(j, values, mode) for mode in modes]))

    def _gaps(self, j: int, values: Floats, middle: float) -> Floats:
        form, table = self.forms[j], self.tables[j]
        if form == 2:
            assert table is not None
            return np.asarray(table[values.astype(int), int(middle)])
        if form == 3:
            return np.where(values != middle, self.strengths[j], 0.0)
        return (values - middle) ** 2 if form == 0 else np.abs(values - middle)


def _middle(rule: int, values: Floats, weights: Floats) -> float:
    reached = np.cumsum(weights)
    total = reached[-1]
    if rule == 0:
        return float(np.average(values, weights=weights))
    if rule == 2:
        inside = np.minimum(reached, (1 - TRIM) * total) - np.maximum(
            reached - weights, TRIM * total
        )
        return float(np.average(values, weights=np.maximum(inside, 0.0)))
    lower = values[min(np.searchsorted(reached, 0.5 * total * (1 - ALIKE)), values.size - 1)]
    if rule == 3:
        return float(lower)
    beyond = np.searchsorted(reached, 0.5 * total * (1 + ALIKE), side="right")
    return float(0.5 * (lower + values[min(beyond, values.size - 1)]))


def near_groups(mixed: Mixed, groups: list[list[int]], width: int) -> list[list[int]]:
    """Return the groups whose representatives are nearest to each group's, nearest first."""
    arrays = {name: getattr(mixed, name) for name in vars(mixed)}
    middles = Mixed.__new__(Mixed)
    for name, value in arrays.items():
        setattr(middles, name, value)
    numbers = np.zeros((mixed.d, len(groups)))
    codes = np.zeros((len(mixed.codes), len(groups)), dtype=np.int32)
    middles.known = np.stack([mixed.known[:, rows[0] if rows else 0] for rows in groups], axis=1)
    for group, rows in enumerate(groups):
        if not rows:
            continue
        centre = mixed.centre(rows)
        for j in range(mixed.d):
            if middles.known[j, group] and centre.present[j]:
                numbers[j, group] = centre.totals[j] / centre.masses[j]
        for j in range(len(codes)):
            codes[j, group] = mixed.codes[j, rows[0]]
            if middles.known[mixed.d + j, group] and centre.present[mixed.d + j]:
                counts = centre.counts[mixed.starts[j] : mixed.starts[j + 1]]
                codes[j, group] = np.argmax(counts)
    middles.numbers, middles.codes, middles.n = numbers, codes, len(groups)
    middles.weights = np.ones(len(groups))
    everywhere = np.arange(len(groups))
    near = []
    for group, rows in enumerate(groups):
        found = middles.nearest(everywhere, middles.centre([group]), width + 1) if rows else []
        near.append([int(g) for g in found if g != group and groups[g]][:width])
    return near


class Refining:
    """Groups that are changed record by record, with all losses computed anew."""

    def __init__(self, losses: Losses, labels: Rows) -> None:
        self.losses, self.labels = losses, labels.copy()
        self.groups = [np.flatnonzero(labels == g).tolist() for g in range(int(labels.max()) + 1)]
        self.costs = [losses.of(rows) for rows in self.groups]
        self.least = ROUNDING * sum(self.costs) / labels.size

    def after(self, group: int, out: int = -1, into: int = -1) -> float:
        """Return what the loss of a group changes by."""
        rows = [row for row in self.groups[group] if row != out] + ([into] if into >= 0 else [])
        return self.losses.of(rows) - self.costs[group]

    def shift(self, row: int, target: int) -> None:
        """Move a record; the last member of its group takes its place."""
        rows = self.groups[self.labels[row]]
        rows[rows.index(row)] = rows[-1]
        rows.pop()
        self.groups[target].append(row)
        self._settle(int(self.labels[row]), target)

    def swap(self, row: int, other: int) -> None:
        """Exchange two records in their places."""
        ours, theirs = self.groups[self.labels[row]], self.groups[self.labels[other]]
        ours[ours.index(row)], theirs[theirs.index(other)] = other, row
        self._settle(int(self.labels[row]), int(self.labels[other]))

    def give_up(self, near: list[list[int]], by_loss: bool, room: int, least: float) -> int:
        """Try to give up each group once; returns how many were."""
        turn = list(range(len(self.groups)))
        if by_loss:
            turn.sort(key=lambda group: -self.costs[group])
        return sum(self._give_up(group, near[group], room, least) for group in turn)

    def _give_up(self, group: int, near: list[int], room: int, least: float) -> bool:
        saved, added = self.costs[group] - least, 0.0
        before = {target: list(self.groups[target]) for target in near}
        rows = list(self.groups[group])
        for row in rows:
            target, cost = self._cheapest_near(row, group, near, room, least)
            if target < 0 or added + cost >= saved:
                for other, members in before.items():
                    self.groups[other] = members
                self._settle(*near, group)
                return False
            added += cost
            self.groups[target].append(row)
            self.costs[target] = self.losses.of(self.groups[target])
        self.groups[group] = []
        self._settle(*near, group)
        return bool(rows)

    def _cheapest_near(
        self, row: int, group: int, near: list[int], room: int, least: float
    ) -> tuple[int, float]:
        best, best_cost = -1, 0.0
        for target in near:
            if target != group and 0 < len(self.groups[target]) < room:
                cost = self.after(target, into=row)
                if best < 0 or cost < best_cost - least:
                    best, best_cost = target, cost
        return best, best_cost

    def shrink(self, near: list[list[int]], k: int, room: int, least: float) -> int:
        """Let groups of more than k give away the record that gains most, one at a time."""
        moved = 0
        for group in range(len(self.groups)):
            while len(self.groups[group]) > k:
                best, move = -least, (-1, -1)
                for row in self.groups[group]:
                    target, cost = self._cheapest_near(row, group, near[group], room, least)
                    change = cost + self.after(group, out=row)
                    if target >= 0 and change < best - least:
                        best, move = change, (row, target)
                if move[0] < 0:
                    break
                self.shift(*move)
                moved += 1
        return moved

    def split_large(self, k: int) -> None:
        """Cut parts of k off every group of 2k or more."""
        least = ROUNDING * sum(self.costs) / self.labels.size
        for group in range(len(self.groups)):
            while len(self.groups[group]) >= 2 * k:
                rows = self.groups[group]
                seed = rows[0]
                for row in rows[1:]:
                    if self.after(group, out=row) < self.after(group, out=seed) - least:
                        seed = row
                new = next(i for i, members in enumerate(self.groups) if not members)
                self.grow(rows, seed, new, k, least)
                self.groups[group] = [row for row in rows if row not in self.groups[new]]
                self._settle(group, new)

    def grow(self, rows: list[int], seed: int, group: int, k: int, least: float) -> None:
        """Add a record and then k-1 that add least to an empty group."""
        members = self.groups[group]
        members.append(seed)
        while len(members) < k:
            best, best_cost = -1, 0.0
            for row in rows:
                if row not in members:
                    cost = self.losses.of([*members, row])
                    if best < 0 or cost < best_cost - least:
                        best, best_cost = row, cost
            members.append(best)

    def _settle(self, *groups: int) -> None:
        for group in groups:
            self.labels[self.groups[group]] = group
            self.costs[group] = self.losses.of(self.groups[group])

    def scatter(self, near: list[list[int]], k: int) -> bool:
        """Let the records of groups of fewer than k join others."""
        self.least = ROUNDING * sum(self.costs) / self.labels.size
        for group, rows in enumerate(self.groups):
            if len(rows) >= k:
                continue
            for row in rows.copy():
                for targets in (near[group], range(len(self.groups))):
                    target = self._cheapest_to_join(row, targets, k)
                    if target >= 0:
                        break
                if target < 0:
                    return False
                self.shift(row, target)
        return True

    def _cheapest_to_join(self, row: int, targets: Iterable[int], k: int) -> int:
        best, best_cost = -1, 0.0
        for target in targets:
            if k <= len(self.groups[target]) < 2 * k - 1:
                cost = self.after(target, into=row)
                if best < 0 or cost < best_cost - self.least:
                    best, best_cost = target, cost
        return best

    def descend(self, near: list[list[int]], k: int, classes: Rows | None = None) -> None:
        """Improve group by group, in PASSES passes at most; with classes, only these change places."""
        self.least = ROUNDING * sum(self.costs) / self.labels.size
        again, passes = True, 0
        while again and passes < PASSES:
            again, passes = False, passes + 1
            for group in range(len(self.groups)):
                for row in self.groups[group].copy():
                    if self.labels[row] == group and self._improve(row, near[group], k, classes):
                        again = True

    def _improve(self, row: int, near: list[int], k: int, classes: Rows | None) -> bool:
        group, least = int(self.labels[row]), self.least
        close: list[tuple[float, int]] = []
        for target in near:
            if target != group and self.groups[target]:
                cost = self.after(target, into=row)
                at = len(close)
                while at and cost < close[at - 1][0] - least:
                    at -= 1
                close.insert(at, (cost, target))
                del close[CLOSE:]
        own = -self.after(group, out=row)
        best, change = 0.0, (-1, -1)
        for cost, target in close:
            room = len(self.groups[group]) > k and len(self.groups[target]) < 2 * k - 1
            if classes is None and room and cost - own < best - least:
                best, change = cost - own, (target, -1)
            for other in self.groups[target]:
                if classes is not None and classes[row] != classes[other]:
                    continue
                saved = -self.after(target, out=other)
                if own + saved <= least - best:
                    continue
                here = self.after(group, out=row, into=other)
                if here - saved >= best - least:
                    continue
                total = here + self.after(target, out=other, into=row)
                if total < best - least:
                    best, change = total, (target, other)
        if change[0] < 0:
            return False
        if change[1] < 0:
            self.shift(row, change[0])
        else:
            self.swap(row, change[1])
        return True


def better_start(
    records: Records, labels: Rows, equal: Rows, k: int, width: int
) -> tuple[Refining, list[list[int]]]:
    """Return groups of equal records, the others scattered, if these lose less."""
    mixed, losses = Mixed(records.arrays()), Losses(records)
    start, state = Refining(losses, labels), Refining(losses, equal)
    for each in (start, state):
        each.groups += [[] for _ in range(labels.size // k - len(each.groups))]
        each.costs += [0.0] * (len(each.groups) - len(each.costs))
    near = near_groups(mixed, state.groups, width)
    if not state.scatter(near, k) or sum(start.costs) <= sum(state.costs):
        state, near = start, near_groups(mixed, start.groups, width)
    return state, near


def swap_shift(records: Records, labels: Rows, equal: Rows, k: int, width: int) -> Rows:
    """Move and exchange single records until nothing lowers the loss."""
    state, near = better_start(records, labels, equal, k, width)
    state.descend(near, k)
    return state.labels


def exchange_alike(records: Records, labels: Rows, classes: Rows, k: int, width: int) -> Rows:
    """Exchange records of the same class until nothing lowers the loss."""
    state = Refining(Losses(records), labels)
    near = near_groups(Mixed(records.arrays()), state.groups, width)
    state.descend(near, k, classes)
    return state.labels


def giving_up(
    records: Records, labels: Rows, equal: Rows, k: int, by_loss: bool, shrinks: bool, width: int
) -> Rows:
    """Decompose once or, with `shrinks`, in turn with that until neither changes anything."""
    state, near = better_start(records, labels, equal, k, width)
    before = sum(Refining(state.losses, labels).costs)
    least, largest = ROUNDING * sum(state.costs) / labels.size, max(map(len, state.groups))
    room = max(4 * k - 1, largest, int(np.bincount(labels).max()))
    for _ in range(25 if shrinks else 1):
        changes = state.give_up(near, by_loss, room, least)
        state.split_large(k)
        if shrinks:
            changes += state.shrink(near, k, room, least)
            state.split_large(k)
        if not changes:
            break
        near = near_groups(Mixed(records.arrays()), state.groups, width)
    return state.labels if sum(state.costs) <= before else labels
