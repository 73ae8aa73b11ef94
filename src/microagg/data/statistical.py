"""SPSS, Stata and SAS files, through pyreadstat (the extra ``stats``).

Variable labels and value labels travel in the metadata of the table's fields, so that code that keeps
a field keeps its labels. Values that the file declares missing come as null.
"""

from __future__ import annotations

import dataclasses
import io
import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microagg.data.arrow_types import extension_name, only_columnar, type_name
from microagg.data.categories import decoded
from microagg.data.content import Content
from microagg.data.dialect import CsvDialect, codec_name
from microagg.data.expansion import require_columns_in_proportion
from microagg.data.formats.registry import Parsed, ReadOptions, damaged, identify, wrong_format
from microagg.data.labels import LABEL, VALUE_LABELS, unreadable
from microagg.data.labels import value_labels as labels_of_values
from microagg.data.statistical_sizes import bytes_of, rows_that_fit
from microagg.errors import DataError, FileError, MissingDependencyError

if TYPE_CHECKING:
    import pyarrow as pa

_EXACT_INTEGER = 2**53
_HEAD = 256  # bytes; enough for every signature


def read_statistical(
    content: Content, options: ReadOptions, *, reader: str, name: str, signatures: tuple[bytes, ...]
) -> Parsed:
    """Read an SPSS, Stata or SAS file with a function of pyreadstat."""
    pyreadstat = _pyreadstat()
    head = content.head(_HEAD)
    other = identify(head)[0]
    if other and other != name:
        raise wrong_format(content.path, head, name)
    # These files mostly say their encoding; only a value other than the default overrules that.
    codec = codec_name(options.encoding)
    chosen = {} if codec == "utf-8" else {"encoding": options.encoding}
    read, data = partial(getattr(pyreadstat, reader), **chosen), content.bytes()
    try:
        frame, meta = read(io.BytesIO(data)) if content.own else _in_steps(read, data, content.path)
    except FileError:  # memory has no room for it
        raise
    except Exception:  # noqa: BLE001 - its errors share no base class, and may quote the file
        frame = None
    if frame is None and head.startswith(signatures):
        raise damaged(content.path, name)
    if frame is None:
        raise wrong_format(content.path, head, name)
    return Parsed(_labelled(_to_table(frame), meta))


def _in_steps(read: Callable[..., Any], data: bytes, path: Path) -> tuple[Any, Any]:
    """Return the records and the metadata of a file, or raise if it expands out of all proportion.

    One step is enough for most files.
    """
    import pandas as pd

    meta = read(io.BytesIO(data), metadataonly=True)[1]
    rows, size = rows_that_fit(data, meta) + 1, 0
    frames: list[Any] = []
    while not frames or len(frames[-1]) == rows:
        start = len(frames) * rows
        frame = read(io.BytesIO(data), row_offset=start, row_limit=rows)[0]
        frames.append(frame)
        size += bytes_of(frame, meta)
        require_columns_in_proportion(path, size, len(data))
    return (frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)), meta


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


@dataclasses.dataclass(frozen=True)
class StatisticalWriter:
    """How pyreadstat writes one format, and what the format can hold.

    Attributes
    ----------
    function : str
        Of pyreadstat.
    stamp : pair of bytes
        A pattern of the time of day in the first bytes, and as many bytes in its place: without
        it the same table gives the same bytes.
    options : mapping
        Of the function.
    value_labels : bool
        Whether the format has value labels.
    largest, smallest : float
        Sizes of numbers beyond which the format reads back infinity, zero or "missing".
    """

    function: str
    stamp: tuple[bytes, bytes]
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    value_labels: bool = True
    largest: float = inf
    smallest: float = 0.0

    def __call__(self, table: pa.Table, path: Path, dialect: CsvDialect) -> None:
        """Write a table."""
        self._check_values(table, path.suffix.lower())
        pyreadstat = _pyreadstat()
        labels, value_labels = _labels(table)
        options = dict(self.options)
        if self.value_labels:
            options["variable_value_labels"] = value_labels
        write: Callable[..., None] = getattr(pyreadstat, self.function)
        try:
            write(_to_frame(table), str(path), column_labels=labels, **options)
        except OSError:
            raise
        except Exception:  # noqa: BLE001 - its errors share no base class, and may quote records
            written = False
        else:
            written = True
        if not written:
            raise DataError(
                f"The table cannot be written as '{path}'.",
                hint="Names must start with a letter and contain at most 32 characters and no spaces; "
                "columns must be numbers, text or dates. Or write .csv or .parquet.",
            )
        self._remove_stamp(path)

    def _check_values(self, table: pa.Table, suffix: str) -> None:
        """Raise DataError for what pyreadstat would silently write as something else."""
        for field, column in zip(table.schema, table.columns, strict=True):
            extension = extension_name(field)
            if extension or only_columnar(column.type) or not self._fits(column):
                kind = extension or type_name(column.type)
                raise DataError(
                    f"Column '{field.name}' ({kind}) contains values that a {suffix} file cannot "
                    "represent exactly.",
                    hint="Convert the column to text, or write .csv or .parquet.",
                )

    def _fits(self, column: pa.ChunkedArray) -> bool:
        import numpy as np
        import pyarrow as pa

        if not pa.types.is_integer(column.type) and not pa.types.is_floating(column.type):
            return True
        size = np.abs(column.drop_null().cast(pa.float64(), safe=False).to_numpy())
        if pa.types.is_integer(column.type):
            # 2**53 itself may be a rounded neighbour.
            return bool((size < _EXACT_INTEGER).all())
        within = (size <= self.largest) & (size >= self.smallest)
        return bool((within | (size == 0) | np.isnan(size)).all())

    def _remove_stamp(self, path: Path) -> None:
        with path.open("rb+") as stream:
            head = stream.read(1024)
            stream.seek(0)
            stream.write(re.sub(*self.stamp, head))


def _labels(table: pa.Table) -> tuple[dict[str, str], dict[str, dict[Any, str]]]:
    labels, value_labels = {}, {}
    for field in table.schema:
        metadata = field.metadata or {}
        try:
            if LABEL in metadata:
                labels[field.name] = metadata[LABEL].decode()
        except ValueError:  # not written by us
            raise unreadable(field.name) from None
        if own := labels_of_values(field):
            value_labels[field.name] = own
    return labels, value_labels


def _to_frame(table: pa.Table) -> Any:
    import pyarrow as pa

    for position, field in enumerate(table.schema):
        column = decoded(table.column(position))
        if pa.types.is_boolean(column.type):
            column = column.cast(pa.int8())
        table = table.set_column(position, field.name, column)
    return table.to_pandas()


def _pyreadstat() -> Any:
    try:
        import pandas  # noqa: F401 - pyreadstat needs it only later, and fails less clearly then
        import pyreadstat
    except ImportError:
        raise MissingDependencyError(
            "An SPSS, Stata or SAS file needs pyreadstat and pandas.",
            hint="Install them with: pip install 'microagg[stats]'",
        ) from None
    return pyreadstat
