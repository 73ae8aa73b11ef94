"""The bytes of an input file: read once, hashed as they are read, unpacked within limits."""

from __future__ import annotations

import hashlib
import io
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from microagg.data.packing import packing_of
from microagg.data.remote import FilePath
from microagg.errors import CLOSE, FileError, did_you_mean

if TYPE_CHECKING:
    import pyarrow as pa

LARGEST_RATIO = 200
"""How many times its own size a packed file may have once unpacked."""

ALWAYS_UNPACKED = 1 << 28
"""Bytes up to which a packed file is unpacked, whatever the ratio."""

_STEP = 1 << 22


class Content:
    """A file whose bytes are read once; the SHA-256 is that of the bytes that are parsed.

    Parameters
    ----------
    path : Path
        The file.
    own : bool
        Whether this process has just written the file; then it may expand in any proportion.

    Attributes
    ----------
    sha256 : str or None
        In hexadecimal; None until the file has been read.
    """

    def __init__(self, path: Path, *, own: bool = False) -> None:
        self.path, self.own = path, own
        self.sha256: str | None = None

    def head(self, size: int = 64) -> bytes:
        """Return the first bytes, or raise when there is no file or nothing in it."""
        return first_bytes(self.path, size)

    def bytes(self) -> bytes:
        """Return the whole file."""
        self.head()
        try:
            with self.path.open("rb") as stream:
                data = stream.read()
        except OSError as error:
            raise unreadable(self.path, error) from None
        self.sha256 = hashlib.sha256(data).hexdigest()
        return data

    def buffer(self) -> pa.Buffer:
        """Return the whole file in memory of Arrow's own.

        Arrow's threads may let go of it when Python is already ending, and to let go of Python's
        bytes then would abort the process.
        """
        import pyarrow as pa

        self.head()
        try:
            with pa.OSFile(str(self.path), "rb") as stream:
                data = stream.read_buffer()
        except OSError as error:
            raise unreadable(self.path, error) from None
        self.sha256 = hashlib.sha256(data).hexdigest()
        return data


def first_bytes(path: FilePath, size: int = 64) -> bytes:
    """Return the first bytes of a file.

    Parameters
    ----------
    path : Path
        The file.
    size : int
        How many bytes at most.

    Raises
    ------
    FileError
        The file is missing, a folder, a pipe, a device, not readable, or empty.
    """
    try:
        if path.is_dir():
            raise FileError(f"'{path}' is a folder.", hint="Name a file inside it.")
        if isinstance(path, Path) and path.exists() and not path.is_file():
            raise FileError(  # it may never end, and records are read more than once
                f"'{path}' is a pipe or a device, not a file.",
                hint="Write its content to a file first.",
            )
        with path.open("rb") as stream:
            head = stream.read(size)
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError:  # a zero character
        raise FileError(f"{str(path)!r} is not the name of a file.") from None
    if not head:
        raise FileError(
            f"'{path}' is empty (0 bytes).", hint="Use a file with a header and records."
        )
    return head


def unreadable(path: FilePath, error: OSError) -> FileError:
    """Return the error for a file that the system will not let us read."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return _missing(path)
    if isinstance(error, PermissionError):
        return FileError(
            f"There is no permission to read '{path}'.",
            hint="Ask its owner, or copy it to your folder.",
        )
    return FileError(f"'{path}' cannot be read: {error.strerror or 'input/output error'}.")


def _missing(path: FilePath) -> FileError:
    if str(path) == "-":
        return FileError(
            "Records cannot be read from stdin: '-' is read as the name of a file.",
            hint="Write them to a file first; its suffix determines the format.",
        )
    folder = path.parent
    try:
        names = [entry.name for entry in folder.iterdir() if entry.is_file()]
    except OSError:
        return FileError(f"There is no file '{path}': the folder '{folder}' does not exist.")
    stem = _stem(path.name)
    alike = [n for n in names if SequenceMatcher(None, stem, _stem(n)).ratio() >= CLOSE]
    return FileError(f"There is no file '{path}'.", hint=did_you_mean(path.name, alike))


def _stem(name: str) -> str:
    """Return a name without its suffixes, which many files share."""
    return name.lower().partition(".")[0]


def sample(path: FilePath, size: int) -> bytes:
    """Return the first bytes of a file, unpacked when its name says that it is packed."""
    head = first_bytes(path)
    try:
        with path.open("rb") as stream:
            data = unpacked(path, stream, size) if packing_of(path) else stream.read(size)
    except OSError as error:
        raise unreadable(path, error) from None
    return data or head


def unpacked(
    path: FilePath, packed: BinaryIO | bytes, size: int | None = None, *, own: bool = False
) -> bytes:
    """Return what a packed file holds, or the first `size` bytes of it.

    A file of our `own` may expand in any proportion.

    Raises
    ------
    FileError
        The data ends early, is empty, or expands out of all proportion: such a file would fill the
        memory.
    """
    stream = io.BytesIO(packed) if isinstance(packed, bytes) else packed
    parts: list[bytes] = []
    packing = packing_of(path)
    assert packing is not None  # by its name, which the caller has seen
    with packing.errors(path):
        unpacking, total = packing.unpacking(stream), 0
        while (wanted := _STEP if size is None else min(_STEP, size - total)) > 0:
            if not (part := unpacking.read(wanted)):
                break
            parts.append(part)
            total += len(part)
            if not own:
                require_proportion(path, total, stream.tell())
    if not parts:
        raise FileError(
            f"'{path}' is empty after decompression.", hint="Use a file with a header and records."
        )
    return b"".join(parts)


def require_proportion(path: FilePath, size: int, packed: int, always: int | None = None) -> None:
    """Raise if a file takes far more memory than its own size, as only a malicious one does.

    `always` is the number of bytes up to which the ratio does not matter.
    """
    if size > (ALWAYS_UNPACKED if always is None else always) and size > LARGEST_RATIO * packed:
        raise FileError(
            f"'{path}' expands to more than {LARGEST_RATIO} times its size, as do files "
            "that are designed to exhaust memory.",
            hint="If it does contain records, write them to a text file without compression.",
        )
