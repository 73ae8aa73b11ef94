"""SPSS files, through pyreadstat."""

from __future__ import annotations

from microagg.data.content import Content
from microagg.data.formats.registry import Parsed, ReadOptions, format
from microagg.data.statistical import StatisticalWriter, read_statistical

NAME = "an SPSS file"
SIGNATURES = {b"$FL2": ".sav", b"$FL3": ".zsav"}
STAMP = (rb"(?s)\A(.{92})\d\d \w{3} \d\d\d\d:\d\d:\d\d", rb"\g<1>01 Jan 7000:00:00")


@format(
    NAME,
    suffixes=(".sav",),
    write=StatisticalWriter("write_sav", STAMP),
    options=("encoding",),
    signatures=SIGNATURES,
)
@format(
    NAME,
    suffixes=(".zsav",),
    write=StatisticalWriter("write_sav", STAMP, {"compress": True}),
    options=("encoding",),
    signatures=SIGNATURES,
)
def read(content: Content, options: ReadOptions) -> Parsed:
    """Read an SPSS file."""
    return read_statistical(
        content, options, reader="read_sav", name=NAME, signatures=tuple(SIGNATURES)
    )
