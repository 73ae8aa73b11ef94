"""Which columns look like codes, of records that come in pieces: the same as in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from microagg.suggest import FEW, few, sounds_like_a_place

Floats = NDArray[np.float64]


class Codes:
    """The different values of each column, as long as they are whole and few.

    Parameters
    ----------
    names : sequence of str
        Of the columns.

    Examples
    --------
    >>> codes = Codes(["sex", "height", "zip"])
    >>> for _ in range(5):
    ...     codes.add(np.array([[1.0, 2.0], [1.7, 1.8], [10115.5, 8001.0]]))
    >>> codes.found()
    ['sex', 'zip']
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names, self._n = names, 0
        self._different = {name: np.empty(0) for name in names}

    def add(self, columns: Floats) -> None:
        """Take note of more records, float64[d, m]."""
        self._n += columns.shape[1]
        for name, column in zip(self._names, columns, strict=True):
            before = self._different.pop(name, None)
            if before is not None and (column == np.rint(column)).all():
                different = np.unique(np.concatenate([before, column]))
                if different.size <= FEW:
                    self._different[name] = different

    def found(self) -> list[str]:
        """Return the columns that look like codes."""
        return [
            name
            for name in self._names
            if sounds_like_a_place(name)
            or (name in self._different and few(self._different[name].size, self._n))
        ]
