"""Checksums of records on disk: of whole files, whose names they are, and of stretches that are read."""

from __future__ import annotations

import hashlib
import itertools
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from microagg.typing import Integers

_CHUNK = 1 << 20  # bytes of a file that are summed up at a time


def digest_of(content: memoryview) -> str:
    """Return the digest of what a file contains."""
    return hashlib.blake2b(content, digest_size=12).hexdigest()


def digest_of_file(path: Path) -> str:
    """Return the digest of a file, which is never held whole."""
    digest = hashlib.blake2b(digest_size=12)
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def sums_of(records: NDArray[np.void], cuts: Integers) -> Integers:
    """Return a checksum of the records between each two cuts."""
    content, size = records.view(np.uint8).data, records.dtype.itemsize
    bounds = (cuts * size).tolist()
    return np.array(
        [zlib.crc32(content[a:b]) for a, b in itertools.pairwise(bounds)], dtype=np.int64
    )
