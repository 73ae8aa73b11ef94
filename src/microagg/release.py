"""`Release`: the result of `protect`, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from microagg.constraints import OneOf, check
from microagg.data.atomic import replacing, write_text
from microagg.data.files import write_table, written_form
from microagg.data.formats.registry import suffixes
from microagg.data.frames import Frame
from microagg.data.source import Source, read_source
from microagg.errors import AnonymityError, FileError, ParameterError
from microagg.json_text import to_json
from microagg.lazy import lazy
from microagg.measure.anonymity import Promise
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.diversity.promise import ConfidentialPromise
from microagg.measure.units import UnitPromise
from microagg.notebook import html_table
from microagg.partition.partition import Partition
from microagg.pipeline.left_out import ORIGINAL_ROW
from microagg.pipeline.outcome import FrameOutcome
from microagg.provenance import WrittenFile, document
from microagg.renamed import knowing_old_names
from microagg.report import text
from microagg.report.summary import summary_of
from microagg.reporter import Reporter
from microagg.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.axes import Axes

    from microagg.comparison.table import Comparison
    from microagg.data.dialect import CsvDialect

html = lazy("microagg.report.html")
report_data = lazy("microagg.report.data")
reports = lazy("microagg.report.of_release")
drawing = lazy("microagg.report.plot")

PRIVATE = ("groups", "provenance", "summary", "report_data")
"""The files of a release that only the owner should see."""

_WRITTEN = ("data", "groups", "provenance", "summary", "report", "external_report", "report_data")
"""The files that can be written of a release."""


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """A protected frame with everything needed to evaluate and to reproduce it.

    Attributes
    ----------
    outcome : FrameOutcome
        Everything that is known about the release. The properties below, the summary, the provenance
        and the report read it.
    """

    outcome: FrameOutcome

    @property
    def data(self) -> Any:
        """The released frame, with the type and the row order of the input.

        Identifiers and suppressed rows are left out.
        """
        return self.outcome.data

    @property
    def partition(self) -> Partition:
        """The groups: records that share a label have the same representative."""
        return self.outcome.partition

    @property
    def segments(self) -> Mapping[tuple[str, ...], Partition]:
        """The groups of each segment, which is a set of columns; usually empty."""
        return self.outcome.partitions

    @property
    def schema(self) -> Schema:
        """The role of each column."""
        return self.outcome.schema

    @property
    def rows(self) -> NDArray[np.int64] | None:
        """The released records of the input, counted from 0, or None if all were released."""
        return self.outcome.rows

    @property
    def promises(self) -> tuple[Promise | ConfidentialPromise | UnitPromise, ...]:
        """The promises that were checked on the released values and are checked on every file."""
        outcome = self.outcome
        units = () if outcome.units is None else (outcome.units.promise,)
        limits = (p.promise for p in outcome.limits)
        return (*(p.promise for p in outcome.promises), *limits, *units)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What the promises do not cover: the lines that begin with CAUTION in the summary."""
        return self.outcome.cautions

    @cached_property
    def measures(self) -> Mapping[str, float]:
        """The main measures of the released values.

        - "k", as counted, and "il", "sse" and "sst";
        - "reidentification", the risk on the quasi-identifiers alone;
        - "homogeneity", if there are confidential columns;
        - "k-units", "l-diversity" and "t-closeness", as counted, if they are promised;
        - "lower_bound", if it was proved: no groups of at least k records with shared values have
          a lower "il";
        - "gap": the maximum share of "il" that other groups could save.
        """
        return self.outcome.measures

    @cached_property
    def provenance(self) -> Mapping[str, Any]:
        """Versions, arguments, fingerprint of the input and results, as written to a file."""
        return document(self.outcome)

    def __repr__(self) -> str:
        cautions = f", cautions={len(self.cautions)}" if self.cautions else ""
        return (
            f"Release(n={self.partition.n}, k={self.measures['k']}, "
            f"il={self.measures['il']:.3f} %, method={self.partition.method!r}{cautions})"
        )

    def _repr_html_(self) -> str:
        rows = [{"measure": name, "value": value} for name, value in self.measures.items()]
        lines = "".join(f"<p><strong>Caution.</strong> {escape(c)}</p>" for c in self.cautions)
        return lines + html_table(rows, caption=repr(self))

    def plot(self, column: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the information loss of each quasi-identifier, or one of them before and after.

        The distribution of a column shows original values, so it is for internal use. It needs the
        original records, which a pickled release does not contain.

        Parameters
        ----------
        column : str, optional
            The quasi-identifier whose distribution is drawn.
        ax : matplotlib Axes, optional
            Where to draw; by default, a new figure.

        Returns
        -------
        matplotlib Axes
        """
        if column is None:
            return drawing.draw_losses(self.outcome, ax)  # type: ignore[no-any-return]
        return drawing.draw_column(self.outcome, column, ax)  # type: ignore[no-any-return]

    def with_source(self, source: Source, blank: tuple[str, ...] = ()) -> Release:
        """Return the release with the file that its records were read from.

        Parameters
        ----------
        source : Source
            The file.
        blank : tuple of str
            The codes in it that mean missing.
        """
        facts = replace(
            self.outcome.source,
            file=source.path.name,
            sha256=source.sha256,
            read_as=dict(source.read_as),
            blank=blank,
        )
        return Release(replace(self.outcome, source=facts))

    def summary(self) -> str:
        """Return the summary of the release as text."""
        return text.render(summary_of(self.outcome))

    def save(
        self, folder: str | Path, *, format: str = "csv", overwrite: bool = False
    ) -> dict[str, Path]:
        """Write the release, its groups, its provenance and its summary into a folder.

        Parameters
        ----------
        folder : path
            Created if it does not exist. The name of a file, such as "x.csv", is refused.
        format : str
            The suffix of the data file: "csv", "csv.gz", "parquet", "feather", ...
        overwrite : bool
            Whether files of the same name may be replaced.

        Returns
        -------
        dict of str to Path
            "data", "groups", "provenance" and "summary". In the groups file, rows are numbered
            from 1 as in the release, and groups from 0. If records were left out, "original_row" is the
            row of each record in the input, from 1. Each segment has a column, named by its number and its
            columns: "segment_1: age, height".
        """
        suffix = f".{format.lstrip('.')}" if isinstance(format, str) else format
        check("format", suffix, OneOf(suffixes(written=True)), "save")
        if str(folder).lower().endswith(suffixes()):
            raise ParameterError(
                f"must be a folder, but '{folder}' is the name of a file.",
                parameter="folder",
                caller="save",
                hint=f"Write release.write({{'data': '{folder}'}}) for the data alone.",
            )
        folder = _made(Path(folder))
        for other in suffixes():
            if other != suffix and (folder / f"release{other}").exists():
                raise FileError(
                    f"'{folder / f'release{other}'}' is another release: two releases of the same "
                    "records together may not satisfy k.",
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

    @knowing_old_names("Release.write")
    def write(
        self,
        paths: Mapping[str, str | Path],
        *,
        overwrite: bool = False,
        like: CsvDialect | None = None,
        original: Any = None,
        audience: str = "internal",
        comparison: Comparison | None = None,
        target: str | None = None,
        progress: Reporter | None = None,
    ) -> None:
        """Write some of the files of a release, all or none.

        The written data are read again, and their rows, columns and k are checked, before any file gets
        its final name. The groups, the provenance, the summary, the report as data and an internal report
        are readable only by their owner; the other files follow the umask. The provenance and the report
        contain the name and the SHA-256 of the data file.

        Parameters
        ----------
        paths : mapping
            The path of each file to write: "data", "groups", "provenance", "summary", "report",
            "external_report" or "report_data". A report is one HTML file; "report_data" is the content
            of the internal report as JSON, for other programs.
        overwrite : bool
            Whether files of the same name may be replaced.
        like : CsvDialect, optional
            The dialect of delimited text.
        original : DataFrame, optional
            The original records. A report of a pickled release needs them. They must be those from
            which the release was made.
        audience : {"internal", "external"}
            The audience of the report: internal shows everything; external shows nothing that describes
            single records or small cells.
        comparison : Comparison, optional
            The result of `compare`; the internal report then shows the risk-utility map.
        target : column name, optional
            A column that analysts predict: the report then shows how well the release predicts it.
        progress : Reporter, optional
            Shows the progress of a report, whose measures may take a while.
        """
        for what in paths:
            check("paths", what, OneOf(_WRITTEN), "write")
        for what in {"report", "external_report"} & paths.keys():
            html.require_html_name(paths[what])
        closed = (*PRIVATE, "report") if audience == "internal" else PRIVATE
        private = [paths[what] for what in closed if what in paths]
        with replacing(*paths.values(), overwrite=overwrite, private=private) as temporary:
            beside = dict(zip(paths, temporary, strict=True))
            written = None
            if "data" in beside:
                sha256 = self._write_data(beside["data"], like)
                written = WrittenFile(Path(paths["data"]).name, sha256)
            about = {
                "written": written,
                "comparison": comparison,
                "target": target,
                "progress": progress,
            }
            # The map is for the internal audience; where no such report is written, it is refused.
            inside = {"report", "report_data"} & paths.keys()
            outside = {**about, "comparison": None if inside else comparison}
            texts: dict[str, Callable[[], str]] = {
                "provenance": lambda: to_json(document(self.outcome, written)),
                "summary": self.summary,
                "report": lambda: self._report(original, audience, **about),
                "external_report": lambda: self._report(original, "external", **outside),
                "report_data": lambda: self._report_data(original, **about),
            }
            for what in beside.keys() & texts.keys():
                write_text(beside[what], texts[what]())
            if "groups" in beside:
                self._write_groups(beside["groups"], like)

    def _report(self, original: Any, audience: str, **about: Any) -> str:
        page = reports.page_of_release(self.outcome, original, audience=audience, **about)
        return str(html.render(page))

    def _report_data(self, original: Any, **about: Any) -> str:
        page = reports.page_of_release(self.outcome, original, audience="internal", **about)
        return to_json(report_data.data_of(page))

    def _write_data(self, path: Path, like: CsvDialect | None) -> str:
        """Write the data, read it again, check it, and return the SHA-256 of its bytes."""
        frame = Frame(self.data)
        write_table(frame.select(frame.names), path, like)
        form = written_form(path, like)
        reading: dict[str, Any] = {}
        if form is not None:
            reading = {"separator": form.separator, "encoding": form.encoding}
            reading["numeric_names"] = True  # the input's names were accepted already
        written = read_source(path, own=True, **reading)
        self._check_written(written.table)
        return written.sha256

    def _check_written(self, written: pa.Table) -> None:
        """Raise if a written file is not the release that was checked."""
        expected = [str(name) for name in self.outcome.released_columns]
        if written.column_names != expected or written.num_rows != self.partition.n:
            raise AnonymityError(
                "The data does not have the same rows and columns as the release that was checked. "
                "Nothing was written.",
                hint="Write release.data as protect() returned it.",
            )
        classes = EquivalenceClasses(written)
        for promise in self.promises:
            promise.as_written().require(classes)

    def _write_groups(self, path: Path, like: CsvDialect | None) -> None:
        import pyarrow as pa

        groups = {"row": np.arange(1, self.partition.n + 1), "group": self.partition.labels}
        if self.rows is not None:
            groups[ORIGINAL_ROW] = self.rows + 1
        for number, (columns, part) in enumerate(self.segments.items(), start=1):
            groups[f"segment_{number}: {', '.join(map(str, columns))}"] = part.labels
        write_table(pa.table(groups), path, like)


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"The folder '{folder}' cannot be created: {error.strerror}.",
            hint="Choose another folder, or create it yourself.",
        ) from None
    return folder
