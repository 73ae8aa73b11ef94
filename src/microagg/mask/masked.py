"""What a masking is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.mask.constrained import Guard
from microagg.measure.anonymity import Promise
from microagg.measure.diversity.promise import ConfidentialPromise
from microagg.partition.partition import Partition
from microagg.prepare.prepared import Prepared
from microagg.progress import Progress

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Task:
    """Records to be masked, and how.

    Attributes
    ----------
    original : mapping of column name to float64[n]
        The quasi-identifiers as they are.
    prepared : Prepared
        The same, made comparable.
    scale : str
        How they were.
    k, method, refine, seed, parameters, columns, segments
        As `protect` was given them.
    guard : Guard, optional
        What groups must hold beside k.
    aggregate : str
        "mean" or "hybrid".
    kept : tuple of str
        What of the frame is released as it is.
    """

    original: Mapping[str, Floats]
    prepared: Prepared
    scale: str
    k: int
    method: str
    refine: str | Sequence[str] | None = None
    seed: int = 0
    progress: Progress = field(default_factory=Progress)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    columns: str | Sequence[str] | None = None
    segments: int | Sequence[Sequence[str]] | None = None
    guard: Guard | None = None
    aggregate: str = "mean"
    kept: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns to be masked."""
        return tuple(self.original)

    def only(self, names: Sequence[str]) -> Task:
        """Return the same task for some of the columns."""
        original = {name: self.original[name] for name in names}
        return replace(self, original=original, prepared=self.prepared.only(names))


@dataclass(frozen=True, eq=False)
class Masked:
    """New values, and what may be claimed of them.

    Attributes
    ----------
    columns : mapping of column name to float64[n]
        The values to release.
    partition : Partition
        Which records share their values; its k is 1 where no group is promised.
    promises : tuple of Promise
        What is checked on the released values.
    cautions : tuple of str
        What the reader of the release must be told: what is *not* promised.
    segments : mapping of column names to Partition
        The groups of each set of columns, where these were masked each on its own.
    beyond : tuple of ConfidentialPromise
        What is checked of the confidential columns.
    """

    columns: Mapping[str, Floats]
    partition: Partition
    promises: tuple[Promise, ...]
    cautions: tuple[str, ...] = ()
    segments: Mapping[tuple[str, ...], Partition] = field(default_factory=dict)
    beyond: tuple[ConfidentialPromise, ...] = ()
