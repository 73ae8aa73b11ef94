"""Arrow files and streams; Feather of version 2 is an Arrow file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from microagg.data.columnar import signs_of_damage, unwritable, usable
from microagg.data.content import Content
from microagg.data.dialect import CsvDialect
from microagg.data.expansion import plain_bytes, require_columns_in_proportion
from microagg.data.formats.registry import (
    Parsed,
    ReadOptions,
    damaged,
    format,
    require_signature,
)
from microagg.data.ipc_sizes import file_bytes, stream_bytes
from microagg.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "an Arrow file"
FILE = b"ARROW1"
STREAM = b"\xff\xff\xff\xff"  # then comes the length of its schema


def _write(table: pa.Table, path: Path, dialect: CsvDialect) -> None:
    """Write an Arrow file, packed with LZ4 as Feather is."""
    import pyarrow as pa

    try:
        options = pa.ipc.IpcWriteOptions(compression="lz4", unify_dictionaries=True)
        with path.open("wb") as stream, pa.ipc.new_file(stream, table.schema, options=options) as f:
            f.write_table(table)
            return
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        pass  # raised below, because the caught error may show a record
    raise unwritable(table, "Arrow")


@format(NAME, suffixes=(".feather", ".arrow"), write=_write, signatures={FILE: ".arrow"})
def read(content: Content, options: ReadOptions) -> Parsed:
    """Read an Arrow file or stream."""
    import pyarrow as pa

    require_signature(content.path, content.head(), "an Arrow file or stream", [FILE, STREAM])
    data = content.buffer()
    try:
        source = pa.BufferReader(data)
        is_file = content.head().startswith(FILE)
        with pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source) as opened:
            if not content.own:
                size = file_bytes(data) if is_file else stream_bytes(data)
                require_columns_in_proportion(content.path, size, data.size)
            table = opened.read_all()
            if not content.own:  # before the values are checked: there may be too many
                require_columns_in_proportion(content.path, plain_bytes(table), data.size)
            return Parsed(usable(table))
    except DataError:  # a column is nested too deep
        raise
    except signs_of_damage():
        pass  # raised below, because the caught error may show a record
    raise damaged(content.path, NAME)
