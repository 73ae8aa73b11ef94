"""Packed files of text: gzip and Zstandard, identified by the suffix."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Literal, cast

from microagg.data.remote import FilePath
from microagg.errors import FileError


@dataclass(frozen=True)
class Packing:
    """A way to pack a file.

    Attributes
    ----------
    name : {"gzip", "zstd"}
        As messages and Arrow name it.
    suffix : str
        Which says so at the end of a file's name.
    mark : bytes
        The first bytes of such a file.
    """

    name: Literal["gzip", "zstd"]
    suffix: str
    mark: bytes

    @property
    def words(self) -> str:
        """What a file is, in words."""
        return f"compressed with {self.name}"

    def unpacking(self, stream: BinaryIO) -> BinaryIO:
        """Return a stream of what another holds once unpacked."""
        if self.name == "gzip":
            return cast(BinaryIO, gzip.GzipFile(fileobj=stream))
        import pyarrow as pa

        return cast(BinaryIO, pa.CompressedInputStream(stream, self.name))

    def packing(self, stream: BinaryIO) -> BinaryIO:
        """Return a stream that packs what is written to it; the same data give the same bytes."""
        if self.name == "gzip":
            # No time and no file name in the header.
            packed = gzip.GzipFile(filename="", mode="wb", fileobj=stream, compresslevel=6, mtime=0)
            return cast(BinaryIO, packed)
        import pyarrow as pa

        return cast(BinaryIO, pa.CompressedOutputStream(stream, self.name))

    @contextmanager
    def errors(self, path: FilePath) -> Iterator[None]:
        """Raise our error where a packed file is not whole."""
        try:
            yield
        except (gzip.BadGzipFile, EOFError, zlib.error):
            pass  # raised below, without the error that was caught
        except OSError as error:
            if self.name == "gzip" or error.errno:
                raise
        else:
            return
        raise FileError(
            f"'{path}' is damaged: its {self.name} data ends early.", hint="Copy it again."
        )


PACKINGS = (Packing("gzip", ".gz", b"\x1f\x8b"), Packing("zstd", ".zst", b"\x28\xb5\x2f\xfd"))


def packing_of(path: FilePath) -> Packing | None:
    """Return how a file is packed, as its name says; None if it is not."""
    return next((each for each in PACKINGS if path.suffix.lower() == each.suffix), None)


def packed_suffixes(*suffixes: str) -> tuple[str, ...]:
    """Return suffixes, and the same of packed files."""
    packed = (f"{suffix}{each.suffix}" for each in PACKINGS for suffix in suffixes)
    return (*suffixes, *packed)
