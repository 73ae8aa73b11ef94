"""Write beside, then rename: a target holds its old content or the whole new one, never a half."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from microagg.data.lock import committing
from microagg.data.open_folder import OWN_FILE, OWN_FOLDER, OpenFolder, by_name
from microagg.data.uninterrupted import Uninterrupted
from microagg.errors import FileError, MicroaggError, ParameterError, Phrase

PathLike = str | os.PathLike[str]

_MOST_LINKS = 40

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def replacing(
    *paths: PathLike, overwrite: bool = True, private: Iterable[PathLike] = ()
) -> Iterator[tuple[Path, ...]]:
    r"""Hand out one temporary path for each target; rename all of them when the block ends.

    The set of files appears at once: while they get their names, the folders are locked, so two
    processes cannot mix their sets. On any exception, an interrupt included, the temporaries go and
    the targets stay as they were. With `overwrite`, a link of the user is followed: the file behind
    it is replaced. An existing target keeps its permissions, so that a file closed to others does
    not open up; a new one follows the umask. Nobody else can lead the files elsewhere: they are
    written in a private folder, and both folders are held open.

    Parameters
    ----------
    *paths : str or PathLike
        The targets.
    overwrite : bool
        Whether targets may be replaced. If not, none may exist, neither now nor when the block
        ends: of two processes that write the same files, only one succeeds.
    private : iterable of str or PathLike
        Those of the targets that only their owner may read and write.

    Yields
    ------
    tuple of Path
        Empty files of the same names in a folder beside the targets, in the same order.

    Raises
    ------
    FileError
        The folder is missing or closed, the target is a folder, or the disk is full.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "release.csv")) as (beside,):
    ...         _ = beside.write_text("age\n40\n")
    ...     print([entry.name for entry in Path(folder).iterdir()])
    ['release.csv']
    """
    closed = {os.fspath(path) for path in private}
    targets = _targets(paths, overwrite)
    made: list[Path] = []
    with ExitStack() as opened, by_name():
        try:
            folders = {
                t.parent: _opened_folder(p, t, opened) for p, t in zip(paths, targets, strict=True)
            }
            with _ours(paths):
                stages = {name: _stage(each, made, opened) for name, each in folders.items()}
            places = [folders[target.parent].inside / target.name for target in targets]
            beside = [stages[target.parent] / target.name for target in targets]
            for path, place, temporary in zip(paths, places, beside, strict=True):
                made.append(temporary)  # before it exists: a signal may strike right after that
                with _ours([path]):
                    _reserve(path, place, temporary, private=os.fspath(path) in closed)
            with _of_the_block(paths, beside):
                yield tuple(beside)
            with _ours(paths):
                _flush(beside)
            with Uninterrupted() as signals:
                try:
                    with _ours(paths), committing(folders.values(), signals):
                        _refuse_new(paths, places, overwrite)
                        _rename(beside, places)
                finally:
                    _remove(reversed(made))
        finally:
            with Uninterrupted():
                _remove(reversed(made))


def _targets(paths: Sequence[PathLike], overwrite: bool) -> list[Path]:
    """Return the files to write, which must differ; those behind links where they may be replaced."""
    refuse_overwrite(paths, overwrite)
    targets = []
    for path in paths:
        with _ours([path]):
            targets.append(followed(Path(path)) if overwrite else _in_its_folder(Path(path)))
    if len(set(targets)) < len(targets):
        raise ParameterError(
            "Two outputs have the same path.", hint="Choose a different file for each."
        )
    return targets


def _in_its_folder(path: Path) -> Path:
    """Return a path whose folder has no other name; what the path itself leads to does not matter."""
    return Path(os.path.realpath(path.parent)) / path.name


def followed(path: Path) -> Path:
    """Return the file behind a link of the user or the system; links of others are refused."""
    for _ in range(_MOST_LINKS):
        path = _in_its_folder(path)
        leads_to = _link(path)
        if leads_to is None:
            return path
        path = path.parent / leads_to
    raise FileError(f"'{path}' is a link to itself.", hint="Name another file.")


def _link(path: Path) -> str | None:
    """Return what a link says, None if there is none; it is asked once, so that it cannot change."""
    if not hasattr(os, "O_PATH"):
        return os.readlink(path) if path.is_symlink() else None  # noqa: PTH115
    try:
        descriptor = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISLNK(about.st_mode):
            return None
        if about.st_uid not in (os.geteuid(), 0):
            raise FileError(
                f"'{path}' is a link that belongs to another user.",
                hint="Name the file that it leads to, or another one.",
            )
        return os.readlink("", dir_fd=descriptor)
    finally:
        os.close(descriptor)


def _opened_folder(path: PathLike, target: Path, opened: ExitStack) -> OpenFolder:
    """Hold the folder of a target, so that nobody can put another one in its place."""
    if not target.parent.is_dir():
        raise FileError(
            f"'{os.fspath(path)}' cannot be written: there is no folder '{target.parent}'.",
            hint="Create the folder first.",
        )
    with _ours([path]):
        return opened.enter_context(OpenFolder(target.parent))


def _stage(folder: OpenFolder, made: list[Path], opened: ExitStack) -> Path:
    """Make a private folder for what has no name yet: nobody else can put a link there."""
    path = folder.inside / f".microagg-{secrets.token_hex(8)}"
    made.append(path)  # before it exists
    path.mkdir(mode=OWN_FOLDER)
    return opened.enter_context(OpenFolder(path, own=True)).inside


def _remove(paths: Iterable[Path]) -> None:
    """Remove all files and empty folders that are there."""
    for path in paths:
        with contextlib.suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            else:
                path.unlink(missing_ok=True)


def _reserve(path: PathLike, place: Path, temporary: Path, *, private: bool) -> None:
    """Create an empty file for a target, which also shows that one can be written there."""
    mode = place.lstat().st_mode if os.path.lexists(place) else 0
    if stat.S_ISDIR(mode):
        raise FileError(f"'{os.fspath(path)}' is a folder.", hint="Name a file inside it.")
    if mode and not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        raise FileError(
            f"'{os.fspath(path)}' is a device or a pipe, which cannot be replaced.",
            hint="Name another file.",
        )
    # O_EXCL: never through a link.
    os.close(
        os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWN_FILE if private else 0o666)
    )
    if stat.S_ISREG(mode) and not private:
        temporary.chmod(stat.S_IMODE(mode))


def _refuse_new(paths: Sequence[PathLike], places: Sequence[Path], overwrite: bool) -> None:
    """Raise if an output has come to exist meanwhile and may not be replaced."""
    for path, place in zip(paths, places, strict=True):
        if not overwrite and os.path.lexists(place):
            raise _exists(path)


def rename_all(beside: Sequence[Path], targets: Sequence[Path]) -> None:
    """Give whole files their names, all or none: when one cannot be renamed, those that were go back."""
    _flush(beside)
    with Uninterrupted():
        _rename(beside, targets)


def _flush(paths: Iterable[Path]) -> None:
    # Without this a power cut after the renaming could leave an empty file.
    for path in paths:
        with path.open("rb+") as stream:
            os.fsync(stream.fileno())


def _rename(beside: Sequence[Path], targets: Sequence[Path]) -> None:
    fresh = [not target.exists() for target in targets]
    kept = [_second_name(target) for target in targets]
    try:
        if len(targets) > 1:  # one file alone needs no way back: its renaming happens or does not
            for target, copy in zip(targets, kept, strict=True):
                _keep(target, copy)
        for temporary, target in zip(beside, targets, strict=True):
            os.replace(temporary, target)  # noqa: PTH105 - tests make this very call fail
    except BaseException:
        # A temporary that is gone has been renamed, even where an error says otherwise.
        for temporary, target, copy, new in zip(beside, targets, kept, fresh, strict=False):
            if not temporary.exists():
                _put_back(target, copy, new)
        raise
    finally:
        _remove(kept)


def _second_name(target: Path) -> Path:
    return target.with_name(f".{target.name[:60]}.{secrets.token_hex(8)}.old")


def _keep(target: Path, copy: Path) -> None:
    """Give the old content a second name, for the way back, where there is any to keep."""
    with contextlib.suppress(OSError):  # no old file, or a file system without hard links
        os.link(target, copy)


def _put_back(target: Path, copy: Path, new: bool) -> None:
    with contextlib.suppress(OSError):
        if copy.exists():
            copy.replace(target)
        elif new:
            target.unlink(missing_ok=True)


@contextmanager
def _ours(paths: Sequence[PathLike]) -> Iterator[None]:
    """Turn an error of the system into one that names the targets."""
    try:
        yield
    except OSError as error:
        raise _unwritable(paths, error) from error


@contextmanager
def _of_the_block(paths: Sequence[PathLike], beside: Sequence[Path]) -> Iterator[None]:
    """Make the caller's errors speak of the targets; leave alone those about other files."""
    try:
        yield
    except MicroaggError as error:
        targets = {
            str(temporary): os.fspath(path) for temporary, path in zip(beside, paths, strict=True)
        }
        error.reword(lambda text: _replaced(text, targets))
        raise
    except OSError as error:
        if error.errno in _NO_ROOM or error.filename in {str(temporary) for temporary in beside}:
            raise _unwritable(paths, error) from error
        raise


