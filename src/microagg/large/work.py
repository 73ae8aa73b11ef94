"""The work folder: what is done of an unfinished release, each file there whole or not at all."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from microagg.data.atomic import rename_all
from microagg.data.open_folder import OWN_FOLDER, OpenFolder
from microagg.errors import FileError, Phrase
from microagg.large.checksums import digest_of, digest_of_file, sums_of
from microagg.large.manifest import changes_between, read_manifest
from microagg.large.permissions import make_private_file, make_private_folder, removed
from microagg.typing import Integers

Records = NDArray[np.void]

MANIFEST = "manifest.json"

_FILES, _DIGESTS = "kept_files", "kept_digests"  # of the records of a step, among its arrays
_CUTS, _SUMS = "kept_cuts_", "kept_sums_"
_DAMAGED = (
    EOFError, ValueError, KeyError, NotImplementedError, zipfile.BadZipFile, zlib.error
)  # fmt: skip


def record_type(
    d: int, *, weighted: bool = False, parts: bool = False, unit: bool = False, codes: int = 0
) -> np.dtype[np.void]:
    """Return the form of a record on disk: its row, its group, its values, and what else there is.

    With several parts a record has its row among those of its part (`local`). `codes` says how many
    confidential values it has.
    """
    more: list[Any] = [("local", "<i8")] * parts + [("weight", "<f8")] * weighted
    more += [("unit", "<i8")] * unit + [("codes", "<i4", (codes,))] * (codes > 0)
    return np.dtype([("row", "<i8"), ("group", "<i8"), *more, ("values", "<f8", (d,))])


class Hashed(Protocol):
    """The input, as far as its content matters here."""

    def sha256(self, file: int) -> str:
        """Return the SHA-256 of a file."""
        ...


class Work:
    """What the steps of a release have made: arrays and records, by the name of the step.

    Records lie in files whose names follow from their content, and a step is done once its arrays, which
    name these files, are there. So a step that runs twice, even at the same time, does no harm.

    Parameters
    ----------
    folder : Path
        Where.
    kind : dtype
        The form of records.
    within : Path, optional
        The folder that must exist before anything is written; by default, `folder` itself.
    run : str, optional
        The name of the work, which no other work in a folder of the same path has.

    Attributes
    ----------
    folder : Path
        The way to the files, by descriptor while the folder is held.
    run : str or None
        As above, once the folder is claimed.
    """

    def __init__(
        self,
        folder: Path,
        kind: np.dtype[np.void],
        within: Path | None = None,
        run: str | None = None,
    ) -> None:
        self.folder = self._path = folder
        self._type, self._within, self.run = kind, within, run
        self._opened: OpenFolder | None = None

    def _hold(self, path: Path) -> None:
        """Reach the folder by its descriptor; it must be no link and the user's own."""
        opened = OpenFolder(path, own=True)
        self.close()
        self._opened, self.folder = opened, opened.inside

    def close(self) -> None:
        """Let the folder go: from now on, it is reached by its path, as other processes do."""
        if self._opened is not None:
            self._opened.close()
        self._opened, self.folder = None, self._path

    def below(self, name: str, kind: np.dtype[np.void]) -> Work:
        """Return a folder inside for records of another form."""
        return Work(self.folder / name, kind, self.folder, self.run)

    @property
    def unfinished(self) -> bool:
        """Whether somebody has begun here."""
        return (self.folder / MANIFEST).exists()

    def claim(self, manifest: Mapping[str, Any], data: Hashed, *, overwrite: bool) -> None:
        """Go on with what is there, if it is of the same `manifest` and `data`, or begin.

        The folder is held from then on, so that nobody can put another one in its place.
        """
        if os.path.lexists(self._path):
            self._hold(self._path)
        before = read_manifest(self.folder / MANIFEST) if self.unfinished else None
        if self.unfinished and before is None and not overwrite:
            raise FileError(
                f"'{self.folder / MANIFEST}' is damaged, so the unfinished work in that folder cannot be "
                "continued.",
                hint=Phrase(
                    f"Start over: delete the folder '{self.folder}', or use {{overwrite}}.",
                    overwrite=True,
                ),
            )
        changed = changes_between(before or {}, manifest) if self.unfinished else []
        if self.unfinished and not changed and self._other_content(before or {}, manifest, data):
            changed = ["input"]
        if changed and not overwrite:
            raise FileError(
                f"'{self.folder}' contains the unfinished work of another release, with other "
                f"{' and '.join(changed)}.",
                hint=Phrase(
                    "Use the same options to finish it, or {overwrite} to start over.",
                    overwrite=True,
                ),
            )
        if self.unfinished and not changed:
            self.run = (before or {}).get("run")
            self._forget_damaged()
            return
        if not self.unfinished and self.folder.is_dir() and any(self.folder.iterdir()):
            raise FileError(
                f"'{self.folder}' exists without a {MANIFEST}: it is not the unfinished work of a "
                "release, or it is what remains of one, which contains original records.",
                hint="Delete it if nothing in it is needed, or name another folder for the release.",
            )
        self.remove()
        self._begin(manifest)

    def _other_content(
        self, before: Mapping[str, Any], manifest: Mapping[str, Any], data: Hashed
    ) -> bool:
        """Return whether a file that was changed since may differ in content from the one that was read."""
        begun = any(self.folder.rglob("*.npz"))
        times = zip(before.get("modified", []), manifest["modified"], strict=False)
        changed = [file for file, (old, new) in enumerate(times) if old != new]
        return begun and not self.same_content(changed, data)

    def same_content(self, files: Iterable[int], data: Hashed) -> bool:
        """Return whether files of the input have the hashed content; files without a hash do not."""
        return all(
            self._whole(self._arrays(f"hashed/{file}"))
            and str(self.load(f"hashed/{file}", "sha256")) == data.sha256(file)
            for file in files
        )

    def _begin(self, manifest: Mapping[str, Any]) -> None:
        """Make the folder with its manifest in it, in one go: without one it would be nobody's."""
        fresh = self._path.with_name(f"{self._path.name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True, mode=OWN_FOLDER)  # it holds the records as they are
        self._hold(fresh)
        self.run = secrets.token_hex(8)
        (self.folder / f".{self.run}").mkdir(mode=OWN_FOLDER)
        with self._in_one_go(self.folder / MANIFEST) as beside:
            content = {**manifest, "run": self.run}
            beside.write_text(json.dumps(content, indent=2), encoding="utf-8")
        fresh.rename(self._path)
        if self.folder == fresh:  # the system has no paths by descriptor
            self._hold(self._path)

    @property
    def gone(self) -> Path:
        """What the folder is called while it is removed."""
        return self._path.with_name(f"{self._path.name}.gone")

    def remove(self) -> None:
        """Remove the folder; its name is removed first, after which the folder is ignored.

        What cannot be removed stays in `gone`; so does the rest when the process is killed here.
        """
        shutil.rmtree(self.gone, ignore_errors=True)
        if os.path.lexists(self._path):
            try:
                self._path.rename(self.gone)
            except OSError:  # the rest of an earlier one is in the way
                shutil.rmtree(self._path, ignore_errors=True)
        if self._opened is not None:  # wherever it is now
            _empty(self.folder)
        self.close()
        shutil.rmtree(self.gone, ignore_errors=True)

    def has(self, name: str) -> bool:
        """Return whether a step of that name is done."""
        return self._arrays(name).exists()

    def save(
        self,
        name: str,
        records: Mapping[str, Records] | None = None,
        cuts: Mapping[str, NDArray[np.integer]] | None = None,
        **arrays: Any,
    ) -> None:
        """Keep what a step has made: records by name, then arrays, with which it is done.

        `cuts` tells between which places records will be read; each stretch has a checksum of its own.
        """
        digests = {}
        for part, values in (records or {}).items():
            values = np.ascontiguousarray(values)
            digests[part] = digest_of(values.view(np.uint8).data)
            self._write(self._records(name, part, digests[part]), values)
            own = (cuts or {}).get(part, np.array([0, values.size]))
            own = np.unique(np.concatenate(([0], own, [values.size]))).astype(np.int64)
            arrays[f"{_CUTS}{part}"], arrays[f"{_SUMS}{part}"] = own, sums_of(values, own)
        arrays |= {_FILES: np.array([*digests], dtype=str)}
        arrays |= {_DIGESTS: np.array([*digests.values()], dtype=str)}
        with self._in_one_go(self._arrays(name)) as beside, beside.open("wb") as stream:
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
            name = path.relative_to(self.folder).with_suffix("").as_posix()
            return all(
                digest_of_file(self._records(name, part, digest)) == digest
                for part, (digest, _, _) in _parts_of(path).items()
            )
        except (OSError, *_DAMAGED):
            return False

    def _write(self, path: Path, records: Records) -> None:
        with self._in_one_go(path) as beside:
            records.tofile(beside)

    @contextmanager
    def _in_one_go(self, path: Path) -> Iterator[Path]:
        """Hand out a path on the same disk; rename it when the block ends and the disk has it.

        The path is nobody else's: the same step may run twice at a time. It is in a folder of this run: a
        task that outlives its run cannot write into the work of the next. Unlike `replacing`, this leaves
        the rest of a write that failed; it goes with the folder.
        """
        within = self._within or self.folder
        own = path.parent if self.run is None else within / f".{self.run}"
        make_private_folder(path.parent, within)
        beside = own / f"{path.name}.{secrets.token_hex(6)}.part"
        try:
            make_private_file(beside)
        except FileNotFoundError:
            raise removed(within) from None
        yield beside
        rename_all([beside], [path])

    def read(self, name: str, part: str, start: int = 0, end: int | None = None) -> Records:
        """Return some of the records of a step, or raise where they are not what was written."""
        path = self._arrays(name)
        try:
            digest, cuts, sums = self._parts(path)[part]
        except _DAMAGED:
            raise _damaged(path) from None
        end = int(cuts[-1]) if end is None else end
        if start == end:
            return self.empty(0)
        path = self._records(name, part, digest)
        count, offset = end - start, start * self._type.itemsize
        try:
            values = np.fromfile(path, dtype=self._type, count=count, offset=offset)
        except FileNotFoundError:
            raise _damaged(path) from None
        first, last = np.searchsorted(cuts, [start, end])
        own = cuts[first : last + 1] - start
        if values.size != count or not np.array_equal(sums_of(values, own), sums[first:last]):
            raise _damaged(path)
        return values

    def _parts(self, path: Path) -> dict[str, tuple[str, Integers, Integers]]:
        """Return the files of a step; what was read once is kept while the file stays the same."""
        state = path.stat()
        key = (path, state.st_ino, state.st_mtime_ns, state.st_size)
        if key not in _KEPT:
            if len(_KEPT) > _MOST_KEPT:
                _KEPT.clear()
            _KEPT[key] = _parts_of(path)
        return _KEPT[key]

    def gather(self, part: str, spans: Iterable[tuple[str, int, int]]) -> Records:
        """Return the records of several steps, each a name, a start and an end, as one."""
        parts = (self.read(name, part, start, end) for name, start, end in spans if start < end)
        return np.concatenate([self.empty(0), *parts])

    def empty(self, n: int) -> Records:
        """Return room for n records."""
        return np.zeros(n, dtype=self._type)

    def _arrays(self, name: str) -> Path:
        return self.folder / f"{name}.npz"

    def _records(self, name: str, part: str, digest: str) -> Path:
        return self.folder / f"{name}.{part}.{digest}"


def _empty(folder: Path) -> None:
    """Remove what is in a folder, as far as that is possible."""
    with suppress(OSError):
        for entry in [*folder.iterdir()]:
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                with suppress(OSError):
                    entry.unlink()


_KEPT: dict[tuple[Path, int, int, int], dict[str, tuple[str, Integers, Integers]]] = {}
_MOST_KEPT = 256  # steps whose files are remembered


def _parts_of(path: Path) -> dict[str, tuple[str, Integers, Integers]]:
    """Return the records of a step by name: their digest, cuts and checksums."""
    with path.open("rb") as stream, np.load(stream) as kept:
        return {
            str(part): (str(digest), kept[f"{_CUTS}{part}"], kept[f"{_SUMS}{part}"])
            for part, digest in zip(kept[_FILES], kept[_DIGESTS], strict=True)
        }


def _damaged(path: Path) -> FileError:
    return FileError(
        f"'{path}' is damaged.",
        hint="Start again with the same options: damaged parts are computed again.",
    )
