"""Data sets by name: the benchmarks of the literature and a few more, each checked by SHA-256.

A data set is looked up in the folder named by the environment variable MICROAGG_DATA, then in the cache
(MICROAGG_CACHE, or the operating system's cache folder). If neither has it, it is downloaded into the
cache, provided that it has a pinned source. `diabetes` is part of scikit-learn and always available.
Importing this module accesses neither the network nor a file.
"""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from microagg.data.catalogue import ENTRIES, CatalogueEntry, Kind
from microagg.data.convert import diabetes_csv
from microagg.data.delimited import read_apart
from microagg.data.download import cache_folder, check_sha256, download
from microagg.errors import (
    DataError,
    FileError,
    MissingDependencyError,
    ParameterError,
    did_you_mean,
    shown,
)

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Dataset", "DatasetInfo", "available", "load", "load_image"]

Where = Literal["embedded", "MICROAGG_DATA", "cache", "download", "unavailable"]


# eq=False: comparing two sets would compare every record, and a frame cannot be hashed.
@dataclasses.dataclass(frozen=True, eq=False)
class Dataset:
    """A named data set.

    Attributes
    ----------
    name : str
        The name under which it is loaded.
    frame : pyarrow.Table
        All columns in their original order; missing values are null.
    columns : tuple of str
        The columns that the literature microaggregates, or the numeric ones.
    source, licence, description : str
        The origin, the terms of use and a description.
    sha256 : str
        The SHA-256 of the CSV file from which it was read.
    """

    name: str
    frame: pa.Table = dataclasses.field(repr=False)
    columns: tuple[str, ...]
    source: str
    licence: str
    description: str
    sha256: str

    @property
    def X(self) -> NDArray[np.float64]:
        """The matrix of the benchmark: `columns` as float64, one row per record, C order.

        Raises
        ------
        DataError
            If one of the columns has missing values; `complete` leaves those records out.
        """
        gaps = {c: self.frame[c].null_count for c in self.columns if self.frame[c].null_count}
        if gaps:
            listed = ", ".join(f"'{column}' ({count:,})" for column, count in gaps.items())
            raise DataError(
                f"The data set '{self.name}' has missing values in {listed}.",
                hint="Use .complete().X to leave out the records that have one.",
            )
        matrix = np.empty((self.frame.num_rows, len(self.columns)), dtype=np.float64)
        for j, column in enumerate(self.columns):
            matrix[:, j] = self.frame[column].to_numpy()
        return matrix

    def complete(self) -> Dataset:
        """Return the data set without the records that lack a value in one of `columns`.

        Examples
        --------
        >>> load("diabetes").complete().frame.num_rows
        442
        """
        import pyarrow as pa

        whole = np.ones(self.frame.num_rows, dtype=bool)
        for column in self.columns:
            whole &= self.frame[column].is_valid().to_numpy()
        return dataclasses.replace(self, frame=self.frame.filter(pa.array(whole)))


@dataclasses.dataclass(frozen=True)
class DatasetInfo:
    """A description of a data set; `where` is the place from which `load` would read it now."""

    name: str
    kind: Kind
    rows: int
    columns: int
    description: str
    source: str
    licence: str
    where: Where


def available() -> list[DatasetInfo]:
    """List every named data set without reading any of them.

    `load_image` loads images, whose `kind` is "image"; `load` loads the others.

    Examples
    --------
    >>> [info.name for info in available()][:3]
    ['tarragona', 'census', 'eia']
    >>> next(info.where for info in available() if info.name == "diabetes")
    'embedded'
    """
    return [
        DatasetInfo(
            name=entry.name,
            kind=entry.kind,
            rows=entry.rows,
            columns=entry.n_columns,
            description=entry.description,
            source=entry.source,
            licence=entry.licence,
            where=_locate(entry)[0],
        )
        for entry in ENTRIES.values()
    ]


