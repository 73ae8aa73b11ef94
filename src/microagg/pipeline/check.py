"""The fourth stage: the released values are inserted into the frame, and every promise is checked on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from microagg.aggregate.round import whole_columns
from microagg.data.frames import Frame
from microagg.data.numerals import Numerals, to_numbers
from microagg.errors import DataError
from microagg.mask.masked import Masked
from microagg.measure.anonymity import Anonymity, anonymity_of
from microagg.measure.classes import EquivalenceClasses, refined
from microagg.measure.diversity.homogeneity import homogeneous
from microagg.measure.diversity.present_values import diverse_by_missing
from microagg.measure.exposure import Exposure, exposure_of
from microagg.measure.units import BLANK, UnitPromise, units_of
from microagg.pipeline.outcome import CheckedLimit, CheckedPromise, CheckedUnits, SharedIdentifier
from microagg.pipeline.read import RecordsToRelease
from microagg.prepare.read import read_units
from microagg.schema import Schema
from microagg.settings import Settings
from microagg.suggest.vocabulary import sounds_like_a_person, sounds_like_an_identifier

MANY_PEOPLE = 10
"""The minimum number of values of an identifier of people, in multiples of k; fewer are categories."""

SHARE_EXPOSED = 0.01
"""The share of records in classes with fewer than k identifiers that is not explained by chance."""

LARGEST_SHARE = 0.4
"""The maximum share of records with the same number if the numbers of a column identify people."""


@dataclass(frozen=True, eq=False)
class CheckedRelease:
    """A released frame that satisfies its promises.

    Attributes
    ----------
    data : DataFrame
        The release, in the caller's type of frame.
    classes : EquivalenceClasses
        The equivalence classes of that frame, on which all counts are based.
    promises, limits, units, anonymity, exposure, homogeneous, diverse_by_missing, shared_identifiers,
    index_dropped
        As in `Outcome`.
    index_naming_records : tuple of str
        The levels of a released index that identifies each record.
    index_exposing : tuple of str
        The levels of another released index that fewer than k records share together with the
        quasi-identifiers.
    """

    data: Any
    classes: EquivalenceClasses
    promises: tuple[CheckedPromise, ...]
    limits: tuple[CheckedLimit, ...]
    anonymity: Anonymity
    exposure: Exposure
    homogeneous: dict[str, int]
    diverse_by_missing: dict[str, int] = field(default_factory=dict)
    units: CheckedUnits | None = None
    index_dropped: bool = False
    index_naming_records: tuple[str, ...] = ()
    index_exposing: tuple[str, ...] = ()
    shared_identifiers: tuple[SharedIdentifier, ...] = ()


def checked_release(
    records: RecordsToRelease, masked: Masked, settings: Settings
) -> CheckedRelease:
    """Return the released frame, or raise if it does not satisfy its promises."""
    schema = settings.schema
    data = records.frame.with_columns(
        records.values_of(masked.columns),
        drop=schema.identifiers,
        whole=whole_columns(records.columns, settings.round_to, settings.integers),
    )
    released = Frame(data)
    names_records = released.index_names_records
    dropped = names_records and settings.index == "drop"
    if dropped:
        released = released.without_index()
        data = released.to_native()
    classes = EquivalenceClasses(released)
    counted = {p.columns: p.require(classes) for p in masked.promises}
    promises = tuple(CheckedPromise(p, counted[p.columns].k) for p in masked.promises)
    limits = tuple(CheckedLimit(p, p.require(classes)) for p in masked.beyond)
    keys = tuple(schema.quasi_identifiers)
    unchanged = [name for name in classes.frame.names if schema.role(name) == "other"]
    return CheckedRelease(
        data=data,
        classes=classes,
        promises=promises,
        limits=limits,
        anonymity=counted[keys] if keys in counted else anonymity_of(classes, keys),
        exposure=exposure_of(classes, keys, unchanged, settings.k, records.units),
        units=_checked_units(records, masked, classes, settings),
        homogeneous={
            str(name): homogeneous(
                classes.of(keys), classes.values(name, schema.kinds.get(name))[0]
            )
            for name in schema.confidential
        },
        diverse_by_missing=_diverse_by_missing(classes, keys, settings),
        index_dropped=dropped,
        index_naming_records=() if dropped or not names_records else tuple(released.index_names),
        index_exposing=()
        if names_records or not masked.promises
        else _exposing_index(released, classes, records, settings),
        shared_identifiers=()
        if settings.unit or not masked.promises
        else _shared_identifiers(records, classes, settings),
    )


def _exposing_index(
    released: Frame, classes: EquivalenceClasses, records: RecordsToRelease, settings: Settings
) -> tuple[str, ...]:
    """Return the levels of an index whose labels repeat, if they single records or units out."""
    labels = released.index_codes
    if labels is None:
        return ()
    keys = tuple(settings.schema.quasi_identifiers)
    split = refined(classes.of(keys), labels)
    sizes = np.bincount(split) if records.units is None else units_of(split, records.units)
    return tuple(released.index_names) if sizes.min() < settings.k else ()


def _checked_units(
    records: RecordsToRelease, masked: Masked, classes: EquivalenceClasses, settings: Settings
) -> CheckedUnits | None:
    """Count the units of each class of released values, or raise if there are too few."""
    if records.units is None or settings.unit is None or not masked.promises:
        return None
    promise = UnitPromise(masked.promises[0].columns, settings.unit, settings.k, records.units)
    return CheckedUnits(
        promise, promise.require(classes), released=settings.unit in classes.frame.names
    )


def _diverse_by_missing(
    classes: EquivalenceClasses, keys: tuple[str, ...], settings: Settings
) -> dict[str, int]:
    """Return the records of each confidential column that are diverse only by missing values."""
    if settings.l_diversity is None:
        return {}
    schema = settings.schema
    columns = [(name, schema.kinds.get(name)) for name in schema.confidential]
    return diverse_by_missing(classes, keys, columns, settings.l_diversity)


def _shared_identifiers(
    records: RecordsToRelease, classes: EquivalenceClasses, settings: Settings
) -> tuple[SharedIdentifier, ...]:
    """Return identifiers that seem to identify people with several records each.

    They have many values, and a noticeable share of the records is in classes with fewer than k of them.
    A number that 40 % of the records have in common is an amount, such as a gain of 0 or a week of 40
    hours. So are numbers with fractions and a column that was declared continuous or ordinal.
    """
    of_keys = classes.of(tuple(settings.schema.quasi_identifiers))
    shared = []
    for name in _may_identify_people(records.frame, settings.schema):
        if settings.schema.kinds.get(name) in ("continuous", "ordinal"):
            continue
        try:
            people = read_units(records.frame, name)
        except DataError:  # of a type that cannot be compared
            continue
        of_each = np.bincount(people[people != BLANK])
        frequent = of_each.max(initial=0) > LARGEST_SHARE * people.size
        if (frequent and _has_numbers(records.frame, name)) or _has_fractions(records.frame, name):
            continue
        count = int(np.count_nonzero(of_each))
        if MANY_PEOPLE * settings.k <= count < people.size:
            few = units_of(of_keys, people) < settings.k
            below_k = int(np.count_nonzero(few[of_keys]))
            if below_k >= SHARE_EXPOSED * people.size:
                shared.append(SharedIdentifier(str(name), count, below_k))
    return tuple(shared)


def _may_identify_people(frame: Frame, schema: Schema) -> list[str]:
    """Return the identifiers, and the unchanged columns that are named as identifiers of people are."""
    kept = [
        name
        for name in frame.names
        if schema.role(name) in ("confidential", "other")
        and sounds_like_an_identifier(str(name))
        and sounds_like_a_person(str(name))
    ]
    removed = [
        name for name in schema.identifiers if name in frame.names
    ]  # not levels of the index
    return [*removed, *kept]


def _has_fractions(frame: Frame, name: str) -> bool:
    """Return whether a column contains numbers that are not integers, possibly as text."""
    import pyarrow as pa

    column = frame.arrow(name)
    numbers = to_numbers(column, asked=False) if frame.is_text(name) else column
    if numbers is None or not pa.types.is_floating(numbers.type):
        return False
    values = np.asarray(numbers.drop_null().to_numpy(), dtype=np.float64)
    values = values[np.isfinite(values)]
    return bool((values != np.rint(values)).any())


def _has_numbers(frame: Frame, name: str) -> bool:
    """Return whether a column contains numbers, possibly as text."""
    if frame.is_text(name):
        return Numerals.of(frame.arrow(name)).numbers
    return frame.is_numeric(name)
