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
from microagg.errors import AnonymityError


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


def anonymity(data: Any, quasi_identifiers: Sequence[str]) -> Anonymity:
    """Count how many records of `data` share each combination of quasi-identifiers.

    Examples
    --------
    >>> import pyarrow as pa
    >>> anonymity(pa.table({"age": [30, 30, 41, 41, 41]}), ["age"])
    Anonymity(k=2, n_classes=2, class_sizes={2: 1, 3: 1})
    """
    frame = Frame(data)
    frame.require(quasi_identifiers, "quasi_identifiers")
    sizes = np.bincount(_classes(frame.select(quasi_identifiers)))
    values, counts = np.unique(sizes, return_counts=True)
    by_size = dict(zip(values.tolist(), counts.tolist(), strict=True))
    return Anonymity(k=int(sizes.min()), n_classes=int(sizes.size), class_sizes=by_size)


def require_anonymity(data: Any, quasi_identifiers: Sequence[str], k: int) -> Anonymity:
    """Return the anonymity of `data`, or raise when it is below `k`."""
    found = anonymity(data, quasi_identifiers)
    if found.k < k:
        below = sum(size * count for size, count in found.class_sizes.items() if size < k)
        raise AnonymityError(
            f"{below} released records share their quasi-identifiers with fewer than k={k} "
            f"records (the fewest: {found.k}). Nothing was released."
        )
    return found


def _classes(table: Any) -> NDArray[np.int64]:
    """Number the rows of a pyarrow Table so that equal rows have equal numbers."""
    classes = np.zeros(table.num_rows, dtype=np.int64)
    for column in table.columns:
        # A dictionary keeps missing values as a code of their own and tells 0.0 from -0.0,
        # which look different in a written file.
        encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
        codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        pairs = classes * (codes.max() + 1) + codes
        classes = np.unique(pairs, return_inverse=True)[1]
    return classes
