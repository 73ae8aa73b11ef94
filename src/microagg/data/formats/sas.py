"""SAS files and SAS transport files, through pyreadstat."""

from __future__ import annotations

from microagg.data.content import Content
from microagg.data.formats.registry import Parsed, ReadOptions, format
from microagg.data.statistical import StatisticalWriter, read_statistical

NAME = "a SAS file"
TRANSPORT = "a SAS transport file"
MARK = b"HEADER RECORD*******LIB"
STAMP = (rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d", b"01JAN70:00:00:00")


@format(
    TRANSPORT,
    suffixes=(".xpt",),
    # Transport files have IBM's old doubles.
    write=StatisticalWriter(
        "write_xport", STAMP, value_labels=False, largest=7.2e75, smallest=5.4e-79
    ),
    options=("encoding",),
    signatures={MARK: ".xpt"},
)
def read_transport(content: Content, options: ReadOptions) -> Parsed:
    """Read a SAS transport file."""
    return read_statistical(
        content, options, reader="read_xport", name=TRANSPORT, signatures=(MARK,)
    )


@format(NAME, suffixes=(".sas7bdat",), options=("encoding",), instead="Write .xpt for SAS.")
def read(content: Content, options: ReadOptions) -> Parsed:
    """Read a SAS file."""
    return read_statistical(content, options, reader="read_sas7bdat", name=NAME, signatures=())
