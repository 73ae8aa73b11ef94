"""Stata files, through pyreadstat."""

from __future__ import annotations

from microagg.data.content import Content
from microagg.data.formats.registry import Parsed, ReadOptions, format
from microagg.data.statistical import StatisticalWriter, read_statistical

NAME = "a Stata file"
MARK = b"<stata_dta>"
STAMP = (
    rb"(<timestamp>.)[\d ]\d \w{3} \d{4} \d\d:\d\d(</timestamp>)",
    rb"\g<1>01 Jan 1970 00:00\g<2>",
)


@format(
    NAME,
    suffixes=(".dta",),
    write=StatisticalWriter("write_dta", STAMP, largest=8.98e307),
    options=("encoding",),
    signatures={MARK: ".dta"},
)
def read(content: Content, options: ReadOptions) -> Parsed:
    """Read a Stata file."""
    return read_statistical(content, options, reader="read_dta", name=NAME, signatures=(MARK,))
