"""`Partition`: the result of every method, an assignment of records to groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from microagg.constraints import IsInteger, check
from microagg.errors import AnonymityError, DataError
from microagg.lazy import lazy
from microagg.notebook import html_table
from microagg.partition.grouping import Facts
from microagg.renamed import renamed_attribute

if TYPE_CHECKING:
    from matplotlib.axes import Axes

drawing = lazy("microagg.partition.plot")


@dataclass(frozen=True, eq=False)
class Partition:
    """Groups of at least `k` records.

    Parameters
    ----------
    labels : array of int, shape (n,)
        The group of each record, numbered from 0 without a gap.
    k : int
        The minimum group size.
    method : str
        The method that formed the groups, as a user would type it.
    facts : Facts
        How the groups were formed: how a search stopped, the bound it proved, and so on.

    Examples
    --------
    >>> part = Partition([0, 0, 1, 1, 1], k=2)
    >>> part.n_groups, part.sizes.tolist()
    (2, [2, 3])
    """

    labels: NDArray[np.int32]
    k: int
    method: str = ""
    facts: Facts = field(default_factory=Facts)

    def __post_init__(self) -> None:
        labels = _as_labels(self.labels)
        labels.flags.writeable = False
        object.__setattr__(self, "labels", labels)
        check("k", self.k, IsInteger(1), "Partition")
        object.__setattr__(self, "k", int(self.k))
        self.validate()

    def __repr__(self) -> str:
        return (
            f"Partition(n={self.n}, k={self.k}, n_groups={self.n_groups}, "
            f"sizes {self.sizes.min()}..{self.sizes.max()}, method={self.method!r})"
        )

    def _repr_html_(self) -> str:
        sizes, counts = np.unique(self.sizes, return_counts=True)
        rows = [
            {"records in a group": int(size), "groups": int(count)}
            for size, count in zip(sizes, counts, strict=True)
        ]
        return html_table(rows, caption=repr(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Partition):
            return NotImplemented
        return self.k == other.k and np.array_equal(self.labels, other.labels)

    def __hash__(self) -> int:
        return hash((self.k, self.labels.tobytes()))

    def __getattr__(self, name: str) -> NoReturn:
        raise renamed_attribute("Partition", name)

    def __reduce__(self) -> tuple[object, ...]:
        # Built again when unpickled: arrays come out of a pickle writeable and unchecked.
        return Partition, (np.asarray(self.labels), self.k, self.method, self.facts)

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.labels.size)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of records in each group."""
        sizes = np.bincount(self.labels)
        sizes.flags.writeable = False
        return sizes

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.sizes.size)

    @cached_property
    def by_group(self) -> NDArray[np.int64]:
        """The row numbers, sorted by group; ascending within each group."""
        order = np.argsort(self.labels, kind="stable")
        order.flags.writeable = False
        return order

    def groups(self) -> Iterator[NDArray[np.int64]]:
        """Yield the row numbers of each group, in order of the labels."""
        yield from np.split(self.by_group, np.cumsum(self.sizes)[:-1])

    def plot(self, X: Any = None, *, ax: Axes | None = None) -> Axes:
        """Draw the groups with matplotlib.

        Parameters
        ----------
        X : array or DataFrame of numbers, optional
            The records that were grouped. Two columns are drawn as they are, more columns by their
            first two principal components. Without records, the sizes of the groups are drawn.
        ax : matplotlib Axes, optional
            Where to draw; by default, a new figure.

        Returns
        -------
        matplotlib Axes
        """
        if X is None:
            return drawing.draw_sizes(self, ax)  # type: ignore[no-any-return]
        return drawing.draw_groups(self, X, ax)  # type: ignore[no-any-return]

    def validate(self) -> None:
        """Raise `AnonymityError` if a group is smaller than k."""
        too_small = int(np.count_nonzero(self.sizes < self.k))
        if too_small:
            raise AnonymityError(
                f"{too_small} of {self.n_groups} groups have fewer than k={self.k} records "
                f"(the smallest has {int(self.sizes.min())})."
            )


def _as_labels(labels: ArrayLike) -> NDArray[np.int32]:
    array = np.array(labels)
    if array.ndim != 1 or array.size == 0 or not np.issubdtype(array.dtype, np.integer):
        raise DataError("Labels must be a one-dimensional array of integers, one for each record.")
    if array.min() < 0:
        raise AnonymityError(f"{int((array < 0).sum())} records are in no group.")
    groups = int(array.max()) + 1
    if groups > array.size or not np.bincount(array).all():
        raise DataError(
            "Labels must be numbered from 0 without a gap.",
            hint="np.unique(labels, return_inverse=True)[1] renumbers them.",
        )
    return array.astype(np.int32)
