"""The fifth stage: the information loss is measured, once, on the released values."""

from __future__ import annotations

from dataclasses import dataclass

from microagg.mask.masked import Masked
from microagg.measure.blanks import Blanks, blanks_of
from microagg.measure.loss.information_loss import InformationLoss, loss_of
from microagg.measure.pair import Pair
from microagg.partition.bounds.gap import gap_of
from microagg.partition.bounds.proven import proven
from microagg.pipeline.check import CheckedRelease
from microagg.pipeline.outcome import Bound
from microagg.pipeline.prepare import PreparedRecords
from microagg.pipeline.read import RecordsToRelease
from microagg.settings import Settings


@dataclass(frozen=True, eq=False)
class Measured:
    """The loss of a release, a lower bound if one was proved, and the pair that further measures use."""

    loss: InformationLoss
    blanks: Blanks
    bound: Bound | None
    pair: Pair


def measured(
    records: RecordsToRelease,
    prepared: PreparedRecords,
    masked: Masked,
    checked: CheckedRelease,
    settings: Settings,
) -> Measured:
    """Measure the loss of a released frame, in the columns that were read and scaled before."""
    schema = settings.schema
    numbers = records.numbers_of(checked.classes.frame, masked.columns)
    loss = loss_of(prepared.original, numbers)
    pair = Pair(
        columns=records.columns,
        values=numbers,
        after=checked.classes,
        confidential_kinds={name: schema.kinds.get(name) for name in schema.confidential},
        options=settings,
        weights=records.weights,
        units=records.units,
        loss=loss,
        counted=checked.anonymity,
        homogeneous=checked.homogeneous,
        calendars=records.calendars,
    )
    blanks = blanks_of(records.columns, numbers)
    return Measured(loss, blanks, _bound(masked, records, loss), pair)


def _bound(masked: Masked, records: RecordsToRelease, loss: InformationLoss) -> Bound | None:
    """Return a proven lower bound on the measured loss and the gap to it, or None.

    The proof applies to the complete numbers that were grouped: no value that the records of a group
    share loses less than their mean. This does not hold for records with individual values, or for
    missing values that were filled in, which cause no loss.
    """
    bound = proven(masked.partition.facts)
    if bound is None or not masked.promises or records.has_blanks:
        return None
    return Bound(bound, gap_of(loss.il, bound))
