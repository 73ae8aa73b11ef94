"""RLD: the share of released records that lead to their own original if some keys are known.

The measure is the mean over the sizes of subsets of the keys, and for each size over its subsets. A
match is the nearest or second nearest original (thesis, 4.4). If all subsets of many keys, all of their
sizes, or all of many records would take too long, the value is estimated from evenly spaced ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np

from microagg.measure.linkage import Linkage, linkage_of
from microagg.measure.pair import Pair
from microagg.measure.registry import measure
from microagg.reporter import Reporter
from microagg.typing import Rows

FEWEST_SUBSETS = 127
"""The number of subsets of seven keys, which is used for any file."""

MOST_SUBSETS = 8191
"""The number of subsets of thirteen keys, which is the maximum for any file."""

QUICK_COMPARISONS = 1_000_000_000
"""Between the two, the number of comparisons that limits the subsets, which takes some seconds."""

MOST_COMPARISONS = 15_000_000_000
"""The product of records and subsets above which records are sampled, down to a quarter of it."""


WIDE = 16
"""A comparison of two records on as many keys counts as one, and on twice as many as two."""


@measure(
    "rld",
    "Linked on some of the quasi-identifiers",
    kind="risk",
    summary="the share of released records that lead to their own original when an intruder knows "
    "only some of the quasi-identifiers, over all subsets",
    formula="mean over sizes c = 1..S, of the mean over all subsets of c quasi-identifiers, of "
    "linkage-second",
    source="Fayyoumi 2008, section 4.4 (RLD)",
    priority=2,
    head="rld %",
)
def rld(pair: Pair) -> float:
    """Return the record linkage disclosure, in percent."""
    by_size = rld_by_size(pair)
    return float(np.mean([value for _, value in sorted(by_size.items())]))


def rld_by_size(pair: Pair) -> dict[int, float]:
    """Return the mean linkage over the subsets of each size, in percent."""
    links = linkage_of(pair)
    width = max(1, len(pair.keys) // WIDE)
    affordable = QUICK_COMPARISONS // (len(links.points) * pair.n * width)
    most = min(max(affordable, FEWEST_SUBSETS // width, WIDE), MOST_SUBSETS)
    subsets = list(subsets_of(len(pair.keys), most))
    sample = _sample(links, len(subsets) * pair.n * width)
    asked = links.asked(sample)
    by_size: dict[int, list[float]] = {}
    pair.progress.begin("Linking by subsets of the quasi-identifiers", len(subsets))
    for done, subset in enumerate(subsets, start=1):
        _, second, rows = asked.matches(subset, Reporter())
        by_size.setdefault(len(subset), []).append(100 * second.sum() / rows.size)
        pair.progress.reach(done)
    if sample is not None or len(subsets) < 2 ** len(pair.keys) - 1:
        records = f"{rows.size:,} of {pair.n:,}" if sample is not None else "all"
        pair.notes["rld"] = (
            f"estimated from {records} released records and {len(subsets):,} of "
            f"{2 ** len(pair.keys) - 1:,} subsets of the quasi-identifiers"
        )
    return {size: float(np.mean(values)) for size, values in by_size.items()}


def _sample(links: Linkage, each: int) -> Rows | None:
    """Return the points to compare if one takes `each` comparisons; None means all."""
    if len(links.points) * each <= MOST_COMPARISONS:
        return None
    return links.evenly(max(1, MOST_COMPARISONS // 4 // each))


def subsets_of(keys: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the subsets of the keys by size: all, or about `most`, evenly spaced within each size.

    Where there are more sizes than that, the sizes are evenly spaced, too.

    Examples
    --------
    >>> list(subsets_of(2, 3))
    [(0,), (1,), (0, 1)]
    >>> list(subsets_of(4, 6))
    [(2,), (0, 2), (1, 3), (0, 1, 3), (1, 2, 3), (0, 1, 2, 3)]
    """
    for size, share in sorted(_shares(keys, most).items()):
        total = comb(keys, size)
        for i in range(share):
            # In the middle of its part: the first of each part would hold the first keys too often.
            yield _combination(keys, size, (2 * i + 1) * total // (2 * share))


def _shares(keys: int, most: int) -> dict[int, int]:
    """Return the number of subsets of each size: the same for each size, or all if there are fewer."""
    shares: dict[int, int] = {}
    count = min(keys, most)
    sizes = [1 + (2 * i + 1) * keys // (2 * count) for i in range(count)]
    for size in sorted(sizes, key=lambda size: comb(keys, size)):
        left = (most - sum(shares.values())) // (count - len(shares))
        shares[size] = min(comb(keys, size), max(1, left))
    return shares


def _combination(keys: int, size: int, rank: int) -> tuple[int, ...]:
    """Return the combination with a certain rank in the order of itertools."""
    chosen: list[int] = []
    total = comb(keys, size)  # of the keys that are left
    for key in range(keys):
        if len(chosen) == size:
            break
        here = total * (size - len(chosen)) // (keys - key)  # those that begin with this key
        if rank < here:
            chosen.append(key)
            total = here
        else:
            rank -= here
            total -= here
    return tuple(chosen)
