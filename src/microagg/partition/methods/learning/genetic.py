"""Genetic: a population of groupings, selected, crossed and mutated.

Reference: Solanas, Martinez-Balleste, Mateo-Sanz, Domingo-Ferrer 2006 (3rd International IEEE
Conference on Intelligent Systems), as told in the comparative study of 2012, section 3.1, and in the
thesis of Fayyoumi 2008, section 2.

Idea: a chromosome has one gene a record, the number of its group. Parents are drawn by roulette with
fitness 1 / (SSE + 1), crossed at one point, and some genes of the children change at random.

Cost: each chromosome of each generation O(n d) and its repair, O(n d) for each record moved;
memory O(nd) and the population.

Where the papers at hand are silent: sizes. Children are repaired: of a group of less than k a coin
decides whether it takes the nearest records that other groups can spare or is given up (it is, too,
where they can spare none); one of 2k or more is split, so that sizes lie between k and 2k-1. Groups are
numbered as they first appear, since with free numbers the same grouping would not survive a crossover.
The best chromosome so far always lives on. The rates are ours: `crossover` 0.5 and `mutation` 0.02, a
population of 60. The search ends when `patience` generations found nothing better. As the authors say,
it serves tens of records; `genetic-hybrid` is for more.
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
    summary="a population of groupings, selected, crossed and mutated; for tens of records",
    reference="Solanas et al. 2006",
    time="O(n^2 d) a chromosome and generation",
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
    """Group as the file's opening says."""
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
