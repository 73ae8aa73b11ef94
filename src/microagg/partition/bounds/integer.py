"""The restricted integer program: the best partition that can be made of given groups."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.context import Ticker
from microagg.partition.bounds.cuts import GroupCuts, entries_of
from microagg.partition.bounds.solver import add_columns, new_solver, stop_with
from microagg.typing import Floats, Labels, Rows

NODES = 20
"""Nodes of the search tree when there is no time limit."""

OPTIONS: dict[str, Any] = {"mip_rel_gap": 1e-9, "mip_abs_gap": 1e-9}
"""When the solver may say that it has the best: sooner than this would be no proof."""

SOLVER_SAFETY = 1e-6
"""By how much, relatively, the solver's bound is lowered.

It counts in floating-point numbers, takes a reduced cost within 1e-7 of 0 for 0 and a share within 1e-6
of a whole number for whole; errors are given to it in their mean, so that this is what they add up to.
"""


@dataclass(frozen=True)
class Chosen:
    """What the integer program found.

    Attributes
    ----------
    labels : int32[n] or None
        The cheapest partition found, -1 for records that no group holds; None when that is the start.
    bound : float
        What no partition of the groups given can beat.
    """

    labels: Labels | None
    bound: float


def best_of(
    groups: list[Rows],
    errors: Floats,
    start: NDArray[np.bool_],
    cuts: GroupCuts,
    n: int,
    seconds: float,
    ticker: Ticker,
    *,
    prove: bool = False,
) -> Chosen:
    """Choose the cheapest partition made of given groups.

    Parameters
    ----------
    groups, errors
        The groups to choose from and their errors.
    start : bool[groups]
        Which of them make up the incumbent.
    cuts : GroupCuts
        Inequalities that every partition meets: they bring the solver nearer.
    n : int
        The number of records. Those that no group holds are left out.
    seconds : float
        How long to look at most.
    ticker : int64[2]
        It stops when ``ticker[1]`` is not 0.
    prove : bool
        Whether the start is likely to be the best: no time goes into looking for better ones.
    """
    limits = (
        {"time_limit": max(seconds, 0.0)} if math.isfinite(seconds) else {"mip_max_nodes": NODES}
    )
    unit = float(errors[start].mean()) or 1.0
    effort = {"mip_heuristic_effort": 0.0} if prove else {}
    solver = _program(groups, errors / unit, cuts, n, {**OPTIONS, **limits, **effort})
    _begin_with(solver, start)
    stop_with(solver, ticker)
    solver.run()
    if not _has_run(solver):
        return Chosen(None, 0.0)
    bound = float(solver.getInfo().mip_dual_bound) * unit * (1 - SOLVER_SAFETY)
    bound = bound if math.isfinite(bound) else 0.0
    chosen = np.array(solver.getSolution().col_value) > 0.5
    if chosen.size == 0 or errors[chosen].sum() >= errors[start].sum() * (1 - 1e-12):
        return Chosen(None, bound)
    covered = np.unique(np.concatenate(groups)).size
    return Chosen(_labels([groups[number] for number in np.flatnonzero(chosen)], n, covered), bound)


def _program(
    groups: list[Rows], errors: Floats, cuts: GroupCuts, n: int, options: dict[str, Any]
) -> Any:
    """Return the solver with all groups and cuts in it."""
    import highspy

    entries = entries_of(groups, cuts, n)
    used = np.unique(entries.indices)  # the other rows say nothing of these groups
    solver = new_solver(int((used < n).sum()), int((used >= n).sum()), options)
    add_columns(solver, errors, entries[:, used], high=1.0)
    kinds = np.full(len(groups), int(highspy.HighsVarType.kInteger), dtype=np.uint8)
    solver.changeColsIntegrality(len(groups), np.arange(len(groups), dtype=np.int32), kinds)
    return solver


def _begin_with(solver: Any, start: NDArray[np.bool_]) -> None:
    """Start the solver from the incumbent."""
    import highspy

    incumbent: Any = highspy.HighsSolution()
    incumbent.col_value = start.astype(float).tolist()
    solver.setSolution(incumbent)


def _has_run(solver: Any) -> bool:
    """Return whether the solver finished or reached a limit; otherwise, it has proved nothing."""
    import highspy

    ends = ("kOptimal", "kTimeLimit", "kSolutionLimit", "kInterrupt", "kHighsInterrupt")
    statuses = highspy.HighsModelStatus.__members__  # an interrupt has had both names
    return solver.getModelStatus() in {statuses[end] for end in ends if end in statuses}


def _labels(groups: list[Rows], n: int, covered: int) -> Labels | None:
    """Return the label of each record, or None if rounding left one in no group or in two.

    Only `covered` of the records are in any group.
    """
    labels = np.full(n, -1, dtype=np.int32)
    for number, rows in enumerate(groups):
        labels[rows] = number
    whole = sum(rows.size for rows in groups) == covered == int((labels >= 0).sum())
    return labels if whole else None