def _replaced(text: str, words: Mapping[str, str]) -> str:
    for old, new in words.items():
        text = text.replace(old, new)
    return text


def _unwritable(paths: Sequence[PathLike], error: OSError) -> FileError:
    names = ", ".join(f"'{os.fspath(path)}'" for path in paths)
    if error.errno in _NO_ROOM:
        return FileError(
            f"The disk is full: {names} could not be written.",
            hint="Free disk space or name another folder. Nothing was changed.",
        )
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return FileError(f"There is no permission to write {names}.", hint="Name another folder.")
    reason = error.strerror or "input/output error"
    return FileError(f"{names} could not be written: {reason}.", hint="Nothing was changed.")


def refuse_overwrite(paths: Iterable[PathLike], overwrite: bool) -> None:
    """Raise FileError when an output exists and `overwrite` is not set.

    Examples
    --------
    >>> refuse_overwrite(["no-such-folder/release.csv"], overwrite=False)
    """
    for path in paths:
        if "\0" in os.fspath(path):
            raise FileError(f"{os.fspath(path)!r} is not the name of a file.")
        if overwrite:
            continue
        with _ours([path]):  # a name may be too long to ask for
            # A link to nothing would lead the new file elsewhere.
            exists = Path(path).exists() or Path(path).is_symlink()
        if exists:
            raise _exists(path)


def _exists(path: PathLike) -> FileError:
    return FileError(
        f"'{os.fspath(path)}' exists already.",
        hint=Phrase("Use {overwrite} or another name.", overwrite=True),
    )


def same_file(first: PathLike, second: PathLike) -> bool:
    """Return whether two paths lead to one file, through links and relative paths too.

    Examples
    --------
    >>> same_file("people.csv", "./people.csv")
    True
    """
    try:
        if os.path.realpath(first) == os.path.realpath(second):
            return True
        return Path(first).samefile(second)
    except OSError:
        return False


def refuse_same_file(source: PathLike, output: PathLike) -> None:
    """Raise FileError when the output is the input: the original records would be lost."""
    if same_file(source, output):
        raise FileError(
            f"The output '{os.fspath(output)}' is the input itself.",
            hint="Name another output; the original is never overwritten.",
        )


def write_text(path: Path, text: str) -> None:
    """Write text as UTF-8; bytes of a file name that are no text become escapes, as in JSON."""
    path.write_text(text, encoding="utf-8", errors="backslashreplace")
