"""A folder that is held open: its files are reached through a descriptor, whatever its name leads to later.

Anyone who can write to the parent folder may replace the name by a link at any time. A path that begins
with the descriptor does not notice. Linux has such paths; elsewhere, the name itself is used.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from microagg.errors import FileError, MicroaggError

OWN_FILE, OWN_FOLDER = 0o600, 0o700

_NUMBERED = re.compile(r"/proc/self/fd/\d+")
_names: dict[str, str] = {}
"""The name of each descriptor, including closed ones, because errors may still mention them."""


class OpenFolder:
    """A folder by its descriptor.

    Parameters
    ----------
    folder : Path
        Its path.
    own : bool
        Whether it must belong to the user and be no link; it then becomes private.

    Attributes
    ----------
    name : Path
        Its path, for messages.
    inside : Path
        The same folder, for every access to what is in it.

    Raises
    ------
    FileError
        It is not the user's own folder, although it must be.
    """

    def __init__(self, folder: Path, *, own: bool = False) -> None:
        self.name = Path(named(str(folder)))
        self.inside = folder
        self._descriptor: int | None = None
        if own and folder.is_symlink():
            raise _not_ours(self.name)
        try:
            if hasattr(os, "O_PATH"):
                self._open(folder, follow=not own)
            if own and os.name != "nt":
                self._require_own()
        except BaseException:
            self.close()
            raise

    def _open(self, folder: Path, *, follow: bool) -> None:
        flags = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
        try:
            self._descriptor = os.open(folder, flags)
        except NotADirectoryError:
            if follow:
                raise
            raise _not_ours(self.name) from None
        inside = Path(f"/proc/self/fd/{self._descriptor}")
        if not _leads_to(inside, self._descriptor):  # there is no /proc, or it is another system's
            self.close()
            return
        self.inside = inside
        _names[str(inside)] = str(self.name)

    def _require_own(self) -> None:
        about = self.inside.stat()
        if not is_ours(about.st_uid, self.inside):
            raise _not_ours(self.name)
        if stat.S_IMODE(about.st_mode) & 0o077:
            try:
                self.inside.chmod(OWN_FOLDER)
            except PermissionError:
                if about.st_uid == os.geteuid():
                    raise  # otherwise it is a share, which decides itself who may read what

    def close(self) -> None:
        """Give the descriptor back."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> OpenFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_ours(owner: int, folder: Path) -> bool:
    """Return whether an owner is the one to whom files belong that this process makes in a folder.

    That is mostly the user. On a network share that maps users, it is whom the user is mapped to, so a
    file is made there to see. Nobody but the server can make files of another owner, not even where the
    folder belongs to an intruder.
    """
    if owner == os.geteuid():
        return True
    probe = folder / f".microagg-{secrets.token_hex(8)}"
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(probe, flags, OWN_FILE)
    except OSError:
        return False
    try:
        return os.fstat(descriptor).st_uid == owner
    finally:
        os.close(descriptor)
        with suppress(OSError):
            probe.unlink()


def _leads_to(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False


def named(text: str) -> str:
    """Return a text with the names of held folders in place of their descriptors."""
    return _NUMBERED.sub(lambda match: _names.get(match[0], match[0]), text)


@contextmanager
def by_name() -> Iterator[None]:
    """Make errors name folders by their paths, not by their descriptors."""
    try:
        yield
    except MicroaggError as error:
        error.reword(named)
        raise


def _not_ours(path: Path) -> FileError:
    return FileError(
        f"'{path}' cannot be used: it is a link, or a folder of another user.",
        hint="Another user may have put it there: name a folder that only you can write to.",
    )
