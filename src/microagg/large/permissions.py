"""Who may read the files of a large release: its owner alone, until those for others get their names."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from microagg.data.open_folder import OWN_FILE, OWN_FOLDER
from microagg.errors import FileError


def make_private_folder(path: Path, within: Path) -> None:
    """Make a folder, and those around it that are missing, for their owner alone.

    The folder `within` must exist: a task that outlives its run must not make it again.
    """
    missing = []
    while path != within and not path.is_dir():
        missing.append(path)
        path = path.parent
    if not path.is_dir():
        raise removed(within)
    for folder in reversed(missing):
        folder.mkdir(mode=OWN_FOLDER, exist_ok=True)


def removed(folder: Path) -> FileError:
    """Return the error for a work folder that is gone, or is that of another run by now."""
    return FileError(f"'{folder}' was removed while a task was running.", hint="Start again.")


def make_private_file(path: Path) -> None:
    """Make an empty file for its owner alone; never through a link that somebody else put there."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWN_FILE))


def keep_private(path: Path) -> None:
    """Let nobody but its owner read a file, or a folder with all that is in it."""
    _set_modes(path, OWN_FILE, OWN_FOLDER)


def open_as_usual(path: Path, target: Path) -> None:
    """Give a file or a folder the permissions of what it replaces, or those that new ones get."""
    file, folder = _usual_modes(path.parent)
    if target.is_symlink():
        pass  # which is replaced itself
    elif target.is_file():
        file = stat.S_IMODE(target.stat().st_mode)
    elif target.is_dir():
        folder = stat.S_IMODE(target.stat().st_mode)
    _set_modes(path, file, folder)


def _set_modes(path: Path, file: int, folder: int) -> None:
    for inner in path.rglob("*") if path.is_dir() else ():
        inner.chmod(folder if inner.is_dir() else file)
    path.chmod(folder if path.is_dir() else file)


def _usual_modes(folder: Path) -> tuple[int, int]:
    """Return the modes that the umask leaves to new files and folders, without changing the umask."""
    modes = []
    for make, remove in ((Path.touch, Path.unlink), (Path.mkdir, Path.rmdir)):
        probe = folder / f".{secrets.token_hex(8)}"
        make(probe)
        modes.append(stat.S_IMODE(probe.stat().st_mode))
        remove(probe)
    return modes[0], modes[1]
