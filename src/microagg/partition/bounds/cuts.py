"""Cuts: inequalities that every partition meets and a mixture of groups may violate.

Give some records whole weights, and divide by a modulus. Each record is in exactly one group, so that the
weights of all groups of a partition add up to the weight of all these records. Rounding down each group's
quotient, and then their sum, leaves

    sum over groups of  floor(weight of the group / modulus)  <=  floor(weight of all / modulus).

A mixture may violate it: with three records of weight 1 and a modulus of 2, half of {1, 2, ..}, half of
{1, 3, ..} and half of {2, 3, ..} add up to one and a half, where a partition has at most one group that
holds two of the three. Each cut makes the master problem dearer and keeps every partition.

A cut is divided by its right-hand side, so that the groups of every partition add up to at most 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from microagg.typing import Floats, Rows


class Kind(NamedTuple):
    """The weights of a cut's records, the largest first, and the modulus."""

    weights: tuple[int, ...]
    modulus: int

    @property
    def limit(self) -> int:
        """The right-hand side."""
        return sum(self.weights) // self.modulus


KINDS = (
    Kind((1, 1, 1), 2),
    Kind((2, 1, 1, 1), 3),
    Kind((1, 1, 1, 1, 1), 3),
    Kind((2, 2, 1, 1, 1), 4),
    Kind((3, 1, 1, 1, 1), 4),
    Kind((3, 2, 2, 1, 1), 5),
    Kind((1, 1, 1, 1, 1), 2),
    Kind((2, 2, 1, 1, 1), 3),
    Kind((3, 3, 2, 2, 1), 4),
    Kind((1,) * 7, 2),
    Kind((1,) * 9, 2),
    Kind((1,) * 11, 2),
    Kind((2, 1, 1, 1, 1, 1, 1), 3),
    Kind((2, 2, 1, 1, 1, 1), 3),
    Kind((1,) * 8, 3),
    Kind((1,) * 11, 3),
    Kind((1,) * 7, 4),
    Kind((1,) * 11, 4),
    Kind((1,) * 9, 5),
    Kind((2, 1, 1, 1, 1, 1), 4),
    Kind((2, 2, 1, 1, 1, 1, 1), 5),
    Kind((2, 2, 2, 1, 1, 1), 5),
    Kind((3, 2, 1, 1, 1, 1), 5),
    Kind((2, 2, 1, 1, 1, 1, 1, 1, 1), 3),
    Kind((2, 1, 1, 1, 1, 1, 1, 1, 1, 1), 3),
    Kind((2, 2, 1, 1, 1, 1, 1, 1, 1), 4),
    Kind((2, 1, 1, 1, 1, 1, 1, 1, 1, 1), 4),
    Kind((2, 2, 2, 1, 1, 1, 1, 1), 4),
    Kind((2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1), 3),
    Kind((3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1), 5),
)
"""All that may be violated most, for up to five records: Pecin, Pessoa, Poggi, Uchoa and Santos 2017.

Triples, the first kind, are the subset-row cuts of Jepsen, Petersen, Spoorendonk and Pisinger 2008. The
kinds from number 9 on have more records. They were chosen by trial: solutions for Census with k = 5 violate
cuts of each of them."""

SMALL_KINDS, LARGE_KINDS, OTHER_KINDS = range(1, 9), range(9, 14), range(14, len(KINDS))
"""The numbers of the kinds of four or five records, of more, and of those that are violated least often."""

MOST_RECORDS = max(len(kind.weights) for kind in KINDS)
HEAVIEST = max(sum(kind.weights) for kind in KINDS)

MODULI = np.array([kind.modulus for kind in KINDS])
LIMITS = np.array([kind.limit for kind in KINDS])
WEIGHTS = np.array([kind.weights + (0,) * (MOST_RECORDS - len(kind.weights)) for kind in KINDS])


