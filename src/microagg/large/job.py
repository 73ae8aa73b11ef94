"""A file's way to its release, step by step; what is done stays done when the run is killed."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from microagg.context import Context
from microagg.data.atomic import refuse_overwrite, refuse_same_file, rename_all
from microagg.data.formats.registry import suffixes
from microagg.data.lock import alone_in
from microagg.errors import AnonymityError, DataError, FileError, ParameterError, Phrase
from microagg.json_text import to_json
from microagg.large.dataset import SourceFiles
from microagg.large.executor import Executor
from microagg.large.exposed import exposed_by
from microagg.large.file_release import FileRelease
from microagg.large.manifest import manifest_of
from microagg.large.memory import Sizes
from microagg.large.permissions import keep_private, make_private_file, open_as_usual
from microagg.large.plan import Plan
from microagg.large.stages import Made, Stages, cautions_of, warnings_of
from microagg.large.survey import extremes_of
from microagg.large.tally import ALL_UNITS, UNITS_OF_CLASSES
from microagg.large.work import Work, record_type
from microagg.large.write import changed, paths_within
from microagg.measure.anonymity import Anonymity, Promise
from microagg.measure.diversity.promise import ConfidentialPromise
from microagg.measure.units import UnitPromise
from microagg.partition.constrain.enforce import facts_of_limits
from microagg.partition.grouping import Facts
from microagg.pipeline.cautions import (
    across_strata,
    blanked,
    exposed,
    filled_in,
    given_away,
    linked_by_unit,
    one_group,
    refuse_if_strict,
    rounded_away,
)
from microagg.pipeline.outcome import (
    CheckedLimit,
    CheckedPromise,
    CheckedUnits,
    GroupFacts,
    InputFacts,
    Outcome,
)
from microagg.pipeline.software import now, software
from microagg.provenance import WrittenFile
from microagg.release import PRIVATE
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
    folder : Path
        Of the release.
    progress : Reporter
        Told how far the work is.
    """

    data: SourceFiles
    settings: Settings
    sizes: Sizes
    sizes_for: Callable[[int], Sizes]
    form: Mapping[str, Any]
    blank: tuple[str, ...]
    folder: Path
    progress: Reporter

    @property
    def roles(self) -> Schema:
        """The roles of the columns."""
        return self.settings.schema

    def run(self, executor: Executor, *, overwrite: bool) -> FileRelease:
        """Do it, or what is left to do of it."""
        started = time.perf_counter()
        paths = self._paths()
        work = Work(self.folder / WORK, record_type(len(self.roles.quasi_identifiers)))
        shutil.rmtree(work.gone, ignore_errors=True)  # of a run that was killed when it was done
        refuse_overwrite(paths.values(), overwrite or work.unfinished)
        before = self.data.state()
        if not work.unfinished:
            self._require_room()
        with _telling(work), alone_in(self.folder), _forgetting(work):
            # Again, because another run may have finished before this one came in.
            refuse_overwrite(paths.values(), overwrite or work.unfinished)
            work.claim(
                manifest_of(self.data, before, self._options()), self.data, overwrite=overwrite
            )
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
            if self.data.state() != before:
                raise changed(self.data.source)
            self._commit(made, paths)
            work.remove()
        if work.gone.exists():
            self.progress.warn(f"'{work.gone}' cannot be removed. It holds records: remove it.")
        return release

    def _release(self, made: Made, paths: Mapping[str, Path], started: float) -> FileRelease:
        """Write what belongs to the data into the work folder."""
        outcome = self._outcome(made, time.perf_counter() - started)
        sha256 = self.data.sha256_of_all(made.hashes)
        release = FileRelease(paths, outcome, WrittenFile(paths["data"].name, sha256))
        out = made.plan.work.folder / "out"
        texts = {"provenance.json": to_json(release.provenance), "summary.txt": release.summary()}
        for name, text in texts.items():
            path = out / name
            path.unlink(missing_ok=True)  # of a run that was ended here
            make_private_file(path)
            path.write_text(text, encoding="utf-8")
        return release

    def _commit(self, made: Made, paths: Mapping[str, Path]) -> None:
        """Give the files of the release their names, all or none."""
        out = made.plan.work.folder / "out"
        files = {what: out / paths[what].name for what in ("provenance", "summary")}
        whole = (
            (out / "data", out / "groups") if self.data.is_folder else paths_within(made.plan, 0)
        )
        places = dict(zip(("data", "groups"), whole, strict=True))
        for what, path in {**files, **places}.items():
            if what in PRIVATE:
                keep_private(path)
            else:
                open_as_usual(path, paths[what])
        if self.data.is_folder:
            with _replaced_folders({path: paths[what] for what, path in places.items()}):
                rename_all(list(files.values()), [paths[what] for what in files])
            return
        files |= places
        rename_all([files[what] for what in paths], list(paths.values()))

    def _paths(self) -> dict[str, Path]:
        """Return where the files of the release go."""
        if self.folder.name.lower().endswith(suffixes()) or self.folder.is_file():
            raise ParameterError(
                f"must be a folder. '{self.folder}' is a file's name.",
                parameter="output",
                hint=Phrase("Name a folder, such as {output}.", output="release"),
            )
        suffix = "" if self.data.is_folder else self.data.suffix
        for other in ("", *suffixes()):
            path = self.folder / f"release{other}"
            if other != suffix and path.exists():
                raise FileError(
                    f"'{path}' is another release: two of the same records together may not hold k.",
                    hint="Name another folder, or remove it first.",
                )
        paths = {
            "data": self.folder / f"release{suffix}",
            "groups": self.folder / f"groups{suffix}",
            "provenance": self.folder / "provenance.json",
            "summary": self.folder / "summary.txt",
        }
        for path in paths.values():
            refuse_same_file(self.data.source, path)
        if self.data.is_folder and self.folder.resolve().is_relative_to(self.data.source.resolve()):
            raise ParameterError(
                "lies inside the input, of which it would become a part.",
                parameter="output",
                hint="Name another folder.",
            )
        return paths

    def _options(self) -> dict[str, Any]:
        """Return all that the bytes depend on, by the words of the user."""
        recorded = self.settings.as_dict()
        parameters = recorded.pop("parameters", {})
        return {
            **recorded,
            **parameters,
            "memory": self.sizes.piece,  # as far as anything follows from it
            **self.form,
            "blank": list(self.blank),
        }

    def _require_room(self) -> None:
        """Raise when the disk has no room for the work: every record is there up to five times."""
        folder = self.folder.absolute()
        place = next(place for place in (folder, *folder.parents) if place.exists())
        record = record_type(len(self.roles.quasi_identifiers)).itemsize
        sizes = [size for size, _ in self.data.state()]
        first = self.data.stream(0).expected
        expected = first * sum(sizes) // max(sizes[0], 1)  # files of a folder are much alike
        needed = 5 * record * expected + sum(sizes)
        if (free := shutil.disk_usage(place).free) < needed:
            raise FileError(
                f"The disk of '{self.folder}' has {free // 10**6:,} MB left, and the work needs about "
                f"{-(-needed // 10**6):,} MB.",
                hint="Make room or name another folder.",
            )

    def _limits(self, made: Made) -> tuple[CheckedLimit, ...]:
        """Return what is promised of confidential values, or raise where it does not hold."""
        secrets, keys = made.plan.read().secrets, self._promise().columns
        names = tuple(column.name for column in secrets.columns)
        nominal = tuple(column.name for column in secrets.columns if not column.ordered)
        checked = []
        for what, limit in secrets.limits.on_values().items():
            promise = ConfidentialPromise(keys, names, what, limit, nominal)
            own = [made.tallied["values", name] for name in names]
            fewest, farthest = min(t.fewest for t in own), max(t.farthest for t in own)
            achieved = fewest if what == "l_diversity" else farthest
            checked.append(CheckedLimit(promise, promise.required_of(achieved)))
        return tuple(checked)

    def _units(self, made: Made) -> CheckedUnits | None:
        """Return what is promised of units, or raise where it does not hold."""
        unit = self.settings.unit
        if unit is None:
            return None
        total, none = made.tallied[ALL_UNITS].entries, np.empty(0, dtype=np.int64)
        promise = UnitPromise(self._promise().columns, unit, self.settings.k, none, total)
        fewest = promise.required_of(int(made.tallied[UNITS_OF_CLASSES].fewest))
        return CheckedUnits(promise, fewest, released=unit not in self.roles.identifiers)

    def _promise(self) -> Promise:
        return Promise(tuple(self.roles.quasi_identifiers), self.settings.k)

    def _outcome(self, made: Made, seconds: float) -> Outcome:
        """Return what is known of the release."""
        promise, plan = self._promise(), made.plan
        counted: Anonymity = promise.required_of(made.anonymity)
        parts = plan.divided().sizes.size
        groups = GroupFacts(
            columns=promise.columns,
            method=f"blocks ({self.settings.parameters['within']})",
            sizes={int(size): int(made.sizes[size]) for size in np.flatnonzero(made.sizes)},
            facts=facts_of_limits(
                Facts(blocks=made.blocks, strata=parts if parts > 1 else None),
                [counts.tolist() for counts in made.done_for_limits],
            ),
        )
        blanks = made.written.blanks()
        exposure, copies = exposed_by(plan)
        limits, units = self._limits(made), self._units(made)
        of_release = (
            *across_strata(made.across, self.settings),
            *(() if exposure is None else exposed(exposure)),
            *(() if units is None else linked_by_unit(units)),
            *given_away(copies),
            *filled_in(blanks),
        )
        refuse_if_strict((*of_release, *warnings_of(plan)), self.settings)
        cautions = (
            *cautions_of(plan),
            *one_group(groups.count, plan.rules),
            *of_release,
            *blanked(blanks),
            *rounded_away(extremes_of(plan), self.settings.round_to),
            *warnings_of(plan),
        )
        return Outcome(
            settings=plan.settings,
            source=self._input(plan),
            records=plan.divided().n,
            groups=groups,
            promises=(CheckedPromise(promise, counted.k),),
            limits=limits,
            units=units,
            homogeneous={
                name: own.alike for (what, name), own in made.tallied.items() if what == "values"
            },
            anonymity=counted,
            exposure=exposure,
            copies=copies,
            blanks=blanks,
            loss=made.written.loss(plan),
            rules=plan.rules,
            cautions=cautions,
            strata_joined=plan.divided().joined,
            seconds=round(seconds, 3),
            created=now(),
            software=software(),
        )

    def _input(self, plan: Plan) -> InputFacts:
        files = range(len(self.data.files))
        hashes = [str(plan.work.load(f"hashed/{file}", "sha256")) for file in files]
        return InputFacts(
            rows=plan.divided().rows,
            columns=tuple(self.data.names),
            kinds={name: column.kind for name, column in plan.read().columns.items()},
            file=self.data.source.name,
            sha256=self.data.sha256_of_all(hashes),
            read_as=dict(self.form),
            blank=self.blank,
        )


@contextmanager
def _replaced_folders(places: Mapping[Path, Path]) -> Iterator[None]:
    """Move folders to their places, and back again when the block fails; old ones go."""
    moved: list[tuple[Path, Path]] = []
    try:
        for folder, target in places.items():
            if target.exists():
                old = target.with_name(f".{target.name}.old")
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
    for old, _ in moved:
        if old.name.endswith(".old"):
            shutil.rmtree(old, ignore_errors=True)


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
