"""A file's way to its release, step by step; what is done stays done when the run is killed."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from microagg.constraints import check_k
from microagg.context import Context
from microagg.data.atomic import refuse_overwrite, refuse_same_file, rename_all
from microagg.data.files import sha256_of, written_form
from microagg.data.formats.registry import suffixes
from microagg.data.lock import alone_in
from microagg.data.streams import Stream
from microagg.errors import AnonymityError, DataError, FileError, ParameterError, Phrase
from microagg.json_text import to_json
from microagg.large.blocks import Blocks
from microagg.large.count import count_written
from microagg.large.file_release import FileRelease
from microagg.large.manifest import manifest_of
from microagg.large.memory import Sizes
from microagg.large.route import route
from microagg.large.survey import Survey, survey
from microagg.large.work import Work, record_type
from microagg.large.write import changed, write_release
from microagg.measure.anonymity import Anonymity, Promise
from microagg.measure.copies import Copy
from microagg.measure.exposure import Exposure
from microagg.measure.exposure_in_pieces import copies_in, exposure_in
from microagg.measure.loss.information_loss import InformationLoss
from microagg.partition.driver import group
from microagg.partition.grouping import Facts, Labels
from microagg.partition.search.blocks.blocks import block_seed
from microagg.pipeline.cautions import exposed, given_away, one_group
from microagg.pipeline.outcome import CheckedPromise, GroupFacts, InputFacts, Outcome
from microagg.pipeline.software import now, software
from microagg.prepare.cautions import taken_as_amounts
from microagg.prepare.prepared import Prepared
from microagg.provenance import WrittenFile
from microagg.release import PRIVATE
from microagg.reporter import Reporter
from microagg.schema import Schema
from microagg.settings import Settings

WORK = ".microagg-work"
"""The folder inside the release that holds what is done while the release is unfinished."""


@dataclass(frozen=True)
class Job:
    """What is to be done, checked as far as that can be before the file is read.

    Attributes
    ----------
    stream : Stream
        The file.
    settings : Settings
        What makes the same groups of records in memory.
    sizes : Sizes
        Of blocks and pieces.
    sizes_for : callable
        Returns the same, with the threads for a number of records, or raises if these are too many.
    form : mapping
        How delimited text was asked to be read.
    folder : Path
        Of the release.
    progress : Reporter
        Told how far the work is.
    """

    stream: Stream
    settings: Settings
    sizes: Sizes
    sizes_for: Callable[[int], Sizes]
    form: Mapping[str, Any]
    folder: Path
    progress: Reporter

    @property
    def roles(self) -> Schema:
        """The roles of the columns."""
        return self.settings.schema

    def run(self, *, overwrite: bool) -> FileRelease:
        """Do it, or what is left to do of it."""
        started = time.perf_counter()
        paths = self._paths()
        work = Work(self.folder / WORK, record_type(len(self.roles.quasi_identifiers)))
        shutil.rmtree(work.gone, ignore_errors=True)  # of a run that was killed when it was done
        refuse_overwrite(paths.values(), overwrite or work.unfinished)
        before = self._state()
        sha256 = sha256_of(self.stream.path)
        if not work.unfinished:
            self._require_room()
        with _telling(work), alone_in(self.folder), _forgetting(work):
            # Again, because another run may have finished before this one came in.
            refuse_overwrite(paths.values(), overwrite or work.unfinished)
            work.claim(manifest_of(before, sha256, self._options()), overwrite=overwrite)
            release = self._released(work, paths, sha256, started)
            if self._state() != before:
                raise changed(self.stream.path)
            files = [work.folder / path.name for path in paths.values()]
            for what in PRIVATE:
                (work.folder / paths[what].name).chmod(0o600)
            rename_all(files, list(paths.values()))
            work.remove()
        if work.gone.exists():
            self.progress.warn(f"'{work.gone}' cannot be removed. It holds records: remove it.")
        return release

    def _released(
        self, work: Work, paths: Mapping[str, Path], sha256: str, started: float
    ) -> FileRelease:
        """Write the release into the work folder, and check it there."""
        blocks = self._grouped(work)
        beside = {what: work.folder / path.name for what, path in paths.items()}
        piece, progress = self.sizes.piece, self.progress
        loss = write_release(self.stream, blocks, self.roles, beside, piece, progress)
        written_data = self._written(beside["data"])
        anonymity = count_written(
            written_data,
            self._promise(),
            blocks.survey.n,
            work.folder / "count",
            self.sizes,
            progress,
        )
        exposure, copies = self._exposed(written_data)
        outcome = self._outcome(blocks, loss, anonymity, sha256, time.perf_counter() - started)
        outcome = replace(
            outcome,
            exposure=exposure,
            copies=copies,
            cautions=(
                *outcome.cautions,
                *(() if exposure is None else exposed(exposure)),
                *given_away(copies),
            ),
        )
        written = WrittenFile(paths["data"].name, sha256_of(beside["data"]))
        release = FileRelease(paths, outcome, written)
        beside["provenance"].write_text(to_json(release.provenance), encoding="utf-8")
        beside["summary"].write_text(release.summary(), encoding="utf-8")
        return release

    def _paths(self) -> dict[str, Path]:
        """Return where the files of the release go."""
        if self.folder.name.lower().endswith(suffixes()) or self.folder.is_file():
            raise ParameterError(
                f"must be a folder. '{self.folder}' is a file's name.",
                parameter="output",
                hint=Phrase("Name a folder, such as {output}.", output="release"),
            )
        for other in suffixes():
            path = self.folder / f"release{other}"
            if other != self.stream.suffix and path.exists():
                raise FileError(
                    f"'{path}' is another release: two of the same records together may not hold k.",
                    hint="Name another folder, or remove it first.",
                )
        suffix = self.stream.suffix
        paths = {
            "data": self.folder / f"release{suffix}",
            "groups": self.folder / f"groups{suffix}",
            "provenance": self.folder / "provenance.json",
            "summary": self.folder / "summary.txt",
        }
        for path in paths.values():
            refuse_same_file(self.stream.path, path)
        return paths

    def _state(self) -> tuple[int, int]:
        """Return what changes when the file does: its size and its time."""
        found = self.stream.path.stat()
        return found.st_size, found.st_mtime_ns

    def _options(self) -> dict[str, Any]:
        """Return all that the bytes depend on, by the words of the user."""
        recorded = self.settings.as_dict()
        parameters = recorded.pop("parameters", {})
        return {
            **recorded,
            **parameters,
            "memory": self.sizes.piece,  # as far as anything follows from it
            **self.form,
        }

    def _require_room(self) -> None:
        """Raise when the disk has no room for the work: every record is there up to five times."""
        folder = self.folder.absolute()
        place = next(place for place in (folder, *folder.parents) if place.exists())
        record = record_type(len(self.roles.quasi_identifiers)).itemsize
        needed = 5 * record * self.stream.expected + self.stream.path.stat().st_size
        if (free := shutil.disk_usage(place).free) < needed:
            raise FileError(
                f"The disk of '{self.folder}' has {free // 10**6:,} MB left, and the work needs about "
                f"{-(-needed // 10**6):,} MB.",
                hint="Make room or name another folder.",
            )

    def _grouped(self, work: Work) -> Blocks:
        """Group all records, on disk."""
        k, scale = self.settings.k, str(self.settings.scale)
        found = survey(
            self.stream, self.roles.quasi_identifiers, work, scale, self.sizes, self.progress
        )
        check_k(k, found.n, "protect_file")
        sizes = self.sizes_for(found.n)
        for words in self._codes(found):
            self.progress.warn(words)
        starts = route(self.stream, found, work, sizes.piece, self.progress)
        blocks = Blocks(found, work, starts, k, sizes)
        within, seed = self.settings.parameters["within"], block_seed(self.settings.seed)
        context = Context.of(self.progress)

        def grouped(block: Prepared, own: Context) -> Labels:
            return group(block, k, within, seed=seed, context=own).labels

        blocks.group(grouped, context)
        blocks.mend(context)
        return blocks

    def _codes(self, found: Survey) -> tuple[str, ...]:
        """Say which columns look like codes, unless their kinds were given."""
        return taken_as_amounts([name for name in found.codes if name not in self.roles.kinds])

    def _exposed(self, written: Stream) -> tuple[Exposure | None, tuple[Copy, ...]]:
        """Return what unchanged columns add to the quasi-identifiers, and which give these away."""
        roles, piece = self.roles, self.sizes.piece
        keys = list(roles.quasi_identifiers)
        kept = [name for name in written.names if name not in keys]
        others = [name for name in kept if name not in roles.confidential]
        tables = written.tables(piece, [*keys, *others])
        exposure = exposure_in(tables, keys, others, self.settings.k, self.sizes.counted)
        original = self.stream
        room = self.sizes.table
        return exposure, copies_in(lambda: original.tables(piece, [*keys, *kept]), keys, kept, room)

    def _written(self, data: Path) -> Stream:
        """Return the written data, to be read again in the form that it was written in."""
        written = written_form(data, self.stream.dialect)
        form = {} if written is None else asdict(written) | {"numeric_names": True}
        own = {name: form[name] for name in self.form if name in form}
        stream = Stream(data, size=self.sizes.table, **own)
        expected = [name for name in self.stream.names if name not in self.roles.identifiers]
        if stream.names != expected:
            raise AnonymityError("The written release has other columns than it must.")
        return stream

    def _promise(self) -> Promise:
        return Promise(tuple(self.roles.quasi_identifiers), self.settings.k)

    def _outcome(
        self,
        blocks: Blocks,
        loss: InformationLoss,
        anonymity: Anonymity,
        sha256: str,
        seconds: float,
    ) -> Outcome:
        """Return what is known of the release."""
        promise, sizes = self._promise(), blocks.sizes()
        rules = dict.fromkeys(promise.columns, "mean")
        groups = GroupFacts(
            columns=promise.columns,
            method=f"blocks ({self.settings.parameters['within']})",
            sizes={int(size): int(sizes[size]) for size in np.flatnonzero(sizes)},
            facts=Facts(blocks=blocks.count),
        )
        return Outcome(
            settings=self.settings,
            source=self._input(blocks.survey.n, sha256),
            records=blocks.survey.n,
            groups=groups,
            promises=(CheckedPromise(promise, anonymity.k),),
            anonymity=anonymity,
            loss=loss,
            rules=rules,
            cautions=(*one_group(groups.count, rules), *self._codes(blocks.survey)),
            seconds=round(seconds, 3),
            created=now(),
            software=software(),
        )

    def _input(self, n: int, sha256: str) -> InputFacts:
        return InputFacts(
            rows=n,
            columns=tuple(self.stream.names),
            kinds=dict.fromkeys(self.roles.quasi_identifiers, "continuous"),
            file=self.stream.path.name,
            sha256=sha256,
            read_as=dict(self.form),
        )


@contextmanager
def _forgetting(work: Work) -> Iterator[None]:
    """Remove the work when the records or the options cannot do; keep it when anything else fails."""
    try:
        yield
    except (DataError, ParameterError, AnonymityError):
        with suppress(OSError):  # what is wrong is said first
            work.remove()
        raise


@contextmanager
def _telling(work: Work) -> Iterator[None]:
    """Say what of the system fails, and that what is done is kept."""
    try:
        yield
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else "the disk may be full"
        again = "Start again with the same options: what is done is kept."
        raise FileError(
            f"'{work.folder}' cannot be written: {why}.",
            hint=_HINTS.get(error.errno or 0, again),
        ) from None


_HINTS = {
    errno.ENOSPC: "What is done is kept: make room and start again with the same options.",
    errno.EDQUOT: "What is done is kept: make room and start again with the same options.",
    errno.ENOTDIR: "A part of that path is a file. Name another folder.",
    errno.EEXIST: "A part of that path is a file. Name another folder.",
    errno.EACCES: "There is no right to write there. Name another folder.",
    errno.EROFS: "There is no right to write there. Name another folder.",
}
