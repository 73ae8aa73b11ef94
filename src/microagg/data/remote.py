"""Files in object storage, by their URI: `s3://bucket/people/part-0.parquet`.

pyarrow's file systems read and write them: S3, Google Cloud Storage, Azure and HDFS, as far as the
installed pyarrow was built with them. Credentials come from where these look for them, such as the
environment; they are not shown.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from microagg.errors import FileError

_URI = re.compile(r"([a-z][a-z0-9+.-]+):/+(.+)", re.DOTALL)


@dataclass(frozen=True)
class RemotePath:
    """A file or a folder in object storage; what of `pathlib.Path` is needed to read and write it.

    Attributes
    ----------
    scheme : str
        Of its URI, such as "s3".
    path : str
        Its place in the file system: the bucket and the key.
    filesystem : pyarrow.fs.FileSystem
        Where it is.
    """

    scheme: str
    path: str
    filesystem: Any = field(repr=False, compare=False)

    @classmethod
    def of(cls, uri: str) -> RemotePath:
        """Return the file that a URI names."""
        import pyarrow as pa
        from pyarrow.fs import FileSystem

        reason = ""
        try:
            filesystem, path = FileSystem.from_uri(uri)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError, ValueError) as error:
            reason = str(error).partition("\n")[0].replace(uri, _shown(uri))
        if reason:
            raise FileError(
                f"'{_shown(uri)}' is not the address of a file: {reason}.",
                hint="Use a path, or a URI such as s3://bucket/people.parquet.",
            )
        return cls(urlsplit(uri).scheme, path.rstrip("/"), filesystem)

    def __str__(self) -> str:
        return f"{self.scheme}://{self.path}"

    def __truediv__(self, other: object) -> RemotePath:
        return self._at(PurePosixPath(self.path) / PurePosixPath(str(other)))

    @property
    def name(self) -> str:
        """The last part of the path."""
        return PurePosixPath(self.path).name

    @property
    def suffix(self) -> str:
        """The suffix of the name."""
        return PurePosixPath(self.path).suffix

    @property
    def parent(self) -> RemotePath:
        """The folder around it."""
        return self._at(PurePosixPath(self.path).parent)

    @property
    def is_local(self) -> bool:
        """Whether it is not in object storage at all, but on this machine."""
        return self.scheme == "file"

    def open(self, mode: str = "rb") -> Any:
        """Open the file to be read ("rb") or to be written whole ("wb")."""
        if mode == "wb":
            return self.filesystem.open_output_stream(self.path)
        return self.filesystem.open_input_file(self.path)

    def exists(self) -> bool:
        """Return whether there is such a file or folder."""
        return self._kind != "NotFound"

    def is_dir(self) -> bool:
        """Return whether it is a folder: a name under which there are files."""
        return self._kind == "Directory"

    def is_file(self) -> bool:
        """Return whether it is a file."""
        return self._kind == "File"

    def stat(self) -> Any:
        """Return its size and when it was changed."""
        info = self.filesystem.get_file_info(self.path)
        return SimpleNamespace(st_size=info.size or 0, st_mtime_ns=info.mtime_ns or 0)

    def rglob(self, pattern: str) -> Iterator[RemotePath]:
        """Yield all files below a folder; the pattern must be "*"."""
        assert pattern == "*"
        yield from self._below(recursive=True)

    def iterdir(self) -> Iterator[RemotePath]:
        """Yield the files of a folder."""
        yield from self._below(recursive=False)

    def relative_to(self, other: RemotePath) -> Path:
        """Return the path below a folder."""
        return Path(PurePosixPath(self.path).relative_to(other.path))

    def is_within(self, other: object) -> bool:
        """Return whether it is another file or folder, or below it."""
        if not isinstance(other, RemotePath) or other.scheme != self.scheme:
            return False
        return PurePosixPath(self.path).is_relative_to(other.path)

    def unlink(self) -> None:
        """Remove the file."""
        self.filesystem.delete_file(self.path)

    def _at(self, path: PurePosixPath) -> RemotePath:
        return RemotePath(self.scheme, str(path), self.filesystem)

    @property
    def _kind(self) -> str:
        return str(self.filesystem.get_file_info(self.path).type.name)

    def _below(self, *, recursive: bool) -> Iterator[RemotePath]:
        from pyarrow.fs import FileSelector, FileType

        selector = FileSelector(self.path, allow_not_found=True, recursive=recursive)
        for info in self.filesystem.get_file_info(selector):
            if info.type == FileType.File:
                yield RemotePath(self.scheme, info.path, self.filesystem)

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The parts of the path."""
        return PurePosixPath(self.path).parts


FilePath = Path | RemotePath
"""A file on this machine or in object storage."""


def located(path: object) -> FilePath:
    """Return the file that a path or a URI names.

    `Path("s3://bucket/key")` has lost a slash, which is put back: the command line makes such paths.

    Examples
    --------
    >>> located("people.parquet")
    PosixPath('people.parquet')
    """
    text = str(path)
    uri = _URI.fullmatch(text)
    if uri is None or len(uri[1]) == 1 or Path(text).exists():
        return not_too_long(Path(text))
    remote = RemotePath.of(f"{uri[1]}://{uri[2]}" if uri[1] != "file" else f"file:///{uri[2]}")
    return Path(remote.path) if remote.is_local else remote


def not_too_long(path: Path) -> Path:
    """Return a path, or raise if it is too long for the file system.

    `Path.is_dir` would raise an error of Python.
    """
    try:
        path.exists()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise FileError(
                f"'{path}' is too long for the name of a file.", hint="Use a shorter one."
            ) from None
    return path


def _shown(uri: str) -> str:
    """Return a URI without credentials and options."""
    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
