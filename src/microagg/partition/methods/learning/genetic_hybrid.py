"""Genetic-hybrid: groups of MDAV, improved by a genetic algorithm on a few neighbouring groups at a time.

Reference: Martinez-Balleste, Solanas, Domingo-Ferrer, Mateo-Sanz 2007 (ICDE Workshops); Solanas
2008, as described in the comparative study of 2012, section 3.1.

Idea: MDAV forms groups of k records. MDAV on their centroids forms macro-groups of about K records.
The genetic algorithm then partitions the records of each macro-group again, starting from the
groups of MDAV.

Cost: MDAV, and O(K^2 d) for each chromosome, generation and macro-group. Memory O(nd).

Where the papers are silent or wrong: they give 12 to 27 for `macro_size`, K, as a multiple of k.
"auto" is the largest multiple of k up to 27, or 2k if that is larger. Any other K is rounded down
to a multiple of k. A macro-group can have up to twice K records less one group, like the last group
of MDAV. Everything else is as in `genetic`, except that one chromosome of the first population is
the partition of MDAV, so that no macro-group becomes worse. Macro-groups are searched in `threads`,
each with its own random numbers, so the labels do not depend on the number of threads. If the user
interrupts the search, macro-groups that were not searched keep the groups of MDAV.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from microagg.constraints import AtLeast, Between
from microagg.context import Context, Ticker
from microagg.errors import ParameterError
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.methods.learning.genetic import Share, facts_of
from microagg.partition.registry import method
from microagg.partition.rules.centroid_seeded import centroid_seeded
from microagg.partition.rules.index import on_records
from microagg.prepare.prepared import Prepared
from microagg.threads import workers
from microagg.typing import Labels, Rows

fixed_size = lazy("microagg.kernels.fixed.fixed_size")
kernels = lazy("microagg.kernels.learning.genetic")


SMALLEST, LARGEST = 12, 27
"""The sizes of macro-groups in the papers."""


@method(
    "genetic-hybrid",
    summary="groups of mdav, improved by a genetic algorithm on a few groups at a time",
    reference="Martinez-Balleste et al. 2007",
    time="O(n^2 d / k), and O(n K d) per chromosome and generation",
    deterministic=False,
    timed=True,
    brief={"max_iterations": 1},
)
def genetic_hybrid(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    macro_size: Annotated[int, Between(SMALLEST, LARGEST)] | Literal["auto"] = "auto",
    population: Annotated[int, AtLeast(2)] = 60,
    crossover: Share = 0.5,
    mutation: Share = 0.02,
    patience: Annotated[int, AtLeast(1)] = 100,
    max_iterations: Annotated[int, AtLeast(1)] = 1000,
    threads: Annotated[int, AtLeast(1)] | None = None,
) -> Grouping:
    """Group the records as described in the module docstring."""
    groups_each = _groups_each(macro_size, k)
    labels = centroid_seeded(prepared, k, context, opposite=True, growth="nn", leftovers="group")
    macro_groups = _macro_groups(prepared.columns, labels, groups_each, context)
    if context.budget.stopped:
        return Grouping(labels, facts_of(context, 0, max_iterations))
    seeds = context.rng.integers(0, 2**63, len(macro_groups)).astype(np.uint64)
    rates = (population, float(crossover), float(mutation), max_iterations, patience)
    search = _Search(prepared.columns, labels, k, rates, threads or workers())
    generations = context.run(
        "Evolving",
        len(macro_groups),
        search.run,
        macro_groups,
        seeds,
        keep=True,
    )
    facts = replace(
        facts_of(context, generations, max_iterations),
        macro_size=groups_each * k,
        macro_groups=len(macro_groups),
    )
    return Grouping(search.labels, facts)


def _groups_each(macro_size: int | str, k: int) -> int:
    """Return the number of groups of k in a macro-group."""
    if isinstance(macro_size, str):
        return max(LARGEST // k, 2)
    if macro_size < 2 * k:
        raise ParameterError(
            f"must be at least 2k={2 * k} or 'auto'. Got {macro_size}.",
            parameter="macro_size",
            caller="genetic-hybrid",
            hint="A macro-group of one group leaves nothing to search; 'auto' chooses a size that suits k.",
        )
    return macro_size // k


def _macro_groups(
    columns: NDArray[np.float64], labels: Labels, groups_each: int, context: Context
) -> list[Rows]:
    """Group the groups by MDAV on their centroids; returns the records of each macro-group.

    If the user interrupts the grouping, there are none.
    """
    n_groups = int(labels.max()) + 1
    totals, sizes = fixed_size.group_totals(columns, n_groups, labels)
    centroids = np.ascontiguousarray((totals / sizes[:, None]).T)
    centroids.flags.writeable = False
    rules = (True, fixed_size.GROWTH["nn"], fixed_size.LEFTOVERS["group"])
    seeded = on_records(fixed_size.centroid_seeded, "auto")
    of_groups = context.run(
        "Gathering",
        n_groups,
        seeded,
        centroids,
        groups_each,
        *rules,
        keep=True,
    )
    if context.budget.stopped:
        return []
    macro = of_groups[labels]
    order = np.lexsort((labels, macro))  # records of a group side by side: crossovers keep them
    return list(np.split(order, np.cumsum(np.bincount(macro))[:-1]))


class _Search:
    """The genetic search in every macro-group; `labels` is the best so far."""

    def __init__(
        self,
        columns: NDArray[np.float64],
        labels: Labels,
        k: int,
        rates: tuple[int, float, float, int, int],
        threads: int,
    ) -> None:
        self.columns, self.labels, self.k = columns, labels, k
        self.rates, self.threads = rates, threads

    def run(self, macro_groups: list[Rows], seeds: NDArray[np.uint64], ticker: Ticker) -> int:
        """Search all; ticker[0] counts macro-groups. Returns the most generations of any."""
        most = 0
        first_label = 0
        with ThreadPoolExecutor(self.threads) as pool:
            tasks = [
                pool.submit(self._search, rows, seed, ticker)
                for rows, seed in zip(macro_groups, seeds, strict=True)
            ]
            for done, (rows, task) in enumerate(zip(macro_groups, tasks, strict=True), start=1):
                labels, generations = task.result()
                self.labels[rows] = labels + first_label
                first_label += int(labels.max()) + 1
                most = max(most, generations)
                ticker[0] = done
        return most

    def _search(self, rows: Rows, seed: np.uint64, ticker: Ticker) -> tuple[Labels, int]:
        """Search one macro-group, unless all must stop."""
        start = np.unique(self.labels[rows], return_inverse=True)[1].astype(np.int32)
        if ticker[1] != 0:
            return start, 0
        columns = np.ascontiguousarray(self.columns[:, rows])
        columns.flags.writeable = False  # as all records are: one compilation serves both
        evolved: tuple[Labels, int] = kernels.genetic(
            columns, self.k, start, *self.rates, seed, False, ticker
        )
        return evolved
