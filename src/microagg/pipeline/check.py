"""The fourth stage: the new values are put into the frame, and every promise is checked on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from microagg.aggregate.round import whole_columns
from microagg.data.frames import Frame
from microagg.mask.masked import Masked
from microagg.measure.anonymity import Anonymity, anonymity_of
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.diversity.homogeneity import homogeneous
from microagg.measure.exposure import Exposure, exposure_of
from microagg.measure.units import UnitPromise
from microagg.pipeline.outcome import CheckedLimit, CheckedPromise, CheckedUnits
from microagg.pipeline.read import RecordsToRelease
from microagg.settings import Settings


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
        The levels of a released index that names each record.
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
