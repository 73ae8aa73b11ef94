"""The work folder: what is done of an unfinished release, each file there whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.atomic import rename_all
from microagg.errors import FileError, Phrase

Records = NDArray[np.void]
Integers = NDArray[np.int64]

MANIFEST = "manifest.json"

_FILES, _SUMS = "kept_files", "kept_sums"  # of the records of a step, among its arrays
_DAMAGED = (
    EOFError, ValueError, KeyError, NotImplementedError, zipfile.BadZipFile, zlib.error
)  # fmt: skip
_CHUNK = 1 << 20  # bytes of a file that are summed up at a time


def record_type(d: int) -> np.dtype[np.void]:
    """Return the form of a record on disk: its row, its group and its values."""
    return np.dtype([("row", "<i8"), ("group", "<i8"), ("values", "<f8", (d,))])


class Work:
    """Arrays and records by name in a folder.

    Parameters
    ----------
    folder : Path
        Where.
    kind : dtype
        The form of records.
    """

    def __init__(self, folder: Path, kind: np.dtype[np.void]) -> None:
        self.folder = folder
        self._type = kind

    @property
    def unfinished(self) -> bool:
        """Whether somebody has begun here."""
        return (self.folder / MANIFEST).exists()

    def claim(self, manifest: Mapping[str, Any], *, overwrite: bool) -> None:
        """Go on with what is there, if it is of the same `manifest`, or begin."""
        before = _read(self.folder / MANIFEST) if self.unfinished else None
        if self.unfinished and before is None and not overwrite:
            raise FileError(
                f"'{self.folder / MANIFEST}' is damaged, so the unfinished work beside it cannot be "
                "gone on with.",
                hint=Phrase(
                    f"Begin anew: delete the folder '{self.folder}', or give {{overwrite}}.",
                    overwrite=True,
                ),
            )
        changed = _changed(before or {}, manifest) if self.unfinished else []
        if changed and not overwrite:
            raise FileError(
                f"'{self.folder}' holds the unfinished work of another release, with other "
                f"{' and '.join(changed)}.",
                hint=Phrase(
                    "Give the same again to finish it, or {overwrite} to begin anew.",
                    overwrite=True,
                ),
            )
        if self.unfinished and not changed:
            self.folder.chmod(0o700)
            self._forget_damaged()
            return
        if not self.unfinished and self.folder.is_dir() and any(self.folder.iterdir()):
            raise FileError(
                f"'{self.folder}' is there without a {MANIFEST}: it is not the work of a release, or "
                "what is left of one, with records as they were.",
                hint="Delete it if nothing in it is needed, or name another folder for the release.",
            )
        self.remove()
        self._begin(manifest)

    def _begin(self, manifest: Mapping[str, Any]) -> None:
        """Make the folder with its manifest in it, in one go: without one it would be nobody's."""
        fresh = self.folder.with_name(f"{self.folder.name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True, mode=0o700)  # it holds the records as they are
        with _in_one_go(fresh / MANIFEST) as beside:
            beside.write_text(json.dumps(manifest, indent=2), encoding="utf-8")
        fresh.rename(self.folder)

    @property
    def gone(self) -> Path:
        """What the folder is called while it is removed."""
        return self.folder.with_name(f"{self.folder.name}.gone")

    def remove(self) -> None:
        """Remove the folder; first its name, without which it counts for nothing.

        What cannot be removed stays in `gone`; so does the rest when the process is killed here.
        """
        shutil.rmtree(self.gone, ignore_errors=True)
        if self.folder.exists():
            self.folder.rename(self.gone)
            shutil.rmtree(self.gone, ignore_errors=True)

    def has(self, name: str) -> bool:
        """Tell whether a step of that name is done."""
        return self._arrays(name).exists()

    def save(self, name: str, records: Mapping[str, Records] | None = None, **arrays: Any) -> None:
        """Keep what a step has made: records by name, then arrays, with which it is done."""
        sums = {part: self.write(part, values) for part, values in (records or {}).items()}
        arrays |= {_FILES: np.array([*sums], dtype=str), _SUMS: np.array([*sums.values()])}
        with _in_one_go(self._arrays(name)) as beside, beside.open("wb") as stream:
            np.savez(stream, **arrays)

    def load(self, name: str, which: str) -> Any:
        """Return one of the arrays that were kept; the others are not read."""
        path = self._arrays(name)
        try:
            with path.open("rb") as stream, np.load(stream) as kept:
                return kept[which]
        except _DAMAGED:
            pass
        raise _damaged(path)

    def _forget_damaged(self) -> None:
        """Let steps be done again whose files are not whole: the machine may have lost its power."""
        for path in [*self.folder.rglob("*.npz")]:
            if not self._whole(path):
                path.unlink()

    def _whole(self, path: Path) -> bool:
        try:
            with zipfile.ZipFile(path) as arrays:
                if arrays.testzip() is not None:
                    return False
            with path.open("rb") as stream, np.load(stream) as kept:
                sums = zip(kept[_FILES], kept[_SUMS], strict=True)
                return all(_sum_of(self._records(part)) == found for part, found in sums)
        except (OSError, *_DAMAGED):
            return False

    def write(self, name: str, records: Records) -> int:
        """Keep records, and return the checksum of their bytes."""
        records = np.ascontiguousarray(records)
        with _in_one_go(self._records(name)) as beside:
            records.tofile(beside)
        return zlib.crc32(records.view(np.uint8).data)

    def read(self, name: str, start: int = 0, end: int | None = None) -> Records:
        """Return some of the records that were kept."""
        count = -1 if end is None else end - start
        if count == 0:
            return self.empty(0)
        path, offset = self._records(name), start * self._type.itemsize
        found = np.fromfile(path, dtype=self._type, count=count, offset=offset)
        if count not in (-1, found.size):
            raise _damaged(path)
        return found

    def gather(self, parts: Iterable[tuple[str, int, int]]) -> Records:
        """Return the records of several parts, each a name, a start and an end, as one."""
        return np.concatenate([self.empty(0), *(self.read(*part) for part in parts)])

    def empty(self, n: int) -> Records:
        """Return room for n records."""
        return np.zeros(n, dtype=self._type)

    def _arrays(self, name: str) -> Path:
        return self.folder / f"{name}.npz"

    def _records(self, name: str) -> Path:
        return self.folder / f"{name}.records"


def _sum_of(path: Path) -> int:
    """Return the checksum of a file, which is never held whole."""
    found = 0
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            found = zlib.crc32(chunk, found)
    return found


def _damaged(path: Path) -> FileError:
    return FileError(
        f"'{path}' is damaged.",
        hint="Start again with the same options: what is damaged is done again.",
    )


@contextmanager
def _in_one_go(path: Path) -> Iterator[Path]:
    """Hand out a path beside another; rename it when the block ends and the disk has it.

    Unlike `replacing`, this leaves the rest of a write that failed, which is written over.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.part")
    beside.unlink(missing_ok=True)
    os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    yield beside
    rename_all([beside], [path])


def _read(path: Path) -> dict[str, Any] | None:
    """Return what a release is known by; None where the file is damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Name what of two manifests differs; a file of another time may have the same content."""
    same = json.loads(json.dumps(now))
    changed = [part for part in ("input", "options", "software") if before.get(part) != same[part]]
    if "options" in changed:
        old, new = before.get("options", {}), same["options"]
        names = [name for name in {**new, **old} if old.get(name) != new.get(name)]
        changed[changed.index("options")] = f"options ({', '.join(names)})"
    return changed
