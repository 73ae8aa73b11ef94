"""RLD: how many released records lead to their own original, when some keys are known.

The mean over the sizes of the subsets of the keys; of each size, the mean over its subsets. A
match is the nearest or second nearest original (thesis, 4.4). With more than seven keys, or many
records, evenly spaced subsets and released records stand for all; the value is then an estimate.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np

from microagg.measure.linkage import Linkage, Rows, linkage_of
from microagg.measure.pair import Pair
from microagg.measure.registry import measure
from microagg.progress import Progress

MOST_SUBSETS = 127
"""All subsets of seven keys."""

MOST_COMPARISONS = 15_000_000_000
"""Records compared, times subsets, up to which all are; beyond, a sample of a quarter of that."""


@measure(
    "rld",
    "Recognised by some of the keys",
    kind="risk",
    summary="the share of released records that lead to their own original when an intruder knows "
    "only some of the keys, over all subsets",
    formula="mean over sizes c = 1..S, of the mean over all subsets of c keys, of linkage-second",
    source="Fayyoumi 2008, section 4.4 (RLD)",
    good=10.0,
    poor=30.0,
)
def rld(pair: Pair) -> float:
    """Return the record linkage disclosure, in percent."""
    by_size = rld_by_size(pair)
    return float(np.mean([value for _, value in sorted(by_size.items())]))


def rld_by_size(pair: Pair) -> dict[int, float]:
    """Return the mean linkage over the subsets of each size, in percent."""
    links = linkage_of(pair)
    subsets = list(subsets_of(len(pair.keys)))
    sample = _sample(links, len(subsets) * pair.n)
    found: dict[int, list[float]] = {}
    pair.progress.begin("Linking by subsets of the keys", len(subsets))
    for done, subset in enumerate(subsets, start=1):
        _, second, rows = links.matches(subset, sample, Progress())
        found.setdefault(len(subset), []).append(100 * second.sum() / rows.size)
        pair.progress.reach(done)
    if sample is not None or len(subsets) < 2 ** len(pair.keys) - 1:
        pair.notes["rld"] = (
            f"estimated from {rows.size:,} of {pair.n:,} released records and {len(subsets)} of "
            f"{2 ** len(pair.keys) - 1:,} subsets of the keys"
        )
    return {size: float(np.mean(values)) for size, values in found.items()}


def _sample(links: Linkage, each: int) -> Rows | None:
    """Return the points to ask for, when one costs `each` comparisons; None is all."""
    if len(links.points) * each <= MOST_COMPARISONS:
        return None
    return links.evenly(max(1, MOST_COMPARISONS // 4 // each))


def subsets_of(keys: int) -> Iterator[tuple[int, ...]]:
    """Yield the subsets of the keys by size, all or evenly spaced ones.

    Examples
    --------
    >>> list(subsets_of(2))
    [(0,), (1,), (0, 1)]
    """
    if 2**keys - 1 <= MOST_SUBSETS:
        for size in range(1, keys + 1):
            yield from combinations(range(keys), size)
        return
    share = max(1, MOST_SUBSETS // keys)
    for size in range(1, keys + 1):
        total = comb(keys, size)
        wanted = {i * total // share for i in range(share)} if total > share else set(range(total))
        for rank in sorted(wanted):
            yield _combination(keys, size, rank)


def _combination(keys: int, size: int, rank: int) -> tuple[int, ...]:
    """Return the combination of the given rank in the order of itertools."""
    chosen: list[int] = []
    for key in range(keys):
        if len(chosen) == size:
            break
        here = comb(keys - key - 1, size - len(chosen) - 1)  # those that begin with this key
        if rank < here:
            chosen.append(key)
        else:
            rank -= here
    return tuple(chosen)
