"""A semidefinite bound within a time limit: steps while they fit, and proofs on the way."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import ModuleType

import numpy as np

from microagg.context import Ticker
from microagg.partition.bounds.semidefinite import COUNTED_EVERY, Semidefinite, lack_of_memory
from microagg.partition.bounds.spectral_part import SpectralProjection

USEFUL_STEPS = 10
"""Steps that must fit into the time for the bound to be tried."""

TRIAL, TRIALS = 400, 3
"""Records of the trials that say how long a step takes, and how many there are."""

NEXT_PROOF = 1.3
"""A proof is made after so many times the steps of the one before: a step costs about as much."""

FIRST_PROOF = 1.5
"""What a first proof takes at most, in steps."""


def is_affordable(n: int, seconds: float, xp: ModuleType = np) -> bool:
    """Return whether a bound of n records fits into memory, and enough steps into the time.

    Examples
    --------
    >>> is_affordable(50, 60.0), is_affordable(50, 0.0), is_affordable(10**6, 60.0)
    (True, False, False)
    """
    if lack_of_memory(n, xp) is not None:
        return False
    return seconds > 0 and USEFUL_STEPS * step_seconds(n) <= seconds


def step_seconds(n: int) -> float:
    """Return about how long a step takes on the processor, from eigendecompositions of few records."""
    few = min(n, TRIAL)
    matrix = np.random.default_rng(0).normal(size=(few, few))
    seconds = []
    for _ in range(TRIALS):  # the first loads libraries; any may be slow on a busy machine
        begun = time.monotonic()
        SpectralProjection(0.0, np.ones(few))(matrix + matrix.T)
        seconds.append(time.monotonic() - begun)
    return min(seconds) * (n / few) ** 3


def run_semidefinite(
    state: Semidefinite,
    seconds_left: Callable[[], float],
    ticker: Ticker,
    enough: Callable[[float], bool],
    most_steps: int | None = None,
) -> bool:
    """Take steps until something says stop; tell whether that was the time.

    Parameters
    ----------
    state : Semidefinite
        What is taken further. Its bound holds whenever this returns.
    seconds_left : function
        The time there is.
    ticker : int64[2]
        Stops it within a step.
    enough : function of a bound
        Called with each bound that is proved; stops it by returning True.
    most_steps : int, optional
        Steps to take at most.
    """
    next_proof = COUNTED_EVERY
    while not (ticker[1] or state.finished or state.steps == most_steps):
        proof = state.proof_seconds or FIRST_PROOF * state.step_seconds
        if seconds_left() < max(state.step_seconds, state.next_seconds) + proof:
            state.prove()
            enough(state.bound)
            return True
        state.step()
        if state.steps >= next_proof and ticker[1] == 0:
            next_proof = int(NEXT_PROOF * state.steps) + 1
            state.prove()
            if enough(state.bound):
                return False
    if ticker[1] == 0:
        state.prove()
        enough(state.bound)
    return False
