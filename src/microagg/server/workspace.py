"""The private folder of a server: uploads and results, readable by their owner alone.

Everything lies under random names in one folder with mode 0700, which is deleted when the server
ends, also after Ctrl-C or a termination.
"""

from __future__ import annotations

import atexit
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from microagg.errors import FileError


class TooLarge(FileError):
    """An upload exceeds the size limit."""


@dataclass(frozen=True)
class Upload:
    """A file of the user: where it lies, and what the user calls it."""

    path: Path
    name: str


class Workspace:
    """A private temporary folder.

    Parameters
    ----------
    limit : int
        The largest size of an upload, in bytes.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.folder = Path(tempfile.mkdtemp(prefix="microagg-serve-"))  # mode 0700
        atexit.register(self.remove)

    def remove(self) -> None:
        """Delete everything."""
        shutil.rmtree(self.folder, ignore_errors=True)
        atexit.unregister(self.remove)

    def new_folder(self) -> Path:
        """Return a new folder of a name that nobody can guess."""
        folder = self.folder / secrets.token_hex(16)
        folder.mkdir(mode=0o700)
        return folder

    async def receive(self, name: str, chunks: AsyncIterator[bytes]) -> Upload:
        """Write an upload as it arrives, or raise when it exceeds the limit.

        Only the suffix of the user's file name is used for the path, and only a plain one.
        """
        path = self.new_folder() / f"records{safe_suffix(name)}"
        size = 0
        try:
            with path.open("xb") as file:
                path.chmod(0o600)
                async for chunk in chunks:
                    size += len(chunk)
                    if size > self.limit:
                        raise TooLarge(
                            f"The file is larger than {self.limit // 10**6:,} MB.",
                            hint="Start the server with a larger limit: --max-upload 2GB.",
                        )
                    file.write(chunk)
        except BaseException:
            shutil.rmtree(path.parent, ignore_errors=True)
            raise
        return Upload(path, display_name(name))


def safe_suffix(name: str) -> str:
    """Return the suffixes of a file name, where they are short and plain.

    Examples
    --------
    >>> safe_suffix("people.csv.gz"), safe_suffix("../../etc/passwd"), safe_suffix("x.a b")
    ('.csv.gz', '', '')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    suffixes = Path(last).suffixes[-2:]
    plain = [s for s in suffixes if len(s) <= 10 and s[1:].isascii() and s[1:].isalnum()]
    return "".join(plain).lower() if len(plain) == len(suffixes) else ""


def display_name(name: str) -> str:
    r"""Return a user's file name for display: its last part, printable and short.

    Examples
    --------
    >>> display_name("C:\\data\\people.csv"), display_name("a\nb.csv")
    ('people.csv', 'a b.csv')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    printable = "".join(c if c.isprintable() else " " for c in last)
    return printable[-80:] or "records"
