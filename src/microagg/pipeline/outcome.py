"""`Outcome`: everything that is known about a release, computed once.

Provenance, summary and report read it and compute nothing themselves. Releases of frames in
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
from microagg.pipeline.left_out import LeftOut
from microagg.schema import Schema
from microagg.settings import Settings


@dataclass(frozen=True)
class InputFacts:
    """Facts about the input of a release.

    Attributes
    ----------
    rows : int
        Number of records of the input.
    columns, index : tuple of str
        Its columns, and the levels of a pandas index other than row numbers.
    kinds : mapping of str to str
        The kind that was used for each quasi-identifier.
    fingerprint : str
        The SHA-256 of the quasi-identifiers of the released records; empty if it was not computed.
    file, sha256 : str
        The name of the file and the SHA-256 of its bytes; empty for a frame.
    read_as : mapping
        The options for reading delimited text.
    blank : tuple of str
        The codes that were treated as missing.
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
    """Facts about groups, without the records: their number, their sizes, and how they were formed.

    Attributes
    ----------
    columns : tuple of str
        The columns that were grouped: all quasi-identifiers, or those of a segment.
    method : str
        The method that formed the groups, as a user would type it.
    sizes : mapping of int to int
        The number of groups (value) of each size (key).
    facts : Facts
        How the groups were formed.
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
    """A promise, and the count on the released values."""

    promise: Promise
    achieved: int


@dataclass(frozen=True)
class CheckedLimit:
    """A promise about confidential values, and the count on the released values."""

    promise: ConfidentialPromise
    achieved: float


@dataclass(frozen=True)
class CheckedUnits:
    """A promise about units, the count, and whether the unit column is released."""

    promise: UnitPromise
    achieved: int
    released: bool = False


@dataclass(frozen=True)
class SharedIdentifier:
    """A column that several records share, as if it identified people and not records.

    It is an identifier, or an unchanged column that is named as identifiers of people are.

    Attributes
    ----------
    name : str
        The column.
    different : int
        The number of its different values.
    below_k : int
        The number of records in classes that have fewer than k of these values.
    """

    name: str
    different: int
    below_k: int


@dataclass(frozen=True)
class Bound:
    """A proven lower bound on the information loss of any grouping, in percent.

    `gap` is the maximum share of the loss that better groups could save.
    """

    lower_bound: float
    gap: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """Everything that is known about a release.

    Attributes
    ----------
    settings : Settings
        The requested settings.
    masking : Masking, optional
        The masking that replaced the values; None if a method formed groups.
    source : InputFacts
        Facts about the input.
    records : int
        Number of released records.
    groups : GroupFacts
        The groups of whole records.
    segments : tuple of GroupFacts
        The groups of each set of columns that was masked separately; usually empty.
    promises : tuple of CheckedPromise
        The promises of k, with the counts.
    limits : tuple of CheckedLimit
        The promises about confidential values, with the counts.
    units : CheckedUnits, optional
        The promise about units, with the count; None if records are counted.
    anonymity : Anonymity
        The equivalence classes of all quasi-identifiers, counted on the released values.
    exposure : Exposure, optional
        What unchanged columns add to the risk; None if it was not counted.
    homogeneous : mapping of str to int
        For each confidential column, the number of records in equivalence classes with a single value.
    diverse_by_missing : mapping of str to int
        For each confidential column, the number of records in classes that satisfy l-diversity only because
        a missing value counts as a value; columns without such records are left out.
    shared_identifiers : tuple of SharedIdentifier
        Identifiers that seem to identify people with several records each, if records are counted.
    copies : tuple of Copy
        Unchanged columns that reveal a quasi-identifier or identify records.
    blanks : Blanks, optional
        Missing values that were filled in, and values that were released as missing; None if they
        were not counted.
    index_dropped : bool
        Whether a pandas index that identifies each record was removed.
    loss : InformationLoss
        The loss of the released values.
    bound : Bound, optional
        The lower bound, if one was proved.
    rules : mapping of str to str
        The representative of a group in each column: "mean", "mode", ...
    left_out : tuple of LeftOut
        How many records were not released, by reason.
    cautions : tuple of str
        What the reader of the release must know, such as what is *not* promised.
    strata_joined : bool
        Whether small strata were merged, so that groups cross them.
    seconds : float
        The duration of the protection.
    created : str
        The time of creation, in ISO 8601.
    software : mapping of str to str
        The software versions that the result depends on.
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
    diverse_by_missing: Mapping[str, int] = field(default_factory=dict)
    shared_identifiers: tuple[SharedIdentifier, ...] = ()
    copies: tuple[Copy, ...] = ()
    blanks: Blanks | None = None
    index_dropped: bool = False
    loss: InformationLoss
    bound: Bound | None = None
    rules: Mapping[str, str]
    left_out: tuple[LeftOut, ...] = ()
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
        """Yield the groups of whole records and those of each segment."""
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
        The released records of the input, counted from 0; None if all were released.
    pair : Pair, optional
        The original and the released records, for the measures of a report. It contains original
        values, so it is left out when the outcome is pickled.
    """

    data: Any
    partition: Partition
    partitions: Mapping[tuple[str, ...], Partition] = field(default_factory=dict)
    rows: NDArray[np.int64] | None = None
    pair: Pair | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "pair": None}