def load(name: str) -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        One of `available()`, such as "census". Case is ignored, and `_` is accepted for `-`.

    Raises
    ------
    ParameterError
        If no data set has that name.
    FileError
        If it cannot be found or downloaded, or if its SHA-256 is not the pinned one.
    MissingDependencyError
        If it must be downloaded and converted, and the package rdata is not installed.

    Examples
    --------
    >>> patients = load("diabetes")
    >>> patients.columns
    ('age', 'bmi', 'bp', 's1', 's2', 's3', 's4', 's5', 's6')
    >>> patients.X.shape
    (442, 9)
    """
    entry = _entry(name, "load")
    content, sha256 = _verified(entry)
    return Dataset(
        name=entry.name,
        frame=_read_csv(content, entry.missing),
        columns=entry.columns,
        source=entry.source,
        licence=entry.licence,
        description=entry.description,
        sha256=sha256,
    )


def load_image(name: str) -> NDArray[np.uint8]:
    """Load a grey image by name, as rows of pixels from 0 to 255.

    Parameters
    ----------
    name : {"camera", "grass"}
        Images that replace those of the papers. `microagg.data.generate.image_blocks` turns them into
        records.

    Raises
    ------
    MissingDependencyError
        If Pillow, which is part of the extra "plots", is not installed.
    """
    entry = _entry(name, "load_image")
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingDependencyError(
            "Reading an image needs pillow, which is not installed.",
            hint="Install it with: pip install 'microagg[plots]'",
        ) from error
    content, _ = _verified(entry)
    with Image.open(io.BytesIO(content)) as image:
        return np.array(image.convert("L"), dtype=np.uint8)


def _entry(name: str, function: Literal["load", "load_image"]) -> CatalogueEntry:
    """Return the entry that `function` can load under that name."""
    entry = ENTRIES.get(name.strip().lower().replace("_", "-")) if isinstance(name, str) else None
    wants_image = function == "load_image"
    if entry is not None and (entry.kind == "image") == wants_image:
        return entry
    names = [each.name for each in ENTRIES.values() if (each.kind == "image") == wants_image]
    if entry is not None:
        other = "load" if wants_image else "load_image"
        hint: str | None = f"Use datasets.{other}('{entry.name}')."
    else:
        hint = did_you_mean(name, names)
    raise ParameterError(
        f"There is no data set {shown(name)} that datasets.{function} can read. "
        f"Available: {', '.join(names)}.",
        hint=hint,
    )


def _folders() -> list[tuple[Literal["MICROAGG_DATA", "cache"], Path]]:
    """Return the folders to search, in order."""
    chosen = os.environ.get("MICROAGG_DATA")
    if chosen and not Path(chosen).expanduser().is_dir():
        raise FileError(
            f"The variable MICROAGG_DATA names a folder '{chosen}' that does not exist.",
            hint="Set it to an existing folder, or unset it.",
        )
    own: list[tuple[Literal["MICROAGG_DATA", "cache"], Path]] = [("cache", cache_folder())]
    return [("MICROAGG_DATA", Path(chosen).expanduser()), *own] if chosen else own


def _locate(entry: CatalogueEntry) -> tuple[Where, Path | None, str]:
    """Return where the data set is, its path if it is a file, and its pinned SHA-256."""
    if entry.kind == "embedded":
        return "embedded", None, entry.sha256
    for where, folder in _folders():
        for file, sha256 in entry.files:
            if (folder / file).is_file():
                return where, folder / file, sha256
    return ("download" if entry.remote else "unavailable"), None, entry.sha256


def _verified(entry: CatalogueEntry) -> tuple[bytes, str]:
    """Return the uncompressed bytes of the data set and their SHA-256."""
    where, path, sha256 = _locate(entry)
    if where == "embedded":
        content = diabetes_csv()  # as installed: versions differ in the last digits
        return content, hashlib.sha256(content).hexdigest()
    if path is None:
        path = _bring(entry)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"The file '{path}' cannot be read: {error.strerror}.") from error
    hint = "It is a different version or damaged: remove it"
    hint += ", and it will be downloaded." if entry.remote else " and put the right one there."
    # The bytes that are checked are the bytes that are parsed: no time for a file to change.
    check_sha256(content, sha256, f"The file '{path}'", hint)
    return (gzip.decompress(content) if path.suffix == ".gz" else content), sha256


def _bring(entry: CatalogueEntry) -> Path:
    """Download a data set, or raise an error that explains how to get it."""
    if entry.remote is not None:
        return download(entry, entry.remote)
    searched = " nor ".join(f"'{folder}' ({where})" for where, folder in _folders())
    names = " or ".join(f"'{file}'" for file, _ in entry.files)
    raise FileError(
        f"The data set '{entry.name}' is not in {searched}, and has no pinned download.",
        hint=f"{entry.how_to_get} Save it as {names} in a folder, and set MICROAGG_DATA to that folder.",
    )


def _read_csv(content: bytes, missing: str | None) -> pa.Table:
    """Parse the CSV file; only the code of the data set means missing."""
    import pyarrow as pa
    from pyarrow import csv

    options = csv.ConvertOptions(
        null_values=[] if missing is None else [missing], strings_can_be_null=missing is not None
    )
    return read_apart(pa.BufferReader(content), convert_options=options).combine_chunks()
