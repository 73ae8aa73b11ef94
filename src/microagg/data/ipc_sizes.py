"""The size of Arrow files and streams once their buffers are decompressed, as the messages state it.

Each compressed buffer begins with its length after decompression. Arrow allocates as much and accepts no
other length, so the sum is known before anything is decompressed. The layout of messages is that of
"Encapsulated message format" in the specification of Arrow; they are FlatBuffers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

OLD_COMPRESSION = b"ARROW:experimental_compression"
"""The metadata of a message that was compressed before the format had a field for it."""


class _Table:
    """A table of FlatBuffers; fields are named by their number."""

    def __init__(self, data: Any, at: int) -> None:
        self.data, self.at = data, at
        self._fields = at - self.number("<i", at)

    def number(self, kind: str, at: int) -> int:
        """Return an integer."""
        return int(struct.unpack_from(kind, self.data, at)[0])

    def place(self, field: int) -> int:
        """Return where a field is, or 0 if the table does not have it."""
        slot = 4 + 2 * field
        if slot + 2 > self.number("<H", self._fields):
            return 0
        offset = self.number("<H", self._fields + slot)
        return self.at + offset if offset else 0

    def target(self, field: int) -> int:
        """Return where the table or the vector of a field is, or 0."""
        place = self.place(field)
        return place + self.number("<I", place) if place else 0

    def structs(self, field: int, kind: str) -> Iterator[tuple[int, ...]]:
        """Yield the entries of a vector of structs."""
        start = self.target(field)
        if start:
            count = self.number("<I", start)
            end = start + 4 + count * struct.calcsize(kind)
            yield from struct.iter_unpack(kind, self.data[start + 4 : end])


def file_bytes(data: pa.Buffer) -> int:
    """Return the decompressed bytes of an Arrow file, whose footer names its messages.

    A footer may name a message many times, and each time it is decompressed.
    """
    whole = memoryview(data)
    length = struct.unpack_from("<i", whole, len(whole) - 10)[0]
    footer = whole[len(whole) - 10 - length : len(whole) - 10]
    table = _Table(footer, struct.unpack_from("<I", footer, 0)[0])
    sizes: dict[int, int] = {}
    total = 0
    for field in (2, 3):  # dictionaries, then record batches
        for offset, _, _, _ in table.structs(field, "<qiiq"):
            if offset not in sizes:
                sizes[offset] = _message_bytes(data, offset)
            total += sizes[offset]
    return total


def _message_bytes(data: pa.Buffer, offset: int) -> int:
    import pyarrow as pa

    if not 0 <= offset < data.size:
        raise ValueError("A message lies outside of the file.")
    return _decompressed(pa.ipc.read_message(data.slice(offset)))


def stream_bytes(data: pa.Buffer) -> int:
    """Return the decompressed bytes of an Arrow stream."""
    import pyarrow as pa

    messages = pa.ipc.MessageReader.open_stream(pa.BufferReader(data))
    return sum(_decompressed(message) for message in messages)


def _decompressed(message: Any) -> int:
    """Return the bytes of the buffers of a message."""
    header = memoryview(message.metadata)
    batch = _batch_of(header)
    if batch is None:
        return 0
    buffers = list(batch.structs(2, "<qq"))
    old = OLD_COMPRESSION in bytes(header)
    if not (batch.place(3) or old):
        return sum(length for _, length in buffers)
    body = memoryview(message.body)
    return sum(
        max(struct.unpack_from("<q", body, offset)[0], length)
        for offset, length in buffers
        if length >= 8
    )


def _batch_of(header: Any) -> _Table | None:
    """Return the record batch of a message or of the dictionary in it."""
    message = _Table(header, struct.unpack_from("<I", header, 0)[0])
    kind, content = message.place(1), message.target(2)
    name = message.number("<B", kind) if kind else 0
    if name == 3:
        return _Table(header, content)
    if name == 2:
        return _Table(header, _Table(header, content).target(1))
    return None
