"""A file's way to its release, step by step; what is done stays done when the run is killed."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from microagg.context import Context
from microagg.data.atomic import write_text
from microagg.data.lock import alone_in
from microagg.data.remote import FilePath
from microagg.errors import AnonymityError, DataError, FileError, ParameterError
from microagg.json_text import to_json
from microagg.large.dataset import FileState, SourceFiles
from microagg.large.executors.executor import Executor
from microagg.large.file_release import FileRelease
from microagg.large.made import Made
from microagg.large.manifest import manifest_of
from microagg.large.memory import Sizes
from microagg.large.outcome import outcome_of
from microagg.large.permissions import make_private_file
from microagg.large.place import Place, refuse_other_folders
from microagg.large.plan import Plan
from microagg.large.report import Reports
from microagg.large.stages import Stages
from microagg.large.work import Work, record_type
from microagg.large.write import changed
from microagg.provenance import WrittenFile
from microagg.reporter import Reporter
from microagg.schema import Schema
from microagg.settings import Settings

WORK = ".microagg-work"
"""The folder inside the release that holds what is done while the release is unfinished."""


@dataclass(frozen=True)
class Job:
    """What is to be done, checked as far as that can be before the records are read.

    Attributes
    ----------
    data : SourceFiles
        The input.
    settings : Settings
        What makes the same groups of records in memory.
    sizes : Sizes
        Of blocks and pieces.
    sizes_for : callable
        Returns the same, with the threads for a number of records, or raises if these are too many.
    form : mapping
        How delimited text was asked to be read.
    blank : tuple of str
        Texts that stand for a missing value.
    place : Place
        Where the release goes, and where unfinished work is.
    reports : Reports
        The reports that are asked for.
    progress : Reporter
        Shows the progress.
    """

    data: SourceFiles
    settings: Settings
    sizes: Sizes
    sizes_for: Callable[..., Sizes]
    form: Mapping[str, Any]
    blank: tuple[str, ...]
    place: Place
    reports: Reports
    progress: Reporter

    @property
    def roles(self) -> Schema:
        """The roles of the columns."""
        return self.settings.schema

    @property
    def work(self) -> Work:
        """The work folder."""
        return Work(self.place.folder / WORK, record_type(len(self.roles.quasi_identifiers)))

    def refuse_existing(self, *, overwrite: bool) -> None:
        """Raise where a file of the release or a report exists already, before a cluster is started."""
        if self.work.gone.exists():  # of a run killed when it was done, or still at work
            with suppress(FileError, OSError), alone_in(self.place.folder):
                shutil.rmtree(self.work.gone, ignore_errors=True)
        paths = self.place.paths(self.data)
        self._refuse_taken(paths, self.work, overwrite=overwrite)
        self.reports.refuse_existing(overwrite)

    def _refuse_taken(self, paths: Mapping[str, FilePath], work: Work, *, overwrite: bool) -> None:
        """Raise where a file is there already and may not be replaced, or a folder is of something else."""
        self.place.refuse_existing(paths.values(), overwrite or work.unfinished)
        if not work.unfinished:
            refuse_other_folders(paths)

    def run(self, executor: Executor, *, overwrite: bool) -> FileRelease:
        """Do it, or what is left to do of it."""
        started = time.perf_counter()
        paths, place, work = self.place.paths(self.data), self.place, self.work
        before = self.data.state()
        if not work.unfinished:
            self._require_room()
        with _telling(work), alone_in(place.folder) as folder:
            release = self._finish(executor, paths, before, folder.inside, overwrite, started)
        for rest in filter(Path.exists, (work.gone, work.folder)):
            self.progress.warn(
                f"'{rest}' cannot be removed. It contains records: remove it yourself."
            )
        return release

    def _finish(
        self,
        executor: Executor,
        paths: Mapping[str, FilePath],
        before: list[FileState],
        folder: Path,
        overwrite: bool,
        started: float,
    ) -> FileRelease:
        """Do it in a folder that is held; tasks elsewhere have to find it by its path."""
        place = self.place.at(folder) if executor.in_process else self.place
        work = Work(place.folder / WORK, record_type(len(self.roles.quasi_identifiers)))
        with closing(work), _forgetting(work):
            # Again, because another run may have finished before this one came in.
            self._refuse_taken(paths, work, overwrite=overwrite)
            work.claim(
                manifest_of(self.data, before, self._options()), self.data, overwrite=overwrite
            )
            if not executor.in_process:
                work.close()
            stages = Stages(executor, Context.of(self.progress))
            plan = Plan(
                data=self.data,
                settings=self.settings,
                sizes=self.sizes,
                work=work,
                splits=tuple(self.data.splits(self.sizes.piece)),
                blank=self.blank,
            )
            made = stages.run(plan, self.sizes_for)
            release = self._release(made, paths, started)
            with _keeping():
                texts = self.reports.rendered(made.plan, release.outcome, release.written)
            self._require_same(before, work)
            place.commit(made.plan, paths, stages.publish)
            self.reports.write(texts, overwrite=overwrite)
            work.remove()
        return release

    def _require_same(self, before: list[FileState], work: Work) -> None:
        """Raise if the input is not what was read; a file that was only renamed or linked is."""
        now = self.data.state()
        touched = [
            file for file, (old, new) in enumerate(zip(before, now, strict=True)) if old != new
        ]
        rewritten = any(before[file][:2] != now[file][:2] for file in touched)
        if rewritten or not work.same_content(touched, self.data):
            raise changed(self.data.source)

    def _release(self, made: Made, paths: Mapping[str, FilePath], started: float) -> FileRelease:
        """Write what belongs to the data into the work folder."""
        outcome = outcome_of(made, self.form, time.perf_counter() - started)
        sha256 = self.data.sha256_of_all(made.hashes)
        release = FileRelease(paths, outcome, WrittenFile(paths["data"].name, sha256))
        out = made.plan.work.folder / "out"
        texts = {"provenance.json": to_json(release.provenance), "summary.txt": release.summary()}
        for name, text in texts.items():
            path = out / name
            path.unlink(missing_ok=True)  # of a run that was ended here
            make_private_file(path)
            write_text(path, text)
        return release

    def _options(self) -> dict[str, Any]:
        """Return all that the bytes depend on, by the words of the user."""
        recorded = self.settings.as_dict()
        parameters = recorded.pop("parameters", {})
        return {
            **recorded,
            **parameters,
            "memory": [self.sizes.piece, self.sizes.table],  # all that the bytes follow from
            **self.form,
            "blank": list(self.blank),
        }

    def _require_room(self) -> None:
        """Raise if the disk has no room for the work: every record is there up to five times."""
        folder = self.place.folder.absolute()
        place = next(place for place in (folder, *folder.parents) if place.exists())
        record = record_type(len(self.roles.quasi_identifiers)).itemsize
        sizes = [size for size, *_ in self.data.state()]
        first = self.data.stream(0).expected
        expected = first * sum(sizes) // max(sizes[0], 1)  # files of a folder are much alike
        needed = 5 * record * expected + sum(sizes)
        if (free := shutil.disk_usage(place).free) < needed:
            raise FileError(
                f"The disk of '{folder}' has {free // 10**6:,} MB left, and the work needs about "
                f"{-(-needed // 10**6):,} MB.",
                hint="Free disk space or name another folder.",
            )


@contextmanager
def _forgetting(work: Work) -> Iterator[None]:
    """Remove the work when the records or the options cannot do; keep it when anything else fails."""
    try:
        yield
    except (DataError, ParameterError, AnonymityError):
        with suppress(OSError):  # the error is raised first
            work.remove()
        raise


@contextmanager
def _keeping() -> Iterator[None]:
    """Keep the work when a report cannot be made: the records are fine, and a run without it ends well."""
    try:
        yield
    except (DataError, ParameterError, AnonymityError) as error:
        raise FileError(
            f"The report cannot be made: {error.message}",
            hint="Start again with the same options, but without the report: finished work is kept.",
        ) from error


@contextmanager
def _telling(work: Work) -> Iterator[None]:
    """Say what of the system fails, and that what is done is kept."""
    try:
        yield
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else "the disk may be full"
        again = "Start again with the same options: finished work is kept."
        raise FileError(
            f"'{work.folder}' cannot be written: {why}.",
            hint=_HINTS.get(error.errno or 0, again),
        ) from None


_HINTS = {
    errno.ENOSPC: "Finished work is kept: free disk space and start again with the same options.",
    errno.EDQUOT: "Finished work is kept: free disk space and start again with the same options.",
    errno.ENOTDIR: "A part of that path is a file. Name another folder.",
    errno.EEXIST: "A part of that path is a file. Name another folder.",
    errno.EACCES: "There is no permission to write there. Name another folder.",
    errno.EROFS: "There is no permission to write there. Name another folder.",
}
