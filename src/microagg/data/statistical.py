"""SPSS, Stata and SAS files, through pyreadstat (the extra ``stats``).

Variable labels and value labels travel in the metadata of the table's fields, so that whoever keeps
a field keeps its labels. Values that the file declares missing come as null.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microagg.data.columnar import only_columnar
from microagg.data.labels import LABEL, VALUE_LABELS
from microagg.data.source import first_bytes, identify, wrong_format
from microagg.errors import DataError, FileError, MissingDependencyError

if TYPE_CHECKING:
    import pyarrow as pa

_READERS = {
    ".sav": ("read_sav", "an SPSS file"),
    ".zsav": ("read_sav", "an SPSS file"),
    ".dta": ("read_dta", "a Stata file"),
    ".sas7bdat": ("read_sas7bdat", "a SAS file"),
    ".xpt": ("read_xport", "a SAS transport file"),
}
_WRITERS: dict[str, tuple[str, dict[str, Any]]] = {
    ".sav": ("write_sav", {}),
    ".zsav": ("write_sav", {"compress": True}),
    ".dta": ("write_dta", {}),
    ".xpt": ("write_xport", {}),
}
# The writers stamp the time of day into the first bytes; without it the same table gives the same
# bytes. Each replacement is as long as what it replaces.
_STAMPS = {
    ".sav": (rb"(?s)\A(.{92})\d\d \w{3} \d\d\d\d:\d\d:\d\d", rb"\g<1>01 Jan 7000:00:00"),
    ".dta": (
        rb"(<timestamp>.)[\d ]\d \w{3} \d{4} \d\d:\d\d(</timestamp>)",
        rb"\g<1>01 Jan 1970 00:00\g<2>",
    ),
    ".xpt": (rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d", b"01JAN70:00:00:00"),
}
_STAMPS[".zsav"] = _STAMPS[".sav"]

# Beyond these the formats read back infinity or "missing"; SAS transport has IBM's old doubles.
_LARGEST = {".xpt": 7.2e75, ".dta": 8.98e307}
_SMALLEST = {".xpt": 5.4e-79}
_EXACT_INTEGER = 2**53


def read_statistical(path: Path, *, encoding: str | None) -> pa.Table:
    """Read an SPSS, Stata or SAS file; see `microagg.data.files.read_file`."""
    pyreadstat = _pyreadstat()
    reader, kind = _READERS[path.suffix.lower()]
    head = first_bytes(path)
    found = identify(head)[0]
    if found and found != kind:
        raise wrong_format(path, head, kind)
    options = {} if encoding is None else {"encoding": encoding}
    try:
        frame, meta = getattr(pyreadstat, reader)(str(path), **options)
    except Exception:  # noqa: BLE001 - its errors share no base class, and may quote the file
        frame = None
    if frame is None:
        raise wrong_format(path, head, kind)
    return _labelled(_to_table(frame), meta)


def _to_table(frame: Any) -> pa.Table:
    import pyarrow as pa

    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata()
    for position, field in enumerate(table.schema):
        if pa.types.is_large_string(field.type):
            text = table.column(position).cast(pa.string())
            table = table.set_column(position, field.name, text)
    return table


def _labelled(table: pa.Table, meta: Any) -> pa.Table:
    import pyarrow as pa

    fields = []
    for field in table.schema:
        kept = {}
        if label := meta.column_names_to_labels.get(field.name):
            kept[LABEL] = label.encode()
        if values := meta.variable_value_labels.get(field.name):
            kept[VALUE_LABELS] = json.dumps(list(values.items())).encode()
        fields.append(field.with_metadata(kept) if kept else field)
    return table.cast(pa.schema(fields))


def write_statistical(table: pa.Table, path: Path) -> None:
    """Write an SPSS, Stata or SAS transport file; see `microagg.data.files.write_file`."""
    suffix = path.suffix.lower()
    if suffix not in _WRITERS:
        raise FileError(
            f"'{path}' cannot be written: {suffix} can only be read.", hint="Write .xpt for SAS."
        )
    _check_values(table, suffix)
    pyreadstat = _pyreadstat()
    writer, options = _WRITERS[suffix]
    labels, value_labels = _labels(table)
    if suffix != ".xpt":
        options = options | {"variable_value_labels": value_labels}
    try:
        getattr(pyreadstat, writer)(_to_frame(table), str(path), column_labels=labels, **options)
    except OSError:
        raise
    except Exception:  # noqa: BLE001 - its errors share no base class, and may quote records
        written = False
    else:
        written = True
    if not written:
        raise DataError(
            f"The table cannot be written as '{path}'.",
            hint="Names must start with a letter and hold no spaces, at most 32 characters; "
            "columns must be numbers, text or dates. Or write .csv or .parquet.",
        )
    _remove_stamp(path, suffix)


def _check_values(table: pa.Table, suffix: str) -> None:
    """Raise DataError for what pyreadstat would write as something else without a word."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        if only_columnar(column.type) or not _fits(column, suffix):
            raise DataError(
                f"Column '{name}' ({column.type}) holds what a {suffix} file cannot hold exactly.",
                hint="Turn the column into text, or write .csv or .parquet.",
            )


def _fits(column: pa.ChunkedArray, suffix: str) -> bool:
    import numpy as np
    import pyarrow as pa

    if not pa.types.is_integer(column.type) and not pa.types.is_floating(column.type):
        return True
    size = np.abs(column.drop_null().cast(pa.float64(), safe=False).to_numpy())
    if pa.types.is_integer(column.type):
        # 2**53 itself may be a rounded neighbour.
        return bool((size < _EXACT_INTEGER).all())
    limits = _LARGEST.get(suffix, np.inf), _SMALLEST.get(suffix, 0.0)
    return bool(((size <= limits[0]) & (size >= limits[1]) | (size == 0) | np.isnan(size)).all())


def _labels(table: pa.Table) -> tuple[dict[str, str], dict[str, dict[Any, str]]]:
    labels, value_labels = {}, {}
    for field in table.schema:
        metadata = field.metadata or {}
        if LABEL in metadata:
            labels[field.name] = metadata[LABEL].decode()
        if VALUE_LABELS in metadata:
            value_labels[field.name] = dict(json.loads(metadata[VALUE_LABELS]))
    return labels, value_labels


def _to_frame(table: pa.Table) -> Any:
    import pyarrow as pa

    for position, field in enumerate(table.schema):
        column = table.column(position)
        if pa.types.is_dictionary(field.type):
            column = column.cast(field.type.value_type)
        if pa.types.is_boolean(column.type):
            column = column.cast(pa.int8())
        table = table.set_column(position, field.name, column)
    return table.to_pandas()


def _remove_stamp(path: Path, suffix: str) -> None:
    pattern, instead = _STAMPS[suffix]
    with path.open("rb+") as stream:
        head = stream.read(1024)
        stream.seek(0)
        stream.write(re.sub(pattern, instead, head))


def _pyreadstat() -> Any:
    try:
        import pandas  # noqa: F401 - pyreadstat needs it only later, and fails less clearly then
        import pyreadstat
    except ImportError:
        raise MissingDependencyError(
            "An SPSS, Stata or SAS file needs pyreadstat and pandas.",
            hint="pip install pyreadstat pandas",
        ) from None
    return pyreadstat
