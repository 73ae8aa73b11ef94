"""The private folder of a server: uploads and results, readable by their owner alone.

Everything lies under random names in one folder with mode 0700, which is deleted when the server
ends, also after Ctrl-C, a termination, or when its terminal is closed. A server that was killed or
lost its power leaves its folder behind; the next server of the same user deletes it.
"""

from __future__ import annotations

import atexit
import os
import re
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from microagg.data.formats.registry import suffixes

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

PREFIX = "microagg-serve-"
LOCK = "server.lock"
"""The file that a server keeps locked while it runs."""


@dataclass(frozen=True)
class Upload:
    """An uploaded file: its path, and its name on the user's computer."""

    path: Path
    name: str


class Workspace:
    """A private temporary folder."""

    def __init__(self) -> None:
        remove_abandoned()
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))  # mode 0700
        self._lock = _locked(self.folder)
        atexit.register(self.remove)

    def remove(self) -> None:
        """Delete everything."""
        self._lock.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        atexit.unregister(self.remove)

    def new_folder(self) -> Path:
        """Return a new folder with a random name."""
        folder = self.folder / secrets.token_hex(16)
        folder.mkdir(mode=0o700)
        return folder

    def place(self, name: str) -> Upload:
        """Return the path for an upload; only the suffix of the user's file name is used."""
        return Upload(self.new_folder() / f"records{safe_suffix(name)}", display_name(name))

    def discard(self, folder: Path) -> None:
        """Delete a folder that `new_folder` made."""
        if folder.parent == self.folder:
            shutil.rmtree(folder, ignore_errors=True)


def _locked(folder: Path) -> IO[bytes]:
    """Return a file of the folder that remains locked until this process ends."""
    path = folder / "new.lock"
    stream = path.open("wb")
    if fcntl is not None:
        fcntl.flock(stream, fcntl.LOCK_EX)
        path.rename(folder / LOCK)  # whoever sees this name finds it locked
    return stream


def remove_abandoned() -> None:
    """Delete the folders of servers of this user that no longer run."""
    if fcntl is None:
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            if folder.lstat().st_uid == os.getuid():
                with (folder / LOCK).open("rb") as stream:
                    fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # it is in use, or microagg did not create it


def safe_suffix(name: str) -> str:
    """Return the suffix of a file name if it can be read, or is short and plain.

    Examples
    --------
    >>> [safe_suffix(name) for name in ("people.v2.CSV.gz", "../../etc/passwd", "a.xlsx", "x.a b")]
    ['.csv.gz', '', '.xlsx', '']
    """
    last = name.replace("\\", "/").rpartition("/")[2].lower()
    suffix = max((each for each in suffixes() if last.endswith(each)), key=len, default="")
    other = Path(last).suffix
    return suffix or (other if re.fullmatch(r"\.[a-z0-9]{1,10}", other) else "")


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
