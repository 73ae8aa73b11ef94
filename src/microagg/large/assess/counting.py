"""The pass that counts: classes of equal records, confidential values, units, and the sums of the keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from microagg.data.categories import categories, decoded, is_text
from microagg.errors import DataError
from microagg.large.assess.class_counts import (
    Bins,
    Classes,
    classes_of,
    classes_of_numbers,
    hashes_as_written,
    in_both,
)
from microagg.large.assess.comparing import weights_of
from microagg.large.assess.paired_keys import PairedKeys, Tables
from microagg.large.assess.summing import KeySums
from microagg.large.confidential import ConfidentialValues
from microagg.large.domains import MOST, Domain, TooManyValues, domain_of, empty_domain
from microagg.large.tally import class_starts, counts_of_classes
from microagg.measure.anonymity import Anonymity
from microagg.measure.diversity.l_diversity import entropy_l, fewest_values, recursive_l
from microagg.measure.diversity.present_values import ALIKE, short_of_values
from microagg.measure.diversity.t_closeness import largest_distance
from microagg.measure.exposure_in_pieces import Hashes, hashes_of
from microagg.prepare.folded import unit_called

if TYPE_CHECKING:
    import pyarrow as pa

_NO_UNIT = np.uint64(0)


@dataclass(eq=False)
class Counting:
    """What is counted while both files are read.

    Attributes
    ----------
    keys : PairedKeys
        How keys become numbers.
    sums : KeySums
        What is summed up of them.
    bins : Bins
        Where counts are kept.
    unchanged : sequence of str
        Columns that are released unchanged.
    confidential : mapping of str to ConfidentialValues or None
        The confidential columns; None if there are too many values to know their order.
    unit, weights : str, optional
        The columns that name the unit and the weight of a record.
    alike_but_for_missing : dict of str to int
        The records in classes with at most one value of a confidential column that is present, once the
        measures are computed.
    """

    keys: PairedKeys
    sums: KeySums
    bins: Bins
    unchanged: Sequence[str]
    confidential: Mapping[str, ConfidentialValues | None]
    unit: str | None
    weights: str | None
    n: int = 0
    counts: dict[str, np.ndarray] = field(default_factory=dict)
    alike_but_for_missing: dict[str, int] = field(default_factory=dict)

    def watched(self, tables: Tables) -> Tables:
        """Yield the same tables, and count their records."""
        for before, after in tables:
            self._add(before, after)
            yield before, after

    def _add(self, before: pa.Table, after: pa.Table) -> None:
        n, names = after.num_rows, list(self.keys.keys)
        self.n += n
        released = [hashes_as_written(after[name]) for name in names]
        classes = classes_of(released, n)
        self.bins.add("released", classes)
        self.bins.add("original", classes_of([hashes_as_written(before[c]) for c in names], n))
        numbers = self.keys.numbers(before, 0), self.keys.numbers(after, 1)
        for file, own in enumerate(numbers):
            values = np.full(n, file, dtype=np.uint64)
            self.bins.add("both", classes_of_numbers(own), values)
        weights = None if self.weights is None else weights_of(before, self.weights)
        self.sums.add(*numbers, weights)
        if self.unchanged:
            more = [hashes_as_written(after[name]) for name in self.unchanged]
            self.bins.add("exposed", classes_of([*released, *more], n))
        self._add_values(after, classes)
        if self.unit is not None:
            self.bins.add("units", classes, unit_hashes(before, self.unit))

    def _add_values(self, after: pa.Table, classes: Classes) -> None:
        for number, (name, values) in enumerate(self.confidential.items()):
            if values is None:
                hashes = hashes_of(decoded(after[name]))  # null and NaN are one value, as in memory
            else:
                codes = values.coded(after[name])
                own = np.bincount(codes, minlength=values.missing + 1)
                self.counts[name] = self.counts.get(name, 0) + own
                hashes = codes.astype(np.uint64)
            self.bins.add(f"values {number}", classes, hashes)

    def anonymity(self) -> Anonymity:
        """Return the sizes of the classes of released keys."""
        return self.bins.anonymity("released")

    def alone(self) -> int:
        """Return how many records are unique on the keys and the unchanged columns together."""
        return self.bins.anonymity("exposed").class_sizes.get(1, 0) if self.unchanged else 0

    def measured(self) -> dict[str, float]:
        """Return the measures that are counts of classes, by name."""
        before, after = self.bins.anonymity("original"), self.anonymity()
        both, _ = in_both(self.bins, "both", alone=True)
        values = {
            "uniqueness-before": 100 * before.class_sizes.get(1, 0) / self.n,
            "uniqueness-after": 100 * after.class_sizes.get(1, 0) / self.n,
            "uniques-released": 100 * both / self.n,
        }
        if self.unit is not None:
            values["k-units"] = float(min(self._fewest_units()))
        if self.confidential:
            values |= self._diversity()
        if self.sums.change.size:
            values["variation-data"] = self.sums.variation_data()
        return values

    def _fewest_units(self) -> Iterator[int]:
        for records in self.bins.counted("units"):
            starts = class_starts(records)
            named = (records["value"] != _NO_UNIT).astype(np.int64)
            yield int(np.add.reduceat(named, starts).min())

    def _diversity(self) -> dict[str, float]:
        """Return the measures of confidential values; no t-closeness where an order is not known."""
        fewest = entropy = recursive = np.inf
        farthest, alike = 0.0, 0
        for number, (name, values) in enumerate(self.confidential.items()):
            counted = None if values is None else values.counted(self.counts[name])
            same = short = 0
            for records in self.bins.counted(f"values {number}"):
                counts = counts_of_classes(records, counted)
                fewest = min(fewest, fewest_values([counts]))
                entropy = min(entropy, entropy_l(counts))
                recursive = min(recursive, float(recursive_l(counts)))
                farthest = max(farthest, 0.0 if counted is None else largest_distance([counts]))
                same += counts.alike
                if counted is not None:
                    short += short_of_values(counts, ALIKE, counted.absent)
            alike = max(alike, same)
            if short and values is not None and self._has_missing(name, values):
                self.alike_but_for_missing[name] = short
        result = {
            "l-diversity": fewest,
            "l-diversity-entropy": entropy,
            "l-diversity-recursive": recursive,
            "homogeneity": 100 * alike / self.n,
        }
        ordered = all(own is not None for own in self.confidential.values())
        return {**result, "t-closeness": farthest} if ordered else result

    def _has_missing(self, name: str, values: ConfidentialValues) -> bool:
        return bool(self.counts[name][values.absent].any())


def unit_hashes(table: pa.Table, name: str) -> Hashes:
    """Return a hash of the unit of each record; that of a record without one is 0."""
    units = categories(table[name], name)
    names = [unit_called(label) for label in units.labels]
    digests = b"".join(
        blake2b(own.encode("utf-8", "surrogatepass"), digest_size=8).digest() for own in names
    )
    hashes = np.append(np.frombuffer(digests, dtype=np.uint64), _NO_UNIT)
    hashes[[place for place, own in enumerate(names) if not own]] = _NO_UNIT
    codes = np.where(np.isnan(units.codes), len(names), units.codes).astype(np.int64)
    return hashes[codes]


def confidential_values(
    schema: pa.Schema,
    tables: Iterator[pa.Table],
    kinds: Mapping[str, str | None],
) -> dict[str, ConfidentialValues | None]:
    """Return the different values of confidential columns in order.

    None if there are too many, or if they are nested: such values can only be distinguished.
    """
    import pyarrow as pa

    empty = {
        name: empty_domain(schema.field(name), categories=True, text_file=False) for name in kinds
    }
    domains: dict[str, Domain | None] = {
        name: None if pa.types.is_nested(schema.field(name).type) else own
        for name, own in empty.items()
    }
    for table in tables:
        for name, domain in domains.items():
            if domain is not None:
                domains[name] = _with_more(domain, empty[name], table[name])
    for name, domain in domains.items():
        if domain is None and kinds[name] in ("continuous", "ordinal"):
            _refuse_text(schema.field(name), str(kinds[name]))
    return {
        name: None if domain is None else ConfidentialValues.of(domain, kinds[name], ".")
        for name, domain in domains.items()
    }


def _with_more(domain: Domain, empty: Domain, column: pa.ChunkedArray) -> Domain | None:
    """Return a domain with the values of more records; None if they are too many."""
    try:
        return domain.joined(domain_of(empty, column, "."))
    except TooManyValues:
        return None


def _refuse_text(field: pa.Field, kind: str) -> None:
    """Raise where numbers are text: several texts may stand for one, and there are too many to compare."""
    if is_text(field.type):
        raise DataError(
            f"Confidential column '{field.name}' is text of kind '{kind}' with more than "
            f"{MOST:,} different values.",
            hint="Write it as numbers, or leave its kind out.",
        )
