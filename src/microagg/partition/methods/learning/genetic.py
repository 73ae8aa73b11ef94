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

from microagg.constraints import AtLeast, Between
from microagg.partition.registry import Labels, method
from microagg.partition.rules.initial import random_groups
from microagg.prepare.prepared import Prepared
from microagg.progress import Progress

Share = Annotated[float, Between(0, 1)]


@method(
    "genetic",
    summary="a population of groupings, selected, crossed and mutated; for tens of records",
    reference="Solanas et al. 2006",
    time="O(n^2 d) a chromosome and generation",
    memory="O(nd), and the population",
    deterministic=False,
)
def genetic(
    prepared: Prepared,
    k: int,
    rng: np.random.Generator,
    progress: Progress,
    *,
    population: Annotated[int, AtLeast(2)] = 60,
    crossover: Share = 0.5,
    mutation: Share = 0.02,
    patience: Annotated[int, AtLeast(1)] = 100,
    max_iterations: Annotated[int, AtLeast(1)] = 1000,
    time_limit: Annotated[float, AtLeast(0)] | None = None,
) -> Labels:
    """Group as the file's opening says."""
    from microagg.kernels.learning.genetic import genetic as kernel

    labels, generations = progress.run(
        "Evolving",
        max_iterations,
        kernel,
        prepared.columns,
        k,
        _any_groups(prepared.n, k, rng),
        population,
        float(crossover),
        float(mutation),
        max_iterations,
        patience,
        np.uint64(rng.integers(0, 2**63)),
        True,
        time_limit=time_limit,
        keep=True,
    )
    note_end(progress, generations, max_iterations)
    result: Labels = labels
    return result


def _any_groups(n: int, k: int, rng: np.random.Generator) -> Labels:
    """Draw groups of k; the records left over join the first."""
    labels = random_groups(n, k, rng)
    labels[labels < 0] = 0
    return labels


def note_end(progress: Progress, generations: int, max_iterations: int) -> None:
    """Say how the search stopped, unless the user ended it."""
    if not progress.cut_short:
        ended = "max_iterations" if generations >= max_iterations else "nothing improves"
        progress.note(stopped=ended)
    progress.note(generations=int(generations))
