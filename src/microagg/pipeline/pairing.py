"""The original and the released records of an outcome, side by side."""

from __future__ import annotations

from typing import Any

from microagg.data.frames import Frame
from microagg.errors import DataError
from microagg.measure.pair import Pair, pair_of
from microagg.pipeline.outcome import FrameOutcome
from microagg.prepare.column import fingerprint
from microagg.prepare.read import read_columns


def pair_of_outcome(outcome: FrameOutcome, original: Any = None) -> Pair:
    """Return the pair of the pipeline, or a new one with the `original` if it was not kept.

    Raise if these are not the records that were protected, in the same order.
    """
    pair = outcome.pair
    if original is None and pair is None:
        raise DataError(
            "The original records are not kept with this release.",
            hint="Pass the frame that was protected: original=df.",
        )
    if original is not None:
        _require_same_records(Frame(original), outcome)
    elif pair is not None and fingerprint(pair.columns) != outcome.source.fingerprint:
        raise _other_records()  # a frame that was changed in place
    return pair if pair is not None else _paired(original, outcome)


def _paired(original: Any, outcome: FrameOutcome) -> Pair:
    roles = outcome.schema
    if outcome.rows is not None:
        original = Frame(original).rows(outcome.rows).to_native()
    columns = (roles.quasi_identifiers, roles.confidential, roles.kinds, roles.orders)
    return pair_of(original, outcome.data, *columns, outcome.settings)


def _require_same_records(original: Frame, outcome: FrameOutcome) -> None:
    roles = outcome.schema
    original.require(roles.quasi_identifiers, "quasi_identifiers")
    if original.n != outcome.source.rows:
        raise _other_records()
    columns = read_columns(original, roles, outcome.settings)[0]
    if outcome.rows is not None:
        columns = {n: c.filled(c.values[outcome.rows]) for n, c in columns.items()}
    if fingerprint(columns) != outcome.source.fingerprint:
        raise _other_records()


def _other_records() -> DataError:
    return DataError(
        "The original is not the frame that was protected, or its rows are in a different order: "
        "the number of records or the SHA-256 of the quasi-identifiers differs.",
        hint="Pass the frame that was protected, with its rows in the same order.",
    )
