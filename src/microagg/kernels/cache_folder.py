"""Where compiled kernels are kept between runs, and whether that place can be trusted.

The folder lies in the user's cache folder, or in `NUMBA_CACHE_DIR` where that is set. It is named after a
digest of the source of all kernels and the versions of numba, llvmlite and Python, so that a change of any
kernel never meets stale code, whoever calls whom, and so that installations of one version share what is
compiled. What is loaded from it is executed: it is private, and one that another user could write to is
not used. Nothing here needs numba.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import sys
import time
import warnings
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

import platformdirs

from microagg.errors import MicroaggWarning

PREFIX = "microagg-"
KEPT_FOLDERS, KEPT_DAYS = 3, 30
"""Folders of other versions are removed, but not the latest few, nor those used within so many days."""

_warned: set[str] = set()


@cache
def content_key() -> str:
    """Return a digest of all that compiled code depends on, except the processor."""
    versions = f"{version('numba')} {version('llvmlite')} {sys.version}"
    digest = hashlib.sha256(versions.encode())
    here = Path(__file__).parent
    for file in sorted(here.rglob("*.py")):
        digest.update(str(file.relative_to(here)).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:32]


def cache_root() -> Path | None:
    """Return the folder that holds those of all versions; None for a user without a home folder."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen).absolute()
    try:
        folder = Path(platformdirs.user_cache_dir("microagg", False))
    except RuntimeError:
        return None
    return folder / "kernels" if folder.is_absolute() else None  # older versions return "~"


@cache
def cache_folder() -> Path | None:
    """Return the private folder of this version; None, with a warning, where there can be none.

    Examples
    --------
    >>> folder = cache_folder()
    >>> folder is None or folder.name == f"microagg-{content_key()}"
    True
    """
    root = cache_root()
    if root is None:
        warn_once("Compiled kernels are not stored, because this user has no home folder.")
        return None
    folder = root / (PREFIX + content_key())
    try:
        is_new = not folder.exists()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        doubt = _doubt(folder)
        if doubt:
            warn_once(f"Compiled kernels are not stored in '{folder}': {doubt}.")
            return None
        _mark_as_used(folder)
    except OSError as error:
        warn_once(f"Compiled kernels cannot be stored in '{folder}' ({error.strerror}).")
        return None
    if is_new:
        remove_old_folders(folder)
    return folder


def _doubt(folder: Path) -> str:
    """Return why code from a folder must not be run, "" where it may; makes the user's own private."""
    if sys.platform == "win32":  # the user's folders are private there
        return ""
    seen = folder.lstat()
    if not stat.S_ISDIR(seen.st_mode):
        return "it is not a folder"
    if seen.st_uid not in (os.getuid(), 0):
        return "it belongs to another user"
    if seen.st_uid == os.getuid() and stat.S_IMODE(seen.st_mode) & 0o077:
        folder.chmod(0o700)
    elif stat.S_IMODE(seen.st_mode) & 0o022:
        return "other users can write to it"
    if not os.access(folder, os.R_OK | os.X_OK):
        return "only its owner can read it"
    return ""


def _mark_as_used(folder: Path) -> None:
    if os.access(folder, os.W_OK):
        os.utime(folder)


def remove_old_folders(current: Path) -> None:
    """Remove the folders of versions that have not been used for long; errors are no matter."""
    pattern = re.compile(PREFIX + "[0-9a-f]{32}")
    last_used = {}
    with suppress(OSError):  # a folder that cannot be listed
        for folder in current.parent.iterdir():
            if pattern.fullmatch(folder.name) and folder != current:
                with suppress(OSError):  # another process removes it
                    last_used[folder] = folder.stat().st_mtime
    latest = sorted(last_used, key=last_used.__getitem__, reverse=True)
    for folder in latest[KEPT_FOLDERS - 1 :]:
        if last_used[folder] < time.time() - KEPT_DAYS * 86_400:
            shutil.rmtree(folder, ignore_errors=True)


IN_EACH_RUN = "Kernels are compiled again in each run. Set NUMBA_CACHE_DIR to a folder of your own."


def warn_once(message: str, consequence: str = IN_EACH_RUN) -> None:
    """Warn that kernels are compiled again, and when; only the first reason is given, once a process."""
    if not _warned:
        _warned.add(message)
        warnings.warn(f"{message} {consequence}", MicroaggWarning, stacklevel=2)
