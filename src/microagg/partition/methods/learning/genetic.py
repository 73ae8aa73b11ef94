"""Genetic: a genetic algorithm over partitions.

Reference: Solanas, Martinez-Balleste, Mateo-Sanz, Domingo-Ferrer 2006 (3rd International IEEE
Conference on Intelligent Systems), as described in the comparative study of 2012, section 3.1, and
in the thesis of Fayyoumi 2008, section 2.

Idea: a chromosome has one gene per record, the number of its group. Parents are selected by
roulette with fitness 1 / (SSE + 1) and crossed at one point, and some genes of the children mutate.

Cost: O(n d) for each chromosome of each generation and its repair, with O(n d) for each record
moved. Memory O(nd), and the population.

Where the available papers are silent: they do not say how group sizes are enforced. In microagg,
children are repaired so that sizes lie between k and 2k-1. For a group below k, a random choice
decides whether it takes the nearest records that other groups can spare or is dissolved; it is also
dissolved if no group can spare a record. A group of 2k or more is split. Groups are numbered in
order of appearance, because with arbitrary numbers the same partition would not survive a
crossover. The best chromosome so far is always kept. The rates were chosen for microagg:
`crossover` 0.5, `mutation` 0.02, and a population of 60. The search ends when `patience`
generations bring no improvement. As the authors state, the method suits tens of records; for more,
use `genetic-hybrid`.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from microagg.budget import Stop
from microagg.constraints import AtLeast, Between
from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Facts, Grouping
from microagg.partition.registry import method
from microagg.partition.rules.initial import random_groups
from microagg.prepare.prepared import Prepared
from microagg.typing import Labels

kernels = lazy("microagg.kernels.learning.genetic")

Share = Annotated[float, Between(0, 1)]


@method(
    "genetic",
    summary="a genetic algorithm over partitions; for tens of records",
    reference="Solanas et al. 2006",
    time="O(n^2 d) per chromosome and generation",
    memory="O(nd), and the population",
    deterministic=False,
    timed=True,
    brief={"max_iterations": 1},
)
def genetic(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    population: Annotated[int, AtLeast(2)] = 60,
    crossover: Share = 0.5,
    mutation: Share = 0.02,
    patience: Annotated[int, AtLeast(1)] = 100,
    max_iterations: Annotated[int, AtLeast(1)] = 1000,
) -> Grouping:
    """Group the records as described in the module docstring."""
    labels, generations = context.run(
        "Evolving",
        max_iterations,
        kernels.genetic,
        prepared.columns,
        k,
        _any_groups(prepared.n, k, context.rng),
        population,
        float(crossover),
        float(mutation),
        max_iterations,
        patience,
        np.uint64(context.rng.integers(0, 2**63)),
        True,
        keep=True,
    )
    return Grouping(labels, facts_of(context, generations, max_iterations))


def _any_groups(n: int, k: int, rng: np.random.Generator) -> Labels:
    """Draw groups of k; the records left over join the first."""
    labels = random_groups(n, k, rng)
    labels[labels < 0] = 0
    return labels


def facts_of(context: Context, generations: int, max_iterations: int) -> Facts:
    """Return how the search stopped, and after how many generations."""
    by_itself = Stop.MAX_ITERATIONS if generations >= max_iterations else Stop.NO_IMPROVEMENT
    return Facts(stopped=context.budget.stopped or by_itself, generations=int(generations))
