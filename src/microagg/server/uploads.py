"""Uploads: a form is parsed as it arrives, and its file is written directly to the workspace.

Nothing is kept in memory or in a folder that others share, and an upload beyond the size limit is
refused as soon as it exceeds the limit, regardless of its headers.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from microagg.errors import FileError
from microagg.server.workspace import Upload, Workspace

# It describes malformed forms by their bytes, which may be those of records.
logging.getLogger("python_multipart").setLevel(logging.CRITICAL)

OVERHEAD = 100_000
"""The maximum size of a form besides its file, in bytes."""


class TooLarge(FileError):
    """An upload exceeds the size limit."""


class NoUpload(FileError):
    """A request has no file, or is not a form."""


async def receive(request: Request, workspace: Workspace, limit: int) -> Upload:
    """Return the file of a form, which is written as it arrives.

    Raises
    ------
    TooLarge
        The file has more than `limit` bytes.
    NoUpload
        The request is not a form with a file.
    """
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > limit + OVERHEAD:
        raise too_large(limit)
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary")
    if kind != b"multipart/form-data" or not boundary:
        raise NoUpload("The request is not a form with a file.")
    sink = _Sink(workspace, limit)
    try:
        parser = MultipartParser(boundary, sink.callbacks())
        async for chunk in request.stream():
            sink.count(len(chunk))
            parser.write(chunk)
        parser.finalize()
    except FormParserError:
        sink.discard()
        raise NoUpload("The upload is not a form that can be read.") from None
    except BaseException:
        sink.discard()
        raise
    return sink.finished()


def too_large(limit: int) -> TooLarge:
    """Return the error for an upload beyond the limit."""
    return TooLarge(
        f"The file is larger than {in_words(limit)}.",
        hint="Start the server with a larger limit, such as --max-upload 10GB, or name the file: "
        "microagg serve FILE.",
    )


def in_words(size: int) -> str:
    """Return a number of bytes in words.

    Examples
    --------
    >>> in_words(2 * 10**9), in_words(1500000), in_words(900)
    ('2 GB', '1.5 MB', '900 bytes')
    """
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size} bytes"


class _Sink:
    """Receives the parts of a form: writes the field "file" to the workspace, and discards other fields."""

    def __init__(self, workspace: Workspace, limit: int) -> None:
        self._workspace, self._limit = workspace, limit
        self._size = 0
        self._name, self._value = b"", b""
        self._headers: dict[bytes, bytes] = {}
        self._upload: Upload | None = None
        self._stream: IO[bytes] | None = None

    def callbacks(self) -> Any:
        """Return the callbacks of the parser."""
        own: dict[str, Callable[..., None]] = {
            "on_part_begin": self._headers.clear,
            "on_header_field": self._on_name,
            "on_header_value": self._on_value,
            "on_header_end": self._on_header,
            "on_headers_finished": self._on_headers,
            "on_part_data": self._on_data,
            "on_part_end": self._close,
        }
        return own

    def count(self, size: int) -> None:
        """Count the received bytes, and raise if there are too many."""
        self._size += size
        if self._size > self._limit + OVERHEAD:
            raise too_large(self._limit)

    def _on_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _on_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _on_header(self) -> None:
        self._headers[self._name.lower()] = self._value
        self._name, self._value = b"", b""

    def _on_headers(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        name = options.get(b"filename", b"").decode(errors="replace")
        if options.get(b"name") == b"file" and name and self._upload is None:
            self._upload = self._workspace.place(name)
            self._stream = self._upload.path.open("xb")
            self._upload.path.chmod(0o600)

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        if self._stream is not None:
            self._stream.write(data[start:end])
            if self._stream.tell() > self._limit:
                raise too_large(self._limit)

    def _close(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def finished(self) -> Upload:
        """Return the file after the form has ended."""
        if self._stream is not None:
            self.discard()
            raise NoUpload("The upload was cut off.", hint="Choose the file again.")
        if self._upload is None:
            raise NoUpload("Choose a file first.")
        return self._upload

    def discard(self) -> None:
        """Delete the received data."""
        with suppress(OSError):
            self._close()
        if self._upload is not None:
            self._workspace.discard(self._upload.path.parent)
