"""The fourth stage: the new values are put into the frame, and every promise is checked on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from microagg.aggregate.round import whole_columns
from microagg.data.frames import Frame
from microagg.errors import DataError
from microagg.mask.masked import Masked
from microagg.measure.anonymity import Anonymity, anonymity_of
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.diversity.homogeneity import homogeneous
from microagg.measure.exposure import Exposure, exposure_of
from microagg.measure.units import BLANK, UnitPromise, units_of
from microagg.pipeline.outcome import CheckedLimit, CheckedPromise, CheckedUnits
from microagg.pipeline.read import RecordsToRelease
from microagg.prepare.read import read_units
from microagg.settings import Settings

MANY_PEOPLE = 10
"""Times k different values that an identifier of people has at least; others are taken for categories."""

SHARE_EXPOSED = 0.01
"""The share of the records in classes with fewer than k values of an identifier that is not by chance."""


@dataclass(frozen=True, eq=False)
class CheckedRelease:
    """A released frame that holds what is promised of it.

    Attributes
    ----------
    data : DataFrame
        The release, in the caller's type of frame.
    classes : EquivalenceClasses
        Of that frame; every count below is taken on them.
    promises, limits, units, anonymity, exposure, homogeneous, index_dropped
        As in `Outcome`.
    index_naming_records : tuple of str
        The levels of a released index that identifies each record.
    repeated : dict of str to int
        Identifiers with several records each, of which some classes have fewer than k, and their number of
        different values; nothing where units are counted.
    """

    data: Any
    classes: EquivalenceClasses
    promises: tuple[CheckedPromise, ...]
    limits: tuple[CheckedLimit, ...]
    anonymity: Anonymity
    exposure: Exposure
    homogeneous: dict[str, int]
    units: CheckedUnits | None = None
    index_dropped: bool = False
    index_naming_records: tuple[str, ...] = ()
    repeated: dict[str, int] = field(default_factory=dict)


def checked_release(
    records: RecordsToRelease, masked: Masked, settings: Settings
) -> CheckedRelease:
    """Return the released frame, or raise when it does not hold what is promised."""
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
        index_dropped=dropped,
        index_naming_records=() if dropped or not names_records else tuple(released.index_names),
        repeated={}
        if settings.unit or not masked.promises
        else _repeated(records, classes, settings),
    )


def _checked_units(
    records: RecordsToRelease, masked: Masked, classes: EquivalenceClasses, settings: Settings
) -> CheckedUnits | None:
    """Count the units of each class of released values, or raise where there are too few."""
    if records.units is None or settings.unit is None or not masked.promises:
        return None
    promise = UnitPromise(masked.promises[0].columns, settings.unit, settings.k, records.units)
    return CheckedUnits(
        promise, promise.require(classes), released=settings.unit in classes.frame.names
    )


def _repeated(
    records: RecordsToRelease, classes: EquivalenceClasses, settings: Settings
) -> dict[str, int]:
    """Return identifiers that seem to identify people with several records each.

    There are many of them, and a noticeable share of the records is in classes of fewer than k.
    """
    of_keys = classes.of(tuple(settings.schema.quasi_identifiers))
    repeated = {}
    for name in settings.schema.identifiers:
        if name not in records.frame.names:  # a level of the index
            continue
        try:
            people = read_units(records.frame, name)
        except DataError:  # of a type that cannot be compared
            continue
        count = np.unique(people[people != BLANK]).size
        if MANY_PEOPLE * settings.k <= count < people.size:
            few = units_of(of_keys, people) < settings.k
            if np.count_nonzero(few[of_keys]) >= SHARE_EXPOSED * people.size:
                repeated[str(name)] = count
    return repeated
