"""The input: one file, or a folder of files of one format, which are the parts of one table.

Folders named such as ``year=2024`` are columns, as Hive and Spark write them. Their values stay where they
are, in the names of the folders, so such a column cannot be replaced or removed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microagg.data.arrow_types import type_name
from microagg.data.common_type import cast_exactly
from microagg.data.dialect import CsvDialect
from microagg.data.files import sha256_of
from microagg.data.formats.registry import suffix_of, suffixes
from microagg.data.numerals import to_numbers
from microagg.data.remote import FilePath, RemotePath
from microagg.data.streams import Stream
from microagg.errors import DataError, FileError
from microagg.large.types_of_parts import SAME_TYPES, TypesOfParts

if TYPE_CHECKING:
    import pyarrow as pa


FileState = tuple[int, int, int]
"""The size of a file, when it was written, and when the system last changed anything about it.

A program can set the second. It cannot set the third, which object storage does not have.
"""


@dataclass(frozen=True)
class Split:
    """What one task reads of the input: some row groups of a Parquet file, or a whole file of text.

    Attributes
    ----------
    number, file : int
        Its place among all, and that of its file.
    stretches : tuple of int, optional
        The row groups; None for the whole file.
    start, rows : int
        The records before it in its file, and its own; -1 if these are not counted yet.
    """

    number: int
    file: int
    stretches: tuple[int, ...] | None
    start: int
    rows: int


@dataclass(frozen=True)
class SourceFiles:
    """The files of the input, in order; records are numbered through all of them.

    Attributes
    ----------
    source : path
        What the user named: a file or a folder.
    files : tuple of path
        The files; those of a folder by the order of their paths.
    size : int
        Bytes of a table that is read, at most.
    form : mapping
        How delimited text is read.
    types : mapping of str to Arrow type
        The common types of the columns that files store in different types.
    """

    source: FilePath
    files: tuple[FilePath, ...]
    size: int
    form: dict[str, Any] = field(default_factory=dict)
    types: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def listed(cls, source: FilePath, size: int, form: dict[str, Any]) -> SourceFiles:
        """Find the files, and check none of them."""
        return cls(source, _files(source), size, form)

    @classmethod
    def of(
        cls, source: FilePath, size: int, form: dict[str, Any], removed: Collection[str] = ()
    ) -> SourceFiles:
        """Find the files, which must have the same columns, and a common type for each.

        The types of columns that are `removed` may differ.
        """
        dataset = cls.listed(source, size, form)
        types = TypesOfParts(source, removed)
        for number, path in enumerate(dataset.files):
            stream = dataset.stream(number)
            if stream.names != dataset.stream(0).names:
                raise DataError(
                    f"'{path}' has different columns from '{dataset.files[0]}'.",
                    hint="The files of a folder must have the same columns in the same order.",
                )
            types.add(stream.schema)
        if len({tuple(dataset.folders(number)) for number in range(len(dataset.files))}) > 1:
            raise DataError(
                f"The folders in '{source}' do not all name the same columns.",
                hint="Each file must be in folders such as year=2024, with the same column names.",
            )
        return replace(dataset, types=types.common())

    def refuse_empty(self) -> None:
        """Raise where a file says that it has no records; of text that is known when it is read."""
        for number, path in enumerate(self.files):
            stretches = self.stream(number).stretches
            if stretches is not None and not sum(stretches):
                where = "Remove it from the folder." if self.is_folder else "Use another file."
                raise DataError(f"'{path}' has no records.", hint=where)

    @cached_property
    def is_folder(self) -> bool:
        """Whether the user named a folder."""
        return self.source not in self.files

    @cached_property
    def suffix(self) -> str:
        """The suffix of the files."""
        return suffix_of(self.files[0])

    @property
    def dialect(self) -> CsvDialect | None:
        """The form of delimited text."""
        return self.stream(0).dialect

    @property
    def decimal(self) -> str:
        """The decimal mark of text."""
        return self.stream(0).decimal

    @property
    def names(self) -> list[str]:
        """The columns, those of the folders last."""
        return [*self.stream(0).names, *self.folders(0)]

    @cached_property
    def _streams(self) -> dict[int, Stream]:
        return {}

    def stream(self, file: int) -> Stream:
        """Return a file that can be read piece by piece."""
        if file not in self._streams:
            if len(self._streams) > 64:
                self._streams.clear()
            self._streams[file] = Stream(self.files[file], size=self.size, **self.form)
        return self._streams[file]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_streams"}

    def relative(self, file: int) -> Path:
        """Return the path of a file below the folder that the user named."""
        path = self.files[file]
        return relative_to(path, self.source) if self.is_folder else Path(path.name)

    def folders(self, file: int) -> dict[str, str]:
        """Return the columns that the folders of a file name, and their values."""
        folders: dict[str, str] = {}
        for part in self.relative(file).parts[:-1]:
            name, equals, value = part.partition("=")
            if name in folders:
                raise DataError(
                    f"The folders of '{self.files[file]}' name column '{name}' twice.",
                    hint="Name each column in one folder.",
                )
            if equals:
                folders[name] = value
        return folders

    def splits(self, rows: int) -> list[Split]:
        """Return what tasks read: row groups of together at most `rows` records, or whole files."""
        splits: list[Split] = []
        for file in range(len(self.files)):
            stretches = self.stream(file).stretches
            if stretches is None:
                splits.append(Split(len(splits), file, None, 0, -1))
                continue
            start, own = 0, Split(len(splits), file, (), 0, 0)
            for number, count in enumerate(stretches):
                if own.stretches and own.rows + count > rows:
                    splits.append(own)
                    start += own.rows
                    own = Split(len(splits), file, (), start, 0)
                own = replace(
                    own, stretches=(*(own.stretches or ()), number), rows=own.rows + count
                )
            splits.append(own)
        return splits

    def tables(
        self, split: Split, rows: int, columns: Sequence[str] | None = None
    ) -> Iterator[pa.Table]:
        """Yield the records of a split in tables of at most `rows`, with some of the columns."""
        wanted = self.names if columns is None else list(columns)
        inside = [name for name in wanted if name not in self.folders(split.file)]
        stream = self.stream(split.file)
        # Without a column of the file, nothing would tell how many records there are.
        for table in stream.tables(rows, inside or stream.names[:1], split.stretches):
            yield self.with_folders(self._in_common_types(table, split.file), split.file, wanted)

    def _in_common_types(self, table: pa.Table, file: int) -> pa.Table:
        """Return a table of a file in the types that its columns have in the whole folder."""
        for position, own in enumerate(table.schema):
            kind = self.types.get(own.name, own.type)
            if kind == own.type:
                continue
            column = cast_exactly(table.column(position), kind)
            if column is None:
                raise DataError(
                    f"Column '{own.name}' has the type {type_name(own.type)} in "
                    f"'{self.files[file]}', and values that {type_name(kind)} cannot represent, "
                    f"the type for all files of '{self.source}'.",
                    hint=SAME_TYPES,
                )
            table = table.set_column(position, own.with_type(kind), column)
        return table

    def with_folders(self, table: pa.Table, file: int, names: Sequence[str]) -> pa.Table:
        """Return the named columns of a table of a file, those that its folders name among them."""
        values = {n: value for n, value in self.folder_values(file).items() if n in names}
        return with_values(table, values).select(list(names))

    def folder_values(self, file: int) -> dict[str, pa.Array]:
        """Return the columns that the folders of a file name, each as an array of its one value."""
        import pyarrow as pa

        texts = self.folders(file).items()
        return {name: pa.array([text]).cast(self._folder_types[name]) for name, text in texts}

    @cached_property
    def _folder_types(self) -> dict[str, Any]:
        """The types of the columns that folders name: whole numbers where all are, or else text."""
        import pyarrow as pa

        values: dict[str, list[str]] = {}
        for file in range(len(self.files)):
            for name, value in self.folders(file).items():
                values.setdefault(name, []).append(value)
        kinds = {}
        for name, texts in values.items():
            numbers = to_numbers(pa.chunked_array([texts]), asked=False)
            whole = numbers is not None and pa.types.is_integer(numbers.type)
            bare = all(text and text == text.strip() for text in texts)  # Arrow reads no others
            kinds[name] = pa.int64() if whole and bare else pa.string()
        return kinds

    def state(self) -> list[FileState]:
        """Return what changes when a file does: its size and its times."""
        states = [path.stat() for path in self.files]
        return [
            (state.st_size, state.st_mtime_ns, getattr(state, "st_ctime_ns", 0)) for state in states
        ]

    def sha256(self, file: int) -> str:
        """Return the SHA-256 of a file."""
        return sha256_of(self.files[file])

    def sha256_of_all(self, hashes: Sequence[str]) -> str:
        """Return the SHA-256 of the input: that of the file, or of the names and hashes of all files."""
        if not self.is_folder:
            return hashes[0]
        lines = (f"{one}  {self.relative(i).as_posix()}\n" for i, one in enumerate(hashes))
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    def row(self, split: Split, row: int) -> str:
        """Return where a record of a split is, for messages."""
        place = f"data row {split.start + row + 1}"
        return f"{place} of '{self.relative(split.file)}'" if self.is_folder else place


def with_values(table: pa.Table, values: Mapping[str, pa.Array]) -> pa.Table:
    """Return a table with more columns, of which all records have the same value."""
    import pyarrow as pa

    for name, value in values.items():
        column = value.take(pa.array([0] * table.num_rows, pa.int64()))
        table = table.append_column(name, pa.chunked_array([column]))
    return table


def relative_to(path: FilePath, folder: FilePath) -> Path:
    """Return the path of a file below a folder, both on this machine or both in object storage."""
    if isinstance(path, RemotePath) and isinstance(folder, RemotePath):
        return path.relative_to(folder)
    assert isinstance(path, Path)
    assert isinstance(folder, Path)
    return path.relative_to(folder)


def _files(source: FilePath) -> tuple[FilePath, ...]:
    """Return the file, or the files of a folder that can be read piece by piece, all of one format."""
    if not source.is_dir():
        return (source,)
    endings = tuple(suffixes(streamed=True))
    below: list[FilePath] = [
        path
        for path in source.rglob("*")
        if not any(part.startswith((".", "_")) for part in relative_to(path, source).parts)
    ]
    below.sort(key=lambda path: relative_to(path, source).parts)
    for path in below:
        _refuse_special(path)
    paths = [path for path in below if path.is_file()]
    others = [path for path in paths if not path.name.lower().endswith(endings)]
    if others:
        raise FileError(
            f"'{others[0]}' is not among the formats that are read piece by piece: "
            f"{', '.join(endings)}.",
            hint="Keep other files elsewhere; names that start with . or _ are ignored.",
        )
    if not paths:
        raise FileError(f"The folder '{source}' has no files.", hint="Name a folder with records.")
    if len({suffix_of(path) for path in paths}) > 1:
        raise FileError(
            f"The files in '{source}' have different formats.", hint="Use files of one format."
        )
    return tuple(paths)


def _refuse_special(path: FilePath) -> None:
    """Raise for an entry of a folder that is neither a file nor a folder of its own.

    A link may lead to records that the user did not name, or to a part a second time.
    """
    if not isinstance(path, Path):
        return
    if path.is_symlink():
        raise FileError(
            f"'{path}' is a symbolic link, which is not followed inside a folder.",
            hint="Copy the file into the folder, or remove the link.",
        )
    if not (path.is_file() or path.is_dir()):
        raise FileError(
            f"'{path}' is a pipe or a device, not a file.", hint="Remove it from the folder."
        )
