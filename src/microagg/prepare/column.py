"""`Column`: a quasi-identifier as numbers, with distances between its categories if specified."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from microagg.typing import Floats


@dataclass(frozen=True, eq=False)
class Column:
    """A quasi-identifier.

    Attributes
    ----------
    name : str
        The name of the column.
    kind : {"continuous", "ordinal", "nominal"}
        The meaning of its numbers: amounts, ranks of categories, or codes of categories.
    values : float64[n]
        The numbers; NaN if missing.
    labels : tuple of str
        The categories as text, by number. Messages never show them.
    between : float64[m, m], optional
        Distances between the categories of a nominal column; without them, all distances are equal.
    """

    name: str
    kind: str
    values: Floats
    labels: tuple[str, ...] = field(repr=False, default=())
    between: Floats | None = field(repr=False, default=None)

    @property
    def blank(self) -> NDArray[np.bool_]:
        """Whether each value is missing."""
        return np.isnan(self.values)

    @property
    def nominal(self) -> bool:
        """Whether its numbers are codes without an order."""
        return self.kind == "nominal"

    def filled(self, values: Floats) -> Column:
        """Return the column with other numbers."""
        return replace(self, values=values)


def fingerprint(columns: Mapping[str, Column]) -> str:
    """Return the SHA-256 of the names and values of the quasi-identifiers, in order."""
    digest = hashlib.sha256()
    for name, column in columns.items():
        digest.update(json.dumps(str(name)).encode())
        if column.labels:
            digest.update(json.dumps(column.labels).encode())
        values = np.where(column.blank, np.nan, column.values)  # NaN has many forms
        digest.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
    return digest.hexdigest()
