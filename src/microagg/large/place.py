"""Where a release goes: a folder, or a place in object storage that is filled once all is checked."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from microagg.context import Context
from microagg.data.atomic import refuse_overwrite, refuse_same_file, rename_all
from microagg.data.formats.registry import suffixes
from microagg.data.remote import FilePath, RemotePath
from microagg.errors import FileError, ParameterError, Phrase
from microagg.large.dataset import SourceFiles
from microagg.large.permissions import keep_private, open_as_usual
from microagg.large.plan import Plan
from microagg.large.write import paths_within
from microagg.release import PRIVATE

Uploads = Sequence[tuple[Path, RemotePath]]
"""Written files, and where each goes."""

Publisher = Callable[[Plan, Uploads], object]
"""Copies written files to object storage, on all workers."""


class Place(Protocol):
    """Where a release goes."""

    @property
    def folder(self) -> Path:
        """The folder that the work folder is in."""
        ...

    def at(self, folder: Path) -> Place:
        """Return the same place, with another way to its folder."""
        ...

    def paths(self, data: SourceFiles) -> Mapping[str, FilePath]:
        """Return where the files of a release go, or raise where they cannot go there."""
        ...

    def refuse_existing(self, paths: Iterable[FilePath], overwrite: bool) -> None:
        """Raise where a file is there already and may not be replaced."""
        ...

    def commit(self, plan: Plan, paths: Mapping[str, FilePath], publish: Publisher) -> None:
        """Give the files of a release their names, all or none."""
        ...


def place_of(output: FilePath, work: str | Path | None) -> Place:
    """Return where a release goes; `work` is where unfinished work is kept if not there."""
    if isinstance(output, RemotePath):
        if work is None:
            raise ParameterError(
                f"is required, because '{output}' is in object storage. It is a folder for unfinished "
                "work, which all workers can access.",
                parameter="work",
                hint=Phrase("Name one, such as {work}.", work="/scratch/release"),
            )
        return RemotePlace(output, Path(work))
    if work is not None:
        raise ParameterError(
            "applies to a release in object storage. Otherwise, unfinished work is kept in the folder of "
            "the release.",
            parameter="work",
            hint="Leave it out.",
        )
    return LocalPlace(output)


@dataclass(frozen=True)
class LocalPlace:
    """A folder on this machine, or one that all workers see."""

    folder: Path

    def at(self, folder: Path) -> LocalPlace:
        """Return the same place, with another way to its folder."""
        return replace(self, folder=folder)

    def paths(self, data: SourceFiles) -> dict[str, FilePath]:
        """Return where the files of a release go."""
        paths = _paths(self.folder, data)
        if not isinstance(data.source, Path):
            return paths
        for path in paths.values():
            refuse_same_file(data.source, str(path))
        if data.is_folder and self.folder.resolve().is_relative_to(data.source.resolve()):
            raise _inside()
        return paths

    def refuse_existing(self, paths: Iterable[FilePath], overwrite: bool) -> None:
        """Raise where a file is there already and may not be replaced."""
        refuse_overwrite([str(path) for path in paths], overwrite)

    def commit(self, plan: Plan, paths: Mapping[str, FilePath], publish: Publisher) -> None:
        """Rename the files of a release."""
        targets = {what: self.folder / path.name for what, path in paths.items()}
        files, places = _texts(plan, paths), _whole(plan)
        if plan.data.is_folder:
            _remove_unfinished(plan, places.values())
        for what, path in {**files, **places}.items():
            if what in PRIVATE:
                keep_private(path)
            else:
                open_as_usual(path, targets[what])
        if plan.data.is_folder:
            with _replaced_folders({path: targets[what] for what, path in places.items()}):
                rename_all(list(files.values()), [targets[what] for what in files])
            return
        files |= places
        rename_all([files[what] for what in targets], list(targets.values()))


@dataclass(frozen=True)
class RemotePlace:
    """A place in object storage, which has no renaming: files are copied there once all is checked.

    The provenance is copied last: without it a release is unfinished.
    """

    target: RemotePath
    folder: Path

    def at(self, folder: Path) -> RemotePlace:
        """Return the same place, with another way to the folder of unfinished work."""
        return replace(self, folder=folder)

    def paths(self, data: SourceFiles) -> dict[str, FilePath]:
        """Return where the files of a release go."""
        paths = _paths(self.target, data)
        within = data.is_folder and self.target.is_within(data.source)
        if within or data.source in paths.values():
            raise _inside()
        return paths

    def refuse_existing(self, paths: Iterable[FilePath], overwrite: bool) -> None:
        """Raise where a file is there already and may not be replaced."""
        existing = [path for path in paths if not overwrite and path.exists()]
        if existing:
            raise FileError(
                f"'{existing[0]}' exists already.",
                hint=Phrase("Use {overwrite} or another name.", overwrite=True),
            )

    def commit(self, plan: Plan, paths: Mapping[str, FilePath], publish: Publisher) -> None:
        """Copy the files of a release; when one cannot be copied, those that were are removed.

        Parts of an earlier release go before the provenance comes: with these, k might not hold.
        """
        remote = {what: path for what, path in paths.items() if isinstance(path, RemotePath)}
        uploads = list(_uploads(plan, remote))
        texts = [(path, remote[what]) for what, path in _texts(plan, paths).items()]
        texts.sort(key=lambda each: each[1].name == "provenance.json")
        new = {target for _, target in uploads}
        old = [path for what in ("data", "groups") for path in _below(remote[what])]
        _remove([remote["provenance"]])
        try:
            publish(plan, uploads)
            _remove_old([path for path in old if path not in new])
            for path, target in texts:
                upload(path, target)
        except BaseException:
            _remove([target for _, target in (*uploads, *texts)])
            raise


def upload_one(plan: Plan, item: tuple[Path, RemotePath], context: Context) -> None:
    """Copy one written file to object storage."""
    upload(*item)


def upload(path: Path, target: RemotePath) -> None:
    """Copy a file to object storage, where it appears whole or not at all."""
    reason = ""
    try:
        with path.open("rb") as source, target.open("wb") as sink:
            shutil.copyfileobj(source, sink, 1 << 22)
    except OSError as error:
        reason = str(error).partition("\n")[0]
    if reason:
        raise FileError(
            f"'{target}' cannot be written: {reason}.",
            hint="Finished work is kept: start again with the same options.",
        )


def _remove(paths: Iterable[RemotePath]) -> None:
    for path in paths:
        with suppress(OSError):  # it may not be there
            path.unlink()


def _remove_old(paths: Sequence[RemotePath]) -> None:
    """Remove the parts of an earlier release, or raise where one stays."""
    _remove(paths)
    for path in paths:
        if path.is_file():
            raise FileError(
                f"'{path}' is a part of an earlier release and cannot be removed.",
                hint="Remove it yourself, and start again with the same options.",
            )


def _below(path: RemotePath) -> list[RemotePath]:
    """Return a file, or the files of a folder, where there are any."""
    return [path] if path.is_file() else list(path.rglob("*"))


def _uploads(plan: Plan, paths: Mapping[str, RemotePath]) -> Iterator[tuple[Path, RemotePath]]:
    for file in range(len(plan.data.files)):
        for what, path in zip(("data", "groups"), paths_within(plan, file), strict=True):
            target = paths[what]
            yield path, target / plan.data.relative(file) if plan.data.is_folder else target


def _texts(plan: Plan, paths: Mapping[str, FilePath]) -> dict[str, Path]:
    """Return where provenance and summary were written."""
    out = plan.work.folder / "out"
    return {what: out / paths[what].name for what in ("provenance", "summary")}


def _whole(plan: Plan) -> dict[str, Path]:
    """Return where data and groups were written: two files, or two folders."""
    out = plan.work.folder / "out"
    written = (out / "data", out / "groups") if plan.data.is_folder else paths_within(plan, 0)
    return dict(zip(("data", "groups"), written, strict=True))


def _remove_unfinished(plan: Plan, folders: Iterable[Path]) -> None:
    """Remove what a killed run left in the folders: they are released as a whole."""
    finished = {path for file in range(len(plan.data.files)) for path in paths_within(plan, file)}
    for folder in folders:
        for path in list(folder.rglob("*")):
            if path.is_file() and path not in finished:
                path.unlink()


def _paths(folder: Any, data: SourceFiles) -> dict[str, FilePath]:
    """Return the files of a release in a folder."""
    if folder.name.lower().endswith(suffixes()) or folder.is_file():
        raise ParameterError(
            f"must be a folder, but '{folder}' is the name of a file.",
            parameter="output",
            hint=Phrase("Name a folder, such as {output}.", output="release"),
        )
    suffix = "" if data.is_folder else data.suffix
    for other in ("", *suffixes()):
        path = folder / f"release{other}"
        if other != suffix and path.exists():
            raise FileError(
                f"'{path}' is another release: two releases of the same records together may not "
                "satisfy k.",
                hint="Name another folder, or remove it first.",
            )
    return {
        "data": folder / f"release{suffix}",
        "groups": folder / f"groups{suffix}",
        "provenance": folder / "provenance.json",
        "summary": folder / "summary.txt",
    }


def _inside() -> ParameterError:
    return ParameterError(
        "is inside the input folder, so the release would become part of the input.",
        parameter="output",
        hint="Name another folder.",
    )


@contextmanager
def _replaced_folders(places: Mapping[Path, Path]) -> Iterator[None]:
    """Move folders to their places, and back again when the block fails; old ones go."""
    moved: list[tuple[Path, Path]] = []
    try:
        for folder, target in places.items():
            if target.exists():
                old = _old(target)
                shutil.rmtree(old, ignore_errors=True)
                target.rename(old)
                moved.append((old, target))
            folder.rename(target)
            moved.append((target, folder))
        yield
    except BaseException:
        for new, before in reversed(moved):
            new.rename(before)
        raise
    for target in places.values():  # also what a run left that was killed here
        shutil.rmtree(_old(target), ignore_errors=True)


def refuse_other_folders(paths: Mapping[str, FilePath]) -> None:
    """Raise where a folder has the name of an output but is not part of a release: it may hold anything."""
    provenance = paths["provenance"]
    for what in ("data", "groups"):
        path = paths[what]
        if isinstance(path, Path) and path.is_dir() and not provenance.exists():
            raise FileError(
                f"'{path}' is a folder that is not part of a release, so it is not replaced.",
                hint="Name another folder for the release, or remove it.",
            )


def _old(target: Path) -> Path:
    """Return what a folder is called while another takes its place."""
    return target.with_name(f".{target.name}.old")
