"""`Outcome`: everything that is known of a release, computed once.

Provenance, summary and report read it; none of them computes a figure again. Releases of frames in
memory and of files that are larger than memory have the same type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.mask.registry import Masking
from microagg.measure.anonymity import Anonymity, Promise
from microagg.measure.blanks import Blanks
from microagg.measure.copies import Copy
from microagg.measure.diversity.promise import ConfidentialPromise
from microagg.measure.exposure import Exposure
from microagg.measure.loss.information_loss import InformationLoss
from microagg.measure.pair import Pair
from microagg.measure.risk.reidentification import mean_chance
from microagg.measure.units import UnitPromise
from microagg.partition.grouping import Facts
from microagg.partition.partition import Partition
from microagg.pipeline.ending import Ending, ending_of
from microagg.schema import Schema
from microagg.settings import Settings


@dataclass(frozen=True)
class InputFacts:
    """What a release was made from.

    Attributes
    ----------
    rows : int
        Number of records of the input.
    columns, index : tuple of str
        Its columns, and the levels of a pandas index that holds more than row numbers.
    kinds : mapping of str to str
        The kind of each quasi-identifier as it was taken.
    fingerprint : str
        The SHA-256 of the quasi-identifiers of the released records; empty where there is none.
    file, sha256 : str
        The name of the file and the SHA-256 of its bytes; empty for a frame.
    read_as : mapping
        How delimited text was asked to be read.
    blank : tuple of str
        The codes that were taken for blanks.
    """

    rows: int
    columns: tuple[str, ...]
    index: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    fingerprint: str = ""
    file: str = ""
    sha256: str = ""
    read_as: Mapping[str, Any] = field(default_factory=dict)
    blank: tuple[str, ...] = ()


@dataclass(frozen=True)
class GroupFacts:
    """What is known of groups without the records: their number, their sizes, how they were made.

    Attributes
    ----------
    columns : tuple of str
        The columns that the groups are about: all quasi-identifiers, or those of a segment.
    method : str
        What made the groups, as a user would type it.
    sizes : mapping of int to int
        How many groups (value) have which size (key).
    facts : Facts
        How they were made.
    """

    columns: tuple[str, ...]
    method: str
    sizes: Mapping[int, int]
    facts: Facts = field(default_factory=Facts)

    @property
    def count(self) -> int:
        """Number of groups."""
        return sum(self.sizes.values())

    @classmethod
    def of(cls, part: Partition, columns: tuple[str, ...]) -> GroupFacts:
        """Return the facts of a partition."""
        sizes, counts = np.unique(part.sizes, return_counts=True)
        by_size = dict(zip(sizes.tolist(), counts.tolist(), strict=True))
        return cls(columns, part.method, by_size, part.facts)


@dataclass(frozen=True)
class CheckedPromise:
    """A promise, and what was counted on the released values."""

    promise: Promise
    achieved: int


@dataclass(frozen=True)
class CheckedLimit:
    """A promise about confidential values, and what was counted on the released values."""

    promise: ConfidentialPromise
    achieved: float


@dataclass(frozen=True)
class CheckedUnits:
    """A promise about units, what was counted, and whether the column of the units is released."""

    promise: UnitPromise
    achieved: int
    released: bool = False


@dataclass(frozen=True)
class Bound:
    """A proven lower bound on the information loss of any grouping, in percent.

    `gap` is the share of the loss that better groups could save at most.
    """

    lower_bound: float
    gap: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """What is known of a release.

    Attributes
    ----------
    settings : Settings
        What was asked for.
    masking : Masking, optional
        The masking that replaced the values; None for methods that form groups.
    source : InputFacts
        What the release was made from.
    records : int
        Number of released records.
    groups : GroupFacts
        Of whole records.
    segments : tuple of GroupFacts
        Of each set of columns that was masked on its own; mostly there is none.
    promises : tuple of CheckedPromise
        What is promised of k, and what was counted.
    limits : tuple of CheckedLimit
        What is promised of confidential values, and what was counted.
    units : CheckedUnits, optional
        What is promised of units, and what was counted; None where records are counted.
    anonymity : Anonymity
        The equivalence classes of all quasi-identifiers, counted on the released values.
    exposure : Exposure, optional
        What unchanged columns add; None where it was not counted.
    homogeneous : mapping of str to int
        For each confidential column the records in equivalence classes that share one value.
    copies : tuple of Copy
        Unchanged columns that reveal a quasi-identifier or identify records.
    blanks : Blanks, optional
        Missing values that were filled in, and values that were released as missing; None where they
        were not counted.
    index_dropped : bool
        Whether a pandas index that identifies each record was removed.
    loss : InformationLoss
        Of the released values.
    bound : Bound, optional
        Where a lower bound was proved.
    rules : mapping of str to str
        The representative of a group in each column: "mean", "mode", ...
    cautions : tuple of str
        What the reader of the release must know: what is *not* promised.
    strata_joined : bool
        Whether small strata were joined, so that groups cross them.
    seconds : float
        How long it took.
    created : str
        When it was made, in ISO 8601.
    software : mapping of str to str
        The versions that the result depends on.
    """

    settings: Settings
    masking: Masking | None = None
    source: InputFacts
    records: int
    groups: GroupFacts
    segments: tuple[GroupFacts, ...] = ()
    promises: tuple[CheckedPromise, ...]
    limits: tuple[CheckedLimit, ...] = ()
    units: CheckedUnits | None = None
    anonymity: Anonymity
    exposure: Exposure | None = None
    homogeneous: Mapping[str, int] = field(default_factory=dict)
    copies: tuple[Copy, ...] = ()
    blanks: Blanks | None = None
    index_dropped: bool = False
    loss: InformationLoss
    bound: Bound | None = None
    rules: Mapping[str, str]
    cautions: tuple[str, ...] = ()
    strata_joined: bool = False
    seconds: float
    created: str
    software: Mapping[str, str]

    @property
    def schema(self) -> Schema:
        """The role of each column."""
        return self.settings.schema

    @property
    def released_columns(self) -> tuple[str, ...]:
        """The columns of the release, in order."""
        names = self.source.columns
        return tuple(name for name in names if self.schema.role(name) != "identifier")

    @property
    def measures(self) -> dict[str, float]:
        """The main figures by name."""
        loss = self.loss
        figures: dict[str, float] = {"k": self.anonymity.k, "il": loss.il}
        figures |= {"sse": loss.sse, "sst": loss.sst}
        figures |= {"reidentification": mean_chance(self.anonymity)}
        if self.homogeneous:
            figures["homogeneity"] = 100 * max(self.homogeneous.values()) / self.records
        if self.units is not None:
            figures["k-units"] = self.units.achieved
        if self.bound is not None:
            figures |= {"lower_bound": self.bound.lower_bound, "gap": self.bound.gap}
        return figures | {checked.promise.name: checked.achieved for checked in self.limits}

    @property
    def ending(self) -> Ending:
        """How the search for the groups ended."""
        return ending_of(part.facts for part in self.parts())

    def parts(self) -> Iterator[GroupFacts]:
        """Yield the groups of the whole and those of each segment."""
        yield self.groups
        yield from self.segments


@dataclass(frozen=True, eq=False, kw_only=True)
class FrameOutcome(Outcome):
    """The outcome for a frame in memory.

    Attributes
    ----------
    data : DataFrame
        The release, in the caller's type of frame.
    partition : Partition
        Which records share a group.
    partitions : mapping of column names to Partition
        The groups of each segment.
    rows : int64[m], optional
        Which records of the input were released, from 0; None when all were.
    pair : Pair, optional
        The original and the released records, for the measures of a report. It holds original
        values, so it is left out when the outcome is pickled.
    """

    data: Any
    partition: Partition
    partitions: Mapping[tuple[str, ...], Partition] = field(default_factory=dict)
    rows: NDArray[np.int64] | None = None
    pair: Pair | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "pair": None}
