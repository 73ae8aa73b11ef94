"""Genetic-1d: a genetic algorithm over bit strings that mark where groups of ranked values begin.

Reference: Domingo-Ferrer and Mateo-Sanz 2002, IEEE Transactions on Knowledge and Data Engineering
14(1); the thesis of Fayyoumi 2008, section 2.6.3.1.

Idea: a partition is a string of n bits, with 1 where a group begins. A population of random strings
evolves. The better of two random strings becomes a parent, two parents are crossed at one point,
bits flip, and the best string survives. The search ends after `generations`, or after `patience`
generations without improvement.

Cost: time O(generations x population x n), memory O(population x n).

Where the paper is silent or wrong: the evaluation of strings with groups that are too small or too
large is not described. microagg repairs such strings from the lowest value upwards: a 1 that comes
too early is removed, and a missing 1 is added. The runs of the paper cannot be repeated; in
microagg, every random choice is derived from the seed. `mutation` is the share of bits that flip,
at least one. `optimal-1d` loses less in less time; this method is included for comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from microagg.constraints import AtLeast, Between
from microagg.context import Context, Ticker
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.rules.along_axis import on_axis
from microagg.partition.rules.random_cuts import random_cuts
from microagg.prepare.prepared import Prepared
from microagg.prepare.project import Axis
from microagg.typing import Floats, Labels

kernels = lazy("microagg.kernels.line.genetic_1d")

Bits = NDArray[np.uint8]


@dataclass(frozen=True)
class EvolutionRules:
    """The evaluation and breeding of strings, compiled or in plain NumPy."""

    loss: Callable[[Bits], float]
    breed: Callable[[Bits, Floats, Floats, Ticker], tuple[Bits, Floats]]


def evolve(
    values: Floats,
    k: int,
    rng: np.random.Generator,
    rules: EvolutionRules,
    population: int,
    generations: int,
    mutation: float,
    patience: int,
    ticker: Ticker,
) -> Labels:
    """Evolve strings until the loss stops falling, and label by the best one; ticker[0] counts."""
    n = values.size
    if n < 2 * k:
        return np.zeros(n, dtype=np.int32)
    strings = np.zeros((population, n), dtype=np.uint8)
    for string in strings:
        string[random_cuts(n, k, rng)[:-1]] = 1
    losses = np.array([rules.loss(string) for string in strings])
    flips = max(1, round(mutation * n))
    waited = 0
    for generation in range(generations):
        if ticker[1] != 0:
            break
        ticker[0] = generation
        least = losses.min()
        chances = rng.random((population, 6 + flips))
        strings, losses = rules.breed(strings, losses, chances, ticker)
        waited = 0 if losses.min() < least else waited + 1
        if waited == patience:
            break
    best = strings[np.argmin(losses)]
    return (np.cumsum(best, dtype=np.int32) - 1).astype(np.int32)


@method(
    "genetic-1d",
    summary="a genetic algorithm over bit strings that mark where groups begin on an axis",
    reference="Domingo-Ferrer and Mateo-Sanz 2002",
    time="O(n) per string and generation",
    deterministic=False,
    brief={"generations": 1},
)
def genetic_1d(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    axis: Axis = "pc1",
    population: Annotated[int, AtLeast(2)] = 30,
    generations: Annotated[int, AtLeast(1)] = 200,
    crossover: Annotated[float, Between(0, 1)] = 0.8,
    mutation: Annotated[float, Between(0, 1)] = 0.002,
    patience: Annotated[int, AtLeast(1)] = 20,
) -> Grouping:
    """Group the records as described in the module docstring."""

    def group(values: Floats) -> Labels:
        def breed(
            strings: Bits, losses: Floats, chances: Floats, ticker: Ticker
        ) -> tuple[Bits, Floats]:
            children, new_losses = np.empty_like(strings), np.empty_like(losses)
            kernels.next_generation(
                values, k, strings, losses, chances, float(crossover), children, new_losses, ticker
            )
            return children, new_losses

        rules = EvolutionRules(lambda string: float(kernels.loss(values, string)), breed)
        limits = (population, generations, mutation, patience)
        labels: Labels = context.run(
            "Breeding", generations, evolve, values, k, context.rng, rules, *limits
        )
        return labels

    return on_axis(prepared, axis, group)