@dataclass(frozen=True)
class GroupCuts:
    """Some cuts.

    Attributes
    ----------
    kinds : int64[m]
        The number of each one's kind in KINDS.
    rows : int64[m, MOST_RECORDS]
        Its records in the order of the kind's weights; -1 if the kind has fewer.

    Examples
    --------
    >>> cuts = GroupCuts.of(0, [[3, 4, 7]]).plus(GroupCuts.of(6, [[0, 1, 2, 3, 4]]))
    >>> len(cuts), cuts.first(1).rows[:, :5].tolist(), cuts.limits.tolist()
    (2, [[3, 4, 7, -1, -1]], [1, 2])
    """

    kinds: Rows
    rows: Rows

    @classmethod
    def of(cls, kind: int, rows: Any = ()) -> GroupCuts:
        """Return cuts of one kind on these records."""
        width = len(KINDS[kind].weights)
        narrow = np.asarray(rows, dtype=np.int64).reshape(-1, width)
        wide = np.full((len(narrow), MOST_RECORDS), -1)
        wide[:, :width] = narrow
        return cls(np.full(len(narrow), kind), wide)

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def weights(self) -> Rows:
        """The weight of each record; 0 where there is none."""
        weights: Rows = WEIGHTS[self.kinds]
        return weights

    @property
    def moduli(self) -> Rows:
        """The modulus of each cut."""
        return MODULI[self.kinds]

    @property
    def limits(self) -> Rows:
        """The right-hand side of each cut, before the cut is divided by it."""
        return LIMITS[self.kinds]

    def first(self, count: int) -> GroupCuts:
        """Return the first of the cuts."""
        return GroupCuts(self.kinds[:count], self.rows[:count])

    def plus(self, others: GroupCuts) -> GroupCuts:
        """Return these cuts and then others."""
        return GroupCuts(
            np.concatenate([self.kinds, others.kinds]), np.concatenate([self.rows, others.rows])
        )

    def among(self, rows: Rows) -> GroupCuts:
        """Return the cuts of a part, whose records have these numbers in the whole."""
        return GroupCuts(self.kinds, np.where(self.rows >= 0, rows[self.rows], -1))

    def keys(self) -> list[tuple[int, ...]]:
        """Return what tells one cut from another."""
        return [tuple(key) for key in np.column_stack([self.kinds, self.rows]).tolist()]


def entries_of(groups: Sequence[Rows], cuts: GroupCuts, n: int) -> Any:
    """Return a sparse row for each group: ones for its records, then its share of each cut.

    Examples
    --------
    >>> entries_of([np.array([0, 1]), np.array([1, 2, 3])], GroupCuts.of(0, [[0, 1, 3]]), 4).toarray()
    array([[1., 1., 0., 0., 1.],
           [0., 1., 1., 1., 1.]])
    """
    from scipy.sparse import csr_array, hstack

    ends = np.cumsum([0, *map(len, groups)])
    columns = np.concatenate([np.empty(0, dtype=np.int64), *groups])
    records = csr_array((np.ones(columns.size), columns, ends), shape=(len(groups), n))
    which, place = np.nonzero(cuts.weights)
    weights = csr_array(
        (cuts.weights[which, place].astype(np.float64), (cuts.rows[which, place], which)),
        shape=(n, len(cuts)),
    )
    shares = (records @ weights).tocsr()
    shares.data = shares_of(shares.data, cuts.moduli[shares.indices], cuts.limits[shares.indices])
    shares.eliminate_zeros()
    return hstack([records, shares], format="csr")


def shares_of(weights: Floats, moduli: Rows, limits: Rows) -> Floats:
    """Return what groups of these weights add to cuts.

    Examples
    --------
    >>> shares_of(np.array([1.0, 2.0, 5.0]), np.array([2, 2, 2]), np.array([2, 2, 2])).tolist()
    [0.0, 0.5, 1.0]
    """
    shares: Floats = (weights // moduli) / limits
    return shares
