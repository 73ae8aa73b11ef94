"""The release, written in the order and in the files of the input; its loss is summed up on the way."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from microagg.aggregate.round import whole_columns
from microagg.context import Context
from microagg.data.atomic import rename_all
from microagg.data.files import sha256_of, written_form
from microagg.data.frames import Frame
from microagg.data.labels import without_value_labels
from microagg.data.remote import FilePath
from microagg.data.streams import TableWriter
from microagg.errors import AnonymityError, DataError, FileError
from microagg.large.blocks import Blocks, spans_within
from microagg.large.dataset import Split
from microagg.large.permissions import make_private_file, make_private_folder
from microagg.large.plan import Piece, Plan
from microagg.large.route import pieces_of
from microagg.large.work import Records as DiskRecords
from microagg.measure.blanks import Blanks, blanks_of
from microagg.measure.loss.information_loss import (
    InformationLoss,
    RecordSums,
    loss_from_record_sums,
    loss_from_sums,
    record_sums,
    squared_errors,
)
from microagg.pipeline.formulas import columns_with_formulas
from microagg.pipeline.left_out import ORIGINAL_ROW
from microagg.prepare.records import Records
from microagg.typing import Floats, Integers

if TYPE_CHECKING:
    import pyarrow as pa


def changed(path: FilePath) -> DataError:
    """Return the error for a file that changed after it was first read."""
    return DataError(f"'{path}' changed while it was being read.", hint="Try again.")


@dataclass(frozen=True, eq=False)
class OutputFile:
    """A file of the release that is to be written.

    Attributes
    ----------
    number : int
        That of the file of the input.
    first, row : int
        The released records, and the records of the input, that come before it.
    splits : tuple of Split
        What is read of the input.
    spans : tuple of int64[blocks, 2]
        For each piece where its records stand in each block.
    """

    number: int
    first: int
    row: int
    splits: tuple[Split, ...]
    spans: tuple[Integers, ...]


def output_files(plan: Plan, blocks: Blocks) -> list[OutputFile]:
    """Return the files to write, one for each of the input."""
    spans, kept = spans_within(blocks.starts), plan.divided().by_split.sum(axis=1)
    by_file: list[list[Split]] = [[] for _ in plan.data.files]
    for split in plan.splits:
        by_file[split.file].append(split)
    files, first, row = [], 0, 0
    for number, own in enumerate(map(tuple, by_file)):
        pieces = sum(pieces_of(plan, split) for split in own)
        files.append(OutputFile(number, first, row, own, tuple(next(spans) for _ in range(pieces))))
        first += int(sum(kept[split.number] for split in own))
        row += sum(split.rows for split in own)
    return files


@dataclass
class Written:
    """What is known of a written file, or of several.

    Attributes
    ----------
    sse : float64[d]
        Squared errors of complete numbers.
    sums : list of RecordSums
        The sums of each column of mixed records.
    missing, filled, blanked : mapping of str to int
        As those of `Blanks`.
    formulas : mapping of str to int
        The columns whose text a spreadsheet would run as a formula, with how many tables have such.
    records : int
        How many were written.
    data, groups : str
        The SHA-256 of the files.
    """

    sse: Floats
    sums: list[RecordSums]
    missing: dict[str, int] = field(default_factory=dict)
    filled: dict[str, int] = field(default_factory=dict)
    blanked: dict[str, int] = field(default_factory=dict)
    formulas: dict[str, int] = field(default_factory=dict)
    records: int = 0
    data: str = ""
    groups: str = ""

    @classmethod
    def nothing(cls, d: int) -> Written:
        """Return what is known before anything is written."""
        return cls(np.zeros(d), [RecordSums()] * d)

    def add(self, other: Written) -> None:
        """Take note of another file."""
        self.sse = self.sse + other.sse
        self.sums = [a + b for a, b in zip(self.sums, other.sums, strict=True)]
        self.records += other.records
        for what in ("missing", "filled", "blanked", "formulas"):
            own = getattr(self, what)
            for name, count in getattr(other, what).items():
                own[name] = own.get(name, 0) + count

    def blanks(self) -> Blanks:
        """Return how many cells were missing, filled in, or released as missing."""
        return Blanks(self.records, self.missing, self.filled, self.blanked)

    def loss(self, plan: Plan) -> InformationLoss:
        """Return the loss of what was written."""
        survey = plan.surveyed()
        if survey.mixed:
            return loss_from_record_sums(dict(zip(survey.names, self.sums, strict=True)))
        return loss_from_sums(survey.names, self.sse, survey.sst)

    def to_json(self) -> str:
        """Return it as text, for the work folder."""
        return json.dumps({**asdict(self), "sse": self.sse.tolist()})

    @classmethod
    def from_json(cls, text: str) -> Written:
        """Return what `to_json` wrote."""
        content = json.loads(text)
        content["sse"] = np.array(content["sse"])
        content["sums"] = [RecordSums(**own) for own in content["sums"]]
        return cls(**content)


def paths_within(plan: Plan, file: int) -> tuple[Path, Path]:
    """Return where the data and the groups of a file are written first, inside the work folder."""
    name, out = plan.data.relative(file), plan.work.folder / "out"
    return out / "data" / name, out / "groups" / name


def written_as(plan: Plan, file: int) -> tuple[Path, dict[str, Any]]:
    """Return where the data of a file are written, and how they are read again."""
    path = paths_within(plan, file)[0]
    written = written_form(path, plan.data.stream(file).dialect)
    form = {} if written is None else asdict(written) | {"numeric_names": True}
    return path, {name: form[name] for name in plan.data.form if name in form}


def write_file(plan: Plan, output: OutputFile, context: Context) -> Written:
    """Write the data and the group of each row, and return the sums of what was written."""
    step = f"written/{output.number}"
    if not _is_written(plan, output.number):
        written = _written(plan, output)
        plan.work.save(step, None, written=np.array(written.to_json()))
    return Written.from_json(str(plan.work.load(step, "written")))


def _is_written(plan: Plan, file: int) -> bool:
    """Return whether a file was written and has the same bytes still: it is released as it lies there."""
    step, paths = f"written/{file}", paths_within(plan, file)
    if not plan.work.has(step) or not all(path.exists() for path in paths):
        return False
    written = Written.from_json(str(plan.work.load(step, "written")))
    try:
        return [written.data, written.groups] == [sha256_of(path) for path in paths]
    except FileError:  # it is empty
        return False


def _written(plan: Plan, output: OutputFile) -> Written:
    import pyarrow as pa

    targets = paths_within(plan, output.number)
    beside = []
    for path in targets:
        make_private_folder(path.parent, plan.work.folder)
        beside.append(path.with_name(f".{secrets.token_hex(6)}-{path.name}"))
        make_private_file(beside[-1])
    total = Written.nothing(len(plan.surveyed().names))
    form = written_form(targets[0], plan.data.stream(output.number).dialect)
    released, row = output.first, output.row
    with TableWriter(beside[0], form) as data, TableWriter(beside[1], form) as groups:
        for table, piece, kept, records in _together(plan, output):
            if not np.array_equal(records["row"], np.arange(released, released + records.size)):
                raise AnonymityError("Released records are not those of their rows.")
            frame = _released(plan, table, kept, records)
            total.add(_compared(plan, piece, frame, records))
            data.write(frame)
            of_each = {"row": records["row"] + 1, "group": records["group"]}
            if plan.divided().left_out:
                of_each[ORIGINAL_ROW] = row + np.flatnonzero(kept) + 1
            groups.write(pa.table(of_each))
            released, row = released + records.size, row + kept.size
    total.data, total.groups = (sha256_of(path) for path in beside)
    rename_all(beside, targets)
    return total


def _released(
    plan: Plan, table: pa.Table, kept: NDArray[np.bool_], records: DiskRecords
) -> pa.Table:
    """Return the table to write: new values, without identifiers and without columns of folders."""
    reader, schema = plan.read(), plan.settings.schema
    folders = [name for name in plan.data.folders(0) if name in table.column_names]
    frame = Frame(table.drop_columns(folders) if folders else table)
    frame = frame if kept.all() else frame.rows(np.flatnonzero(kept))
    columns = {name: records["values"][:, j] for j, name in enumerate(reader.columns)}
    columns = {name: np.ascontiguousarray(values) for name, values in columns.items()}
    whole = whole_columns(reader.columns, plan.settings.round_to, plan.settings.integers)
    drop = [name for name in schema.identifiers if name in frame.names]
    released = frame.with_columns(reader.values(columns), drop=drop, whole=whole)
    # Which values later pieces have is not known when the first one is written.
    return without_value_labels(released)


def _compared(plan: Plan, piece: Piece, table: pa.Table, records: DiskRecords) -> Written:
    """Return the sums of the records of one table, on the values that are written."""
    survey, reader, frame = plan.surveyed(), plan.read(), Frame(table)
    after = np.ascontiguousarray(records["values"].T)
    for j, (name, column) in enumerate(reader.columns.items()):
        if name in reader.calendars:
            after[j] = reader.calendars[name].numbers(frame.arrow(name))
        elif column.kind == "continuous" and frame.n:
            after[j] = frame.numbers(name, blanks=True)
    written = Written.nothing(len(survey.names))
    written.records = records.size
    written.formulas = dict.fromkeys(columns_with_formulas(frame), 1)
    columns = reader.columns_with(piece.numbers)
    blanks = blanks_of(columns, dict(zip(columns, after, strict=True)))
    for what in ("missing", "filled", "blanked"):
        getattr(written, what).update(getattr(blanks, what))
    if not survey.mixed:
        filled = np.where(np.isnan(after), survey.middles[:, None], after)
        written.sse = squared_errors(survey.scaled(piece.numbers), survey.scaled(filled))
        return written
    before = survey.prepared(piece.numbers, piece.weights if plan.divided().weighted else None)
    assert isinstance(before, Records)
    written.sums = [
        record_sums(column, measure, before.weights, new, float(one), gower=False)
        for column, measure, new, one in zip(
            before.columns, before.measures, after, survey.middles, strict=True
        )
    ]
    return written


def _together(
    plan: Plan, output: OutputFile
) -> Iterator[tuple[pa.Table, Piece, NDArray[np.bool_], DiskRecords]]:
    """Yield tables of the file, their released records as they were, which these are, and as released.

    Tables are shorter than pieces where their texts are long.
    """
    path = plan.data.files[output.number]
    pieces = (_gathered(plan, spans) for spans in output.spans)
    waiting = next(pieces, plan.work.empty(0))
    for split in output.splits:
        done = 0
        for table in plan.data.tables(split, plan.sizes.piece):
            table = plan.read().typed(table, lambda row: plan.data.row(split, row))  # noqa: B023
            piece = plan.piece(table, split, done)
            done += table.num_rows
            kept = plan.divided().of(piece.numbers, piece.strata) >= 0
            count = int(np.count_nonzero(kept))
            while waiting.size < count:
                more = next(pieces, None)
                if more is None:
                    raise changed(path)
                waiting = np.concatenate([waiting, more])
            yield table, piece.only(kept), kept, waiting[:count]
            waiting = waiting[count:]
        if done != split.rows:
            raise changed(path)
    if waiting.size or any(more.size for more in pieces):
        raise changed(path)


def _gathered(plan: Plan, spans: Integers) -> DiskRecords:
    """Return the released records of a piece, in the order of the input."""
    named = [(f"released/{number}", a, b) for number, (a, b) in enumerate(spans.tolist()) if a < b]
    records = plan.work.gather("records", named)
    return records[np.argsort(records["row"])]
