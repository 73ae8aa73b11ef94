"""`Release`: what comes back, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from microagg import provenance as provenance_file
from microagg.constraints import OneOf, check
from microagg.data.frames import Frame
from microagg.errors import AnonymityError, FileError, ParameterError
from microagg.measure.anonymity import Promise
from microagg.measure.diversity.promise import ConfidentialPromise
from microagg.partition.partition import Partition
from microagg.report import text
from microagg.report.model import summarise
from microagg.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

    from microagg.data.dialect import CsvDialect


PRIVATE = ("groups", "provenance")
"""What belongs to a release and only the owner should see."""


@dataclass(frozen=True, eq=False)
class Release:
    """A protected frame with all that is needed to judge it and to make it again.

    Attributes
    ----------
    data : DataFrame
        The caller's type of frame, same rows, same order, less the identifiers (and less the
        records that were to be suppressed).
    partition : Partition
        The groups: records whose released quasi-identifiers come from the same means.
    schema : Schema
        The role of each column.
    promises : tuple of Promise and ConfidentialPromise
        What was checked on the released values, and is checked again on every written file.
    measures : mapping of str to float
        "k" as counted on the released values; "il", "sse", "sst" of the released values;
        "l-diversity", "p-sensitivity", "t-closeness" as counted, where they are promised; and where
        it was proved, "lower_bound", the least "il" of any groups of at least k records whose
        values are shared, and "gap", the share of "il" that better groups could save at most.
    provenance : mapping
        Versions, arguments, fingerprint of the input, results.
    segments : mapping of column names to Partition
        The groups of each set of columns that was masked on its own; mostly there is none.
    rows : int64[m], optional
        Which records of the input were released, from 0, where some were left out; else None.
    """

    data: Any
    partition: Partition
    schema: Schema
    promises: tuple[Promise | ConfidentialPromise, ...]
    measures: Mapping[str, float]
    provenance: Mapping[str, Any] = field(repr=False)
    segments: Mapping[tuple[str, ...], Partition] = field(default_factory=dict, repr=False)
    rows: NDArray[np.int64] | None = field(repr=False, default=None)

    def __repr__(self) -> str:
        return (
            f"Release(n={self.partition.n}, k={self.measures['k']}, "
            f"il={self.measures['il']:.3f} %, method={self.partition.method!r})"
        )

    def summary(self) -> str:
        """Return what a person wants to know, as text."""
        return text.render(summarise(self.provenance))

    def save(
        self, folder: str | Path, *, format: str = "csv", overwrite: bool = False
    ) -> dict[str, Path]:
        """Write the release, its groups, its provenance and its summary into a folder.

        Parameters
        ----------
        folder : path
            Made when it does not exist. A name of a file, such as "x.csv", is refused.
        format : str
            The suffix of the data file: "csv", "csv.gz", "parquet", "feather", ...
        overwrite : bool
            Whether files of the same name may be replaced.

        Returns
        -------
        dict of str to Path
            "data", "groups", "provenance" and "summary". In the groups, rows are numbered
            from 1 as in the release, and groups from 0; segments have a column each, named by
            their number and their columns: "segment_1: age, height".
        """
        from microagg.data.formats.registry import suffixes

        suffix = f".{format.lstrip('.')}" if isinstance(format, str) else format
        check("format", suffix, OneOf(suffixes()), "save")
        if str(folder).lower().endswith(suffixes()):
            raise ParameterError(
                f"The 'folder' parameter of save must be a folder. '{folder}' is a file's name.",
                hint=f"Write release.write({{'data': '{folder}'}}) for the data alone.",
            )
        folder = _made(Path(folder))
        for other in suffixes():
            if other != suffix and (folder / f"release{other}").exists():
                raise FileError(
                    f"'{folder / f'release{other}'}' is another release: two of the same records "
                    "together may not hold k.",
                    hint="Save into another folder, or remove it first.",
                )
        paths = {
            "data": folder / f"release{suffix}",
            "groups": folder / "groups.csv",
            "provenance": folder / "provenance.json",
            "summary": folder / "summary.txt",
        }
        self.write(paths, overwrite=overwrite)
        return paths

    def write(
        self,
        paths: Mapping[str, str | Path],
        *,
        overwrite: bool = False,
        like: CsvDialect | None = None,
        original: Any = None,
        face: str = "internal",
    ) -> None:
        """Write some of "data", "groups", "provenance", "summary" and "report", all or none.

        The groups and the provenance can be read by their owner alone; the other files follow
        the umask. Delimited text takes the form `like`. The written data is read again, and its rows, its
        columns and its k are checked, before any file gets its name. A report needs the `original`
        frame, and shows the `face` for those inside or outside.
        """
        from microagg.data.atomic import replacing

        writers: dict[str, Callable[[Path], None]] = {
            "data": lambda path: self._write_data(path, like),
            "groups": lambda path: self._write_groups(path, like),
            "provenance": lambda path: _write_text(path, provenance_file.to_json(self.provenance)),
            "summary": lambda path: _write_text(path, self.summary()),
            "report": lambda path: _write_text(path, self._report(original, face)),
        }
        for what in paths:
            check("paths", what, OneOf(tuple(writers)), "write")
        private = [paths[what] for what in PRIVATE if what in paths]
        with replacing(*paths.values(), overwrite=overwrite, private=private) as beside:
            for what, path in zip(paths, beside, strict=True):
                writers[what](path)

    def _report(self, original: Any, face: str) -> str:
        from microagg.report.html import render
        from microagg.report.of_release import page_of_release

        return render(page_of_release(original, self, face=face))

    def _write_data(self, path: Path, like: CsvDialect | None) -> None:
        from microagg.data.files import read_file, write_table, written_form

        frame = Frame(self.data)
        write_table(frame.select(frame.names), path, like)
        form = written_form(path, like)
        reading: dict[str, Any] = {}
        if form is not None:
            reading = {"separator": form.separator, "encoding": form.encoding}
            reading["numeric_names"] = True  # the input's names were accepted already
        written = read_file(path, parse=[], **reading)
        self._check_written(written)

    def _check_written(self, written: pa.Table) -> None:
        """Raise when a written file is not the release that was checked."""
        columns = self.provenance["input"]["columns"]
        expected = [str(name) for name in columns if self.schema.role(name) != "identifier"]
        if written.column_names != expected or written.num_rows != self.partition.n:
            raise AnonymityError(
                "The data has other rows or columns than the release that was checked. "
                "Nothing was written.",
                hint="Write release.data as protect() gave it.",
            )
        for promise in self.promises:
            promise.as_written().require(written)

    def _write_groups(self, path: Path, like: CsvDialect | None) -> None:
        import pyarrow as pa

        from microagg.data.files import write_table

        rows = np.arange(1, self.partition.n + 1)
        groups = {"row": rows, "group": self.partition.labels}
        for number, (columns, part) in enumerate(self.segments.items(), start=1):
            groups[f"segment_{number}: {', '.join(map(str, columns))}"] = part.labels
        write_table(pa.table(groups), path, like)


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"The folder '{folder}' cannot be made: {error.strerror}.",
            hint="Choose another folder, or make it yourself.",
        ) from None
    return folder
