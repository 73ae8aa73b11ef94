"""Write beside, then rename: a target holds its old content or the whole new one, never a half."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from microagg.data.lock import committing
from microagg.errors import FileError, MicroaggError, ParameterError, Phrase

PathLike = str | os.PathLike[str]

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def replacing(
    *paths: PathLike, overwrite: bool = True, private: Iterable[PathLike] = ()
) -> Iterator[tuple[Path, ...]]:
    r"""Hand out one temporary path beside each target; rename all of them when the block ends.

    The set of files appears at once: while they get their names, the folders are locked, so two
    processes cannot mix their sets. On any exception, an interrupt included, the temporaries go and
    the targets stay as they were. A link is followed: the file behind it is replaced. An existing
    target keeps its permissions, so that a file closed to others does not open up; a new one
    follows the umask.

    Parameters
    ----------
    *paths : str or PathLike
        The targets. The temporaries have the same suffixes.
    overwrite : bool
        Whether targets may be replaced. If not, none may exist, neither now nor when the block
        ends: of two processes that write the same files, only one succeeds.
    private : iterable of str or PathLike
        Those of the targets that only their owner may read and write.

    Yields
    ------
    tuple of Path
        Empty files that stand beside the targets, in the same order.

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
    beside: list[Path] = []
    try:
        targets = _targets(paths, overwrite)
        for path, target in zip(paths, targets, strict=True):
            with _ours([path]):
                _reserve(path, target, beside, private=os.fspath(path) in closed)
        with _of_the_block(paths, beside):
            yield tuple(beside)
        with _ours(paths), committing(target.parent for target in targets):
            refuse_overwrite(paths, overwrite)
            rename_all(beside, targets)
    finally:
        _remove(beside)


def _targets(paths: Sequence[PathLike], overwrite: bool) -> list[Path]:
    """Return the files behind all links, which must differ."""
    refuse_overwrite(paths, overwrite)
    targets = [Path(os.path.realpath(path)) for path in paths]
    if len(set(targets)) < len(targets):
        raise ParameterError(
            "Two outputs have the same path.", hint="Choose a different file for each."
        )
    return targets


def _remove(paths: Iterable[Path]) -> None:
    """Remove all files that are there, even if a signal strikes meanwhile."""
    struck: BaseException | None = None
    for path in paths:
        try:
            _unlink(path)
        except BaseException as error:  # noqa: BLE001  (raised when all are gone)
            struck = error
            _unlink(path)
    if struck is not None:
        raise struck


def _unlink(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def _reserve(path: PathLike, target: Path, beside: list[Path], *, private: bool) -> None:
    """Create an empty file beside the target, which also shows that one can be written there."""
    if target.is_dir():
        raise FileError(f"'{os.fspath(path)}' is a folder.", hint="Name a file inside it.")
    if not target.parent.is_dir():
        raise FileError(
            f"'{os.fspath(path)}' cannot be written: there is no folder '{target.parent}'.",
            hint="Create the folder first.",
        )
    packed = target.suffix.lower() in (".gz", ".zst")
    suffix = "".join(target.suffixes[-2:]) if packed else target.suffix
    temporary = target.with_name(f".{target.name[:60]}.{secrets.token_hex(8)}{suffix}")
    # O_EXCL: never through a link that somebody else put there.
    mode = 0o600 if private else 0o666
    beside.append(temporary)  # before it exists: a signal may strike right after that
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    if target.exists() and not private:
        temporary.chmod(stat.S_IMODE(target.stat().st_mode))


def rename_all(beside: Sequence[Path], targets: Sequence[Path]) -> None:
    """Give whole files their names, all or none: when one cannot be renamed, those that were go back."""
    for temporary in beside:
        _flush(temporary)
    fresh = [not target.exists() for target in targets]
    kept = [_second_name(target) for target in targets]
    try:
        if len(targets) > 1:  # one file alone needs no way back: its renaming happens or does not
            for target, copy in zip(targets, kept, strict=True):
                _keep(target, copy)
        for temporary, target in zip(beside, targets, strict=True):
            os.replace(temporary, target)  # noqa: PTH105 - tests make this very call fail
    except BaseException:
        # A temporary that is gone has been renamed, even if an interrupt struck right then.
        for temporary, target, copy, new in zip(beside, targets, kept, fresh, strict=False):
            if not temporary.exists():
                _put_back(target, copy, new)
        raise
    finally:
        _remove(kept)


def _flush(path: Path) -> None:
    # Without this a power cut after the renaming could leave an empty file.
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())


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
        message = error.message
        for temporary, path in zip(beside, paths, strict=True):
            message = message.replace(str(temporary), os.fspath(path))
        if message == error.message:
            raise
        raise type(error)(message, hint=error.hint) from None
    except OSError as error:
        if error.errno in _NO_ROOM or error.filename in {str(temporary) for temporary in beside}:
            raise _unwritable(paths, error) from error
        raise


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
            raise FileError(
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
    if os.path.realpath(first) == os.path.realpath(second):
        return True
    try:
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
