"""Whether a release satisfies its promise, counted on the released values alone.

Nothing here depends on the groups that a method formed. Records are equal if all their released
quasi-identifiers are equal, and a missing value is a value like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from microagg.data.frames import Frame
from microagg.errors import AnonymityError, DataError
from microagg.measure.classes import EquivalenceClasses
from microagg.schema import column_names


@dataclass(frozen=True)
class Anonymity:
    """The number of records that share each combination of quasi-identifiers.

    Attributes
    ----------
    k : int
        The number of records with the rarest combination: the k that actually holds.
    n_classes : int
        The number of distinct combinations, which are the equivalence classes.
    class_sizes : mapping
        The number of equivalence classes (value) of each size (key).
    """

    k: int
    n_classes: int
    class_sizes: dict[int, int]

    @property
    def records(self) -> int:
        """Number of records."""
        return sum(size * count for size, count in self.class_sizes.items())

    def below(self, k: int) -> int:
        """Return the number of records in equivalence classes of fewer than k records."""
        return sum(size * count for size, count in self.class_sizes.items() if size < k)


@dataclass(frozen=True)
class Promise:
    """The promise that at least k records share each combination of some columns."""

    columns: tuple[str, ...]
    k: int

    def as_written(self) -> Promise:
        """Return the promise with column names as text, as in files."""
        return Promise(tuple(map(str, self.columns)), self.k)

    def require(self, classes: EquivalenceClasses) -> Anonymity:
        """Return the anonymity of a release, or raise if it does not satisfy the promise."""
        return self.required_of(anonymity_of(classes, self.columns))

    def required_of(self, counted: Anonymity) -> Anonymity:
        """Return the counts, or raise if they do not satisfy the promise."""
        if counted.k < self.k:
            raise AnonymityError(
                f"{counted.below(self.k)} released records are in classes of fewer than k={self.k} "
                f"records with the same quasi-identifiers (the smallest class has {counted.k}). "
                "Nothing was released."
            )
        return counted


def anonymity(data: Any, quasi_identifiers: Sequence[str]) -> Anonymity:
    """Count how many records of `data` share each combination of quasi-identifiers.

    Parameters
    ----------
    data : DataFrame
        A pandas, polars or pyarrow frame, usually a release.
    quasi_identifiers : list of column names
        The columns that define the equivalence classes.

    Returns
    -------
    Anonymity
        The smallest size of an equivalence class (`k`), and how many classes have each size.

    Examples
    --------
    >>> import pyarrow as pa
    >>> anonymity(pa.table({"age": [30, 30, 41, 41, 41]}), ["age"])
    Anonymity(k=2, n_classes=2, class_sizes={2: 1, 3: 1})
    """
    frame = Frame(data)
    names = column_names("quasi_identifiers", quasi_identifiers)
    frame.require(names, "quasi_identifiers")
    return anonymity_of(EquivalenceClasses(frame), names)


def anonymity_of(classes: EquivalenceClasses, columns: Sequence[str]) -> Anonymity:
    """Return the sizes of the equivalence classes of some columns."""
    if not columns or not classes.frame.n:
        missing = "records" if columns else "quasi-identifiers"
        raise DataError(f"There are no {missing} to count on.")
    values, counts = np.unique(classes.sizes(columns), return_counts=True)
    by_size = dict(zip(values.tolist(), counts.tolist(), strict=True))
    return Anonymity(k=min(by_size), n_classes=sum(by_size.values()), class_sizes=by_size)
