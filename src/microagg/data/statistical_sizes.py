"""How many records of an SPSS, Stata or SAS file memory has room for, before they are read.

These formats compress, and the head of a file may state any number of records. A record has a known size,
so it is enough to read no more records than a file of its size may hold. Long text of Stata (strL) is the
exception: it is stored once for all records that have it, so such a file is read in steps.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from microagg.data import expansion
from microagg.data.content import LARGEST_RATIO

NUMBER = 8
"""Bytes of a number; text takes at least as many."""

HEAD = 256
"""Bytes that state the version of a Stata file and the order of its bytes."""

_MARK = re.compile(b"GSO")
_LENGTH_117, _LENGTH = 12, 16
"""Where the length of a long text is after its mark, in version 117 of the format and in later ones."""


def rows_that_fit(data: bytes, meta: Any) -> int:
    """Return how many records of a file may be read at a time, of those that its metadata describe."""
    record = _fixed(meta) + len(_long_texts(meta)) * _longest(data, meta)
    return max(_room(data) // max(record, 1), 1)


def bytes_of(frame: Any, meta: Any) -> int:
    """Return about the bytes of records that were read from a file."""
    texts = sum(int(frame[name].str.len().sum()) for name in _long_texts(meta))
    return len(frame) * _fixed(meta) + texts


def _fixed(meta: Any) -> int:
    """Return the bytes of a record without its long text."""
    return sum(max(width, NUMBER) for width in meta.variable_storage_width.values())


def _long_texts(meta: Any) -> list[str]:
    """Return the columns of long text of a Stata file: text without a width."""
    types, widths = meta.readstat_variable_types, meta.variable_storage_width
    return [name for name, kind in types.items() if kind == "string" and not widths[name]]


def _room(data: bytes) -> int:
    return max(expansion.ALWAYS_READ, LARGEST_RATIO * len(data))


def _longest(data: bytes, meta: Any) -> int:
    """Return a length that no long text exceeds; what looks like the mark of one counts too."""
    if not _long_texts(meta):
        return 0
    head = data[:HEAD]
    offset = _LENGTH_117 if b"<release>117<" in head else _LENGTH
    starts = [match.start() for match in _MARK.finditer(data, 0, len(data) - offset - 4)]
    places = np.array(starts, dtype=np.int64) + offset
    lengths = np.frombuffer(data, dtype=np.uint8)[places[:, None] + np.arange(4)]
    order = ">u4" if b"<byteorder>MSF<" in head else "<u4"
    sizes = np.minimum(lengths.view(order).ravel().astype(np.int64), len(data))
    return int(sizes.max(initial=0))
