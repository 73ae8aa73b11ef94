"""The fourth stage: the new values are put into the frame, and every promise is checked on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from microagg.aggregate.round import whole_columns
from microagg.mask.masked import Masked
from microagg.measure.anonymity import Anonymity, anonymity_of
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.exposure import Exposure, exposure_of
from microagg.pipeline.outcome import CheckedLimit, CheckedPromise
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
    promises, limits, anonymity, exposure
        As in `Outcome`.
    """

    data: Any
    classes: EquivalenceClasses
    promises: tuple[CheckedPromise, ...]
    limits: tuple[CheckedLimit, ...]
    anonymity: Anonymity
    exposure: Exposure


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
    classes = EquivalenceClasses(data)
    promises = tuple(CheckedPromise(p, p.require(classes).k) for p in masked.promises)
    limits = tuple(CheckedLimit(p, p.require(classes)) for p in masked.beyond)
    keys = tuple(schema.quasi_identifiers)
    unchanged = [name for name in classes.frame.names if schema.role(name) == "other"]
    return CheckedRelease(
        data=data,
        classes=classes,
        promises=promises,
        limits=limits,
        anonymity=anonymity_of(classes, keys),
        exposure=exposure_of(classes, keys, unchanged, settings.k),
    )
