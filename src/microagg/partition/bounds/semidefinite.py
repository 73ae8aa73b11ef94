"""The semidefinite bound: eigenvalues and rows in turn, and a proof that holds at every moment.

Reference: the relaxation is that of Peng and Wei (SIAM Journal on Optimization 2007), with bounds on the
sizes of groups and the triangle cuts of Piccialli, Sudoso and Wiegele (INFORMS Journal on Computing
2022); the bound that is valid at any time was developed for microagg.

Idea: the costs C are split into a part B for eigenvalues and a part A for rows; what each part costs at
least is simple to count (`certificate`). The alternating direction method of multipliers moves B to
where the sum is largest: a projection on positive semidefinite matrices, and one on a box, in turn. After
the first of them B has no negative eigenvalues, so that the bound at hand is counted without another
decomposition; `prove` counts it anew, with room for rounding. Once the bound settles, triangle cuts that
the solution violates get charges, which move with the violation.

In the matrix Y = k Z entries are at most 1. Entry ij moves with a weight r_i r_j, since outliers
have larger costs than records in a crowd.

Cost: an eigendecomposition of an n x n matrix a step, O(n^3); memory for `MATRICES` such matrices.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from microagg.engine import Array, available_memory, on_host
from microagg.errors import DataError
from microagg.partition.bounds.certificate import Certificate, bound_of, half_squared_distances
from microagg.partition.bounds.gap import safe
from microagg.partition.bounds.rounding import rounded
from microagg.partition.bounds.row_part import project_on_box, raised_prices, row_minima
from microagg.partition.bounds.set_cuts import SetCuts
from microagg.partition.bounds.spectral_part import SpectralProjection
from microagg.partition.bounds.triangles import Triangles
from microagg.partition.bounds.units import power_of_four, unit_of
from microagg.typing import Floats, Labels, Rows

MATRICES, BESIDES = 15, 250_000_000
"""Matrices of n x n float64 that the bound needs at most at a time, and bytes for all else."""

WEIGHT, POWER, LEAST_COST = 10.0, 0.35, 1e-2
"""The weight of the multipliers' steps at first; the power of a record's own cost that it is raised by;
and the least such cost, as a share of their mean."""

RELAXED = 1.6
"""The over-relaxation of the method of multipliers."""

COUNTED_EVERY, BALANCED_EVERY, CUT_EVERY = 5, 10, 25
"""Steps after which the bound at hand is counted, the weight is balanced, and cuts are renewed."""

SETTLED, FIRST_CUTS = 1e-3, 75
"""The relative rise of the bound within `CUT_EVERY` steps from which on cuts are added; and after how many
steps at the earliest."""

FINISHED, IDLE = 3e-6, 8
"""The relative rise of the bound, so many times `CUT_EVERY` steps in a row, at which it is finished."""

BALANCED_BY_RECORD, DAMPED, LARGEST_CHANGE = 60, 0.1, 1.4
"""Up to which step each record's weight is balanced by itself; the share of the mean that keeps small
residuals from large changes; and the largest factor of a change."""

BALANCED, BALANCED_WITH_SETS = 1.0, 0.7
"""The ratio of the two residuals that weights are balanced to; and the ratio where there are set cuts,
whose charges move faster with larger weights. With 1.0 they proved 3 % less on parts of EIA with k = 5."""

LEAST_PRICE = 1e-6
"""The least price that steps are in proportion to, as a share of the mean."""

CUT_SHARE = 1.0
"""How far charges move: a share of what is safe for all cuts that meet in an entry."""

CUTS_A_RECORD, NEAR_A_GROUP, MOST_NEAR = 10, 3, 60
"""Cuts added at a time for each record; and how many records near each are looked at: so many for each
record of a smallest group, and so many at most."""


def memory_needed(n: int) -> int:
    """Return the bytes that the bound of n records needs.

    Examples
    --------
    >>> memory_needed(1000)
    370000000
    """
    return MATRICES * 8 * n * n + BESIDES


def lack_of_memory(n: int, xp: ModuleType = np) -> str | None:
    """Return a sentence if more memory is needed for n records than is available, or else None."""
    available, needed = available_memory(xp), memory_needed(n)
    if available is None or needed <= available:
        return None
    return (
        f"The semidefinite bound of {n} records needs {needed / 1e9:.1f} GB of memory, "
        f"but {available / 1e9:.1f} GB are available."
    )


def check_memory(n: int, xp: ModuleType = np) -> None:
    """Refuse more records than fit into the memory that is available."""
    lack = lack_of_memory(n, xp)
    if lack is not None:
        raise DataError(
            lack, hint="It needs n x n matrices; the bounds by neighbours and columns do not."
        )


@dataclass(frozen=True)
class PartSolution:
    """What a bound of all records takes over from that of a part.

    Attributes
    ----------
    best : Certificate
        The multipliers of the highest bound.
    unit, estimate : float
        The unit of errors within, and the bound.
    weights : float64[s]
        The records' weights.
    box : float64[s, s]
        The solution within the box.
    """

    best: Certificate
    unit: float
    estimate: float
    weights: Array
    box: Array


class Semidefinite:
    """The state of a semidefinite bound; `step` takes it further, `prove` makes a proof of it.

    Parameters
    ----------
    points : float64[n, d]
        At least 2k records.
    k : int
        The smallest size of a group, at least 2.
    xp : module
        numpy or cupy.
    is_part : bool
        Whether the records are part of more, so that groups may cross. Their number is then not rounded
        down, and the bound holds for the part alone.

    Attributes
    ----------
    bound : float
        What no partition can beat. Holds at every moment; `prove` raises it.
    certificate : Certificate or None
        What proves it.
    best : Certificate or None
        The multipliers of the highest bound since the last proof.
    unit : float
        The unit of errors within.
    estimate : float
        What `prove` would prove at most; not a proof.
    steps : int
        Steps taken.
    cutting, finished : bool
        Whether cuts are added by now; whether more steps are of no use.
    step_seconds, cut_seconds, proof_seconds : float
        How long the last step took, the last one that looked for cuts, and the last proof.
    """

    def __init__(
        self, points: Floats, k: int, xp: ModuleType = np, *, is_part: bool = False
    ) -> None:
        check_memory(len(points), xp)
        self._xp, self._points, self._k, self.n = xp, points, k, len(points)
        self._largest = min(2 * k - 1, self.n - k)
        self._groups = self.n / k if is_part else self.n // k
        self.unit, self._costs, weights = self._prepared()
        self._weights = weights
        self._project = SpectralProjection(k / self.n, xp.sqrt(weights), xp)
        self._box = xp.zeros((self.n, self.n))  # the solution within the box
        self._scaled = -self._costs / self._penalty()  # multipliers, divided by the penalty
        self._cuts, self._group_charge = Triangles(self.n, xp), 0.0
        self._sets = SetCuts(self.n, k, xp)
        self._charged = self._costs
        self.best: Certificate | None = None
        self._settled_at, self._idle = -np.inf, 0
        self.certificate: Certificate | None = None
        self.bound, self.estimate, self.steps = 0.0, -np.inf, 0
        self.cutting = self.finished = False
        self.step_seconds = self.cut_seconds = self.proof_seconds = 0.0

    @property
    def cuts(self) -> int:
        """How many cuts there are."""
        return len(self._cuts) + len(self._sets)

    def _prepared(self) -> tuple[float, Array, Array]:
        """Return the unit, the costs in it, and the records' weights."""
        xp, unit = self._xp, unit_of(self._points)
        costs = half_squared_distances(xp.asarray(self._points / np.sqrt(unit)), xp)
        near = row_minima(costs, self._k, self._k, xp) * self._k / (self._k - 1)
        mean = float(near.mean()) or float(costs.mean()) or 1.0
        finer = power_of_four(mean)
        costs /= finer
        own = xp.maximum(near / mean, LEAST_COST) ** POWER
        weights = own / xp.exp(xp.log(own).mean())
        return unit * finer, costs, weights * xp.sqrt(xp.asarray(WEIGHT * mean / finer))

    def _penalty(self) -> Array:
        return self._weights[:, None] * self._weights

    def step(self) -> None:
        """Project once on either set, and move the multipliers."""
        xp, begun = self._xp, time.monotonic()
        penalty = self._penalty()
        target = self._box - self._scaled
        solution = self._project(target - self._charged / penalty)
        self.steps += 1
        if self.steps % COUNTED_EVERY == 0:
            self._count(penalty * (target - solution))
        del target
        relaxed = RELAXED * solution + (1 - RELAXED) * self._box
        self._scaled += relaxed
        before, self._box = self._box, self._scaled.copy()
        project_on_box(self._box, self._k / self._largest, xp)
        self._scaled -= self._box
        if self.steps % BALANCED_EVERY == 0:
            self._balance(solution, before, penalty)
        self._move_charges()
        if self.steps % CUT_EVERY == 0:
            self._look_for_cuts()
        if xp is not np:
            xp.cuda.Device().synchronize()
        if self.steps % CUT_EVERY == 0:
            self.cut_seconds = time.monotonic() - begun
        else:
            self.step_seconds = time.monotonic() - begun

    @property
    def next_seconds(self) -> float:
        """How long the next step may take: those that look for cuts take longer."""
        return self.cut_seconds if (self.steps + 1) % CUT_EVERY == 0 else self.step_seconds

    def _count(self, shares: Array) -> None:
        """Count the bound at hand, and keep the multipliers where it is the best."""
        rest = self._charged - shares
        bound = float(row_minima(shares, self._k, self._largest, self._xp).sum())
        bound += float(rest.sum()) / self.n - self._group_charge * self._groups
        bound -= self._sets.constant()
        bound *= self.unit
        if bound > self.estimate:
            self.estimate = bound
            self.best = Certificate(
                self.unit,
                rest,
                self._cuts.triples,
                self._cuts.charges,
                self._group_charge,
                self._sets.sets,
                self._sets.charges,
            )

    def _balance(self, solution: Array, before: Array, penalty: Array) -> None:
        """Raise the weights where the two solutions differ more than they move, and vice versa.

        At first each record has a factor of its own: outliers need others than records in a crowd.
        """
        xp = self._xp
        apart = (penalty * (solution - self._box) ** 2).sum(axis=1)
        moved = (penalty * (before - self._box) ** 2).sum(axis=1)
        if self.cutting or self.steps > BALANCED_BY_RECORD:
            apart, moved = apart.sum(keepdims=True), moved.sum(keepdims=True)
        if not (float(apart.sum()) > 0 and float(moved.sum()) > 0):
            return
        ratio = (apart + DAMPED * apart.mean()) / (moved + DAMPED * moved.mean())
        ratio = ratio / (BALANCED_WITH_SETS if len(self._sets) else BALANCED) ** 2
        factor = xp.clip(ratio**0.25, 1 / LARGEST_CHANGE, LARGEST_CHANGE) * xp.ones(self.n)
        if self.cutting:  # the factor is the same for all records
            self._cuts.scale(float(factor[0]) ** 2)
            self._sets.scale(float(factor[0]) ** 2)
        self._set_weights(self._weights * factor)
        self._scaled /= factor[:, None]
        self._scaled /= factor

    def _set_weights(self, weights: Array) -> None:
        self._weights = weights
        self._project.weigh(self._xp.sqrt(weights))

    def _move_charges(self) -> None:
        """Move the charges of cuts, and that of the number of groups, by what violates them."""
        xp = self._xp
        if self.n > self._k * self._groups:
            every = xp.arange(self.n)
            step = 1 / float((1 / self._weights**2).sum())
            excess = float(self._box[every, every].sum()) - self._k * self._groups
            self._group_charge = max(0.0, self._group_charge + step * excess)
        if len(self._cuts):
            self._cuts.move(self._box, CUT_SHARE)
        if len(self._sets):
            self._sets.move(self._box, CUT_SHARE)
        if self.cuts or self.n > self._k * self._groups:
            self._charged = self._with_charges()

    def _with_charges(self) -> Array:
        """Return the costs and all that charges add to them."""
        charged = self._costs.copy()
        if len(self._cuts):
            charged += self._cuts.costs()
        if len(self._sets):
            charged += self._sets.costs()
        every = self._xp.arange(self.n)
        charged[every, every] += self._group_charge
        return charged

    def _price_part(self, shares: Array, target: float) -> Array:
        """Return (w_i + w_j) / 2 of prices w that raise the bound where parts are near each other."""
        scales = row_minima(self._costs, self._k, self._k, self._xp)
        scales = self._xp.maximum(scales, LEAST_PRICE * scales.mean())
        sizes, taken_off = range(self._k, self._largest + 1), self._sets.constant()
        rest = self._charged - shares
        aim = target + taken_off - float(rest.sum()) / self.n
        prices = raised_prices(shares, scales, sizes, aim, self._xp)
        return (prices[:, None] + prices) / 2

    def rounded(self) -> Labels | None:
        """Return groups made of the solution, or None if it shows too few."""
        return rounded(on_host(self._box), self._k)

    def solution(self) -> PartSolution:
        """Return what a bound of more records can start from; it must not have been proved since."""
        if self.best is None:
            raise ValueError("A part must have taken steps, and not have been proved since.")
        return PartSolution(self.best, self.unit, self.estimate, self._weights, self._box)

    def start_from(self, parts: Sequence[tuple[Rows, PartSolution]]) -> None:
        """Begin where the bounds of parts have come to: the rows of each part, and its solution.

        With B of a part = W + (v_i + v_j) / 2, where W is positive semidefinite, B of pairs in two parts
        becomes (v_i + v_j) / 2. Where parts are far apart, the bound is the sum of those of the parts.
        """
        xp = self._xp
        values, weights, rest = xp.empty(self.n), xp.empty(self.n), xp.zeros((self.n, self.n))
        triples, charges, sets, set_charges, target = [], [], [], [], 0.0
        for rows, part in parts:
            best, own, unit = part.best, xp.asarray(rows), part.unit / self.unit
            target += part.estimate / self.unit
            of_part = xp.asarray(best.rest) * unit
            sums = of_part.sum(axis=1) / len(rows)
            values[own] = 2 * sums - sums.mean()
            rest[xp.ix_(own, own)] = of_part - (values[own][:, None] + values[own]) / 2
            weights[own] = xp.asarray(part.weights) * math.sqrt(unit)
            self._box[xp.ix_(own, own)] = xp.asarray(part.box)
            triples.append(own[xp.asarray(best.triples)])
            charges.append(xp.asarray(best.charges) * unit)
            sets += [rows[members] for members in best.sets]
            set_charges.append(xp.asarray(best.set_charges) * unit)
        rest += (values[:, None] + values) / 2
        self._set_weights(weights)
        self._cuts.take(xp.concatenate(triples), xp.concatenate(charges), weights)
        self._sets.take(sets, xp.concatenate(set_charges), weights)
        self._charged = self._with_charges()
        rest += self._price_part(self._charged - rest, target)
        self._scaled = (rest - self._charged) / self._penalty()
        self.cutting = True
        self._count(self._charged - rest)

    def _look_for_cuts(self) -> None:
        rise = self.estimate - self._settled_at
        self._settled_at = self.estimate
        self._idle = self._idle + 1 if self.cutting and rise <= FINISHED * self.estimate else 0
        self.finished = self._idle == IDLE
        settled = self.steps >= FIRST_CUTS and rise <= SETTLED * self.estimate
        if self.cutting or settled:
            self.cutting = True
            near = min(NEAR_A_GROUP * self._k, MOST_NEAR)
            self._cuts.renew(self._box, self._weights, near, CUTS_A_RECORD * self.n)
            self._sets.renew(self._box, self._weights)

    def prove(self) -> None:
        """Count the best bound at hand anew, with room for rounding."""
        best, begun = self.best, time.monotonic()
        if best is not None:
            proved = safe(bound_of(best, self._points, self._k, self._xp))
            self.best = None  # what has been proved need not be again
            if proved > self.bound:
                self.bound, self.certificate = proved, best
            self.proof_seconds = time.monotonic() - begun
