"""Does the release hold what it promises? Counted on the released values alone.

Nothing here knows of our own groups: records are alike when all their released
quasi-identifiers are, and a missing value is a value like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.frames import Frame
from microagg.errors import AnonymityError, DataError
from microagg.schema import column_names


@dataclass(frozen=True)
class Anonymity:
    """How many records share each combination of quasi-identifiers.

    Attributes
    ----------
    k : int
        The records of the rarest combination: the k that the release really has.
    n_classes : int
        The number of different combinations.
    class_sizes : mapping
        How many combinations (value) are shared by how many records (key).
    """

    k: int
    n_classes: int
    class_sizes: dict[int, int]


@dataclass(frozen=True)
class Promise:
    """What a release promises: at least k records share each combination of these columns."""

    columns: tuple[str, ...]
    k: int

    def as_written(self) -> Promise:
        """Return the promise with the column names as files know them: as text."""
        return Promise(tuple(map(str, self.columns)), self.k)

    def require(self, data: Any) -> Anonymity:
        """Return the anonymity of `data`, or raise when it does not hold the promise."""
        return require(data, self)


def anonymity(data: Any, quasi_identifiers: Sequence[str]) -> Anonymity:
    """Count how many records of `data` share each combination of quasi-identifiers.

    Examples
    --------
    >>> import pyarrow as pa
    >>> anonymity(pa.table({"age": [30, 30, 41, 41, 41]}), ["age"])
    Anonymity(k=2, n_classes=2, class_sizes={2: 1, 3: 1})
    """
    frame = Frame(data)
    names = column_names("quasi_identifiers", quasi_identifiers)
    frame.require(names, "quasi_identifiers")
    if not names or not frame.n:
        missing = "records" if names else "quasi-identifiers"
        raise DataError(f"There are no {missing} to count on.")
    sizes = np.bincount(classes_of(frame.select(names)))
    values, counts = np.unique(sizes, return_counts=True)
    by_size = dict(zip(values.tolist(), counts.tolist(), strict=True))
    return Anonymity(k=int(sizes.min()), n_classes=int(sizes.size), class_sizes=by_size)


def require(data: Any, promise: Promise) -> Anonymity:
    """Return the anonymity of `data`, or raise when it does not hold the promise."""
    found = anonymity(data, promise.columns)
    if found.k < promise.k:
        below = sum(size * count for size, count in found.class_sizes.items() if size < promise.k)
        raise AnonymityError(
            f"{below} released records share their quasi-identifiers with fewer than "
            f"k={promise.k} records (the fewest: {found.k}). Nothing was released."
        )
    return found


def classes_of(table: Any) -> NDArray[np.int64]:
    """Number the rows of a pyarrow Table so that equal rows have equal numbers."""
    classes = np.zeros(table.num_rows, dtype=np.int64)
    for name, column in zip(table.column_names, table.columns, strict=True):
        encoded = _encoded(name, column)
        codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        pairs = classes * (codes.max() + 1) + codes
        classes = np.unique(pairs, return_inverse=True)[1]
    return classes


def _encoded(name: str, column: Any) -> Any:
    """Number the values of a column, missing ones as a value of their own."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):  # which leaves missing values without a number
        column = column.cast(column.type.value_type)
    try:
        # Tells 0.0 from -0.0, which look different in a written file.
        return column.combine_chunks().dictionary_encode(null_encoding="encode")
    except pa.ArrowNotImplementedError:
        pass
    raise DataError(
        f"Column '{name}' holds {column.type}, which cannot be compared.",
        hint="Leave it out of the quasi-identifiers.",
    )
