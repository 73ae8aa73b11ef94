"""The records of a bound: numbers, or the columns of a frame of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from microagg.data.frame_names import is_frame
from microagg.data.frames import Frame
from microagg.data.matrix import columns_of
from microagg.data.number_checks import missing_values
from microagg.errors import ParameterError
from microagg.prepare.comparable import comparable
from microagg.prepare.prepared import Prepared, prepare
from microagg.prepare.read import read_columns
from microagg.prepare.records import Records
from microagg.settings import Settings


def records_of(X: Any, scale: str, described: Mapping[str, Any]) -> Prepared | Records:
    """Return the complete records of an array or a frame, made comparable.

    `described` has the options that say what columns mean, None if they are not set.
    """
    chosen = {name: value for name, value in described.items() if value is not None}
    if chosen and not is_frame(X):
        raise ParameterError(
            "applies to the columns of a DataFrame.",
            parameter=next(iter(chosen)),
            hint="Leave it out.",
        )
    if not is_frame(X) or (not chosen and _is_numeric(Frame(X))):
        columns, names = columns_of(X)
        return prepare(columns, names, scale=scale)
    frame = Frame(X)
    if chosen.get("distance") != "gower" or scale != "zscore":
        chosen["scale"] = scale
    settings = Settings.create("lower_bound", quasi_identifiers=frame.names, k=2, **chosen)
    settings.require_columns(frame)
    read, _ = read_columns(frame, settings.schema, settings)
    for name, column in read.items():
        if column.blank.any():
            raise missing_values(str(name), column.blank)
    return comparable(read, settings, None)


def _is_numeric(frame: Frame) -> bool:
    return all(frame.is_numeric(name) for name in frame.names)
