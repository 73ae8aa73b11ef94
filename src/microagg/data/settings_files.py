"""Files beside the records, such as schemas and hierarchies: small files, and never pipes or devices."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from microagg.errors import FileError

LARGEST = 1 << 28
"""Bytes that such a file has at most."""

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe would be waited for
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)  # of Windows, where text would be translated
)


def read_settings_file(path: str | Path) -> bytes:
    """Return the content of a file.

    A pipe or a device may never end, and somebody else may have put it in the place of the file.

    Raises
    ------
    OSError
        The file cannot be read.
    FileError
        It is a folder, a pipe or a device, or longer than `LARGEST`.
    """
    descriptor = os.open(path, _FLAGS)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        what = "a folder" if stat.S_ISDIR(mode) else "a pipe or a device"
        raise FileError(f"{str(path)!r} cannot be read: it is {what}, not a file.")
    with os.fdopen(descriptor, "rb") as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise FileError(f"{str(path)!r} cannot be read: it is longer than {LARGEST >> 20} MiB.")
    return content
