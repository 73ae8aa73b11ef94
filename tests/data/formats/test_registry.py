"""A file format is one file: everything else follows from its registration."""

import re
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest

import microagg
from microagg.data.content import Content
from microagg.data.files import read_file, sha256_of, stem_of, write_file
from microagg.data.formats import registry
from microagg.data.formats.registry import Parsed, ReadOptions, format, format_of, suffixes
from microagg.data.source import read_source
from microagg.data.streams import Stream
from microagg.errors import FileError, ParameterError

TABLE = pa.table({"age": [40, 41], "town": ["a", "b"]})


@contextmanager
def temporary_formats():
    """Forget at the end of the block every format that was registered within it."""
    registry.suffixes()  # which registers those of microagg
    before = dict(registry._FORMATS)
    try:
        yield
    finally:
        registry._FORMATS.clear()
        registry._FORMATS.update(before)


@pytest.fixture
def words():
    """Register a made-up format: names, then a record a line, with blanks between."""

    def write(table, path, dialect):
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        lines = [table.column_names, *rows]
        text = "".join(" ".join(map(str, line)) + "\n" for line in lines)
        path.write_text(f"WORDS\n{text}", encoding="utf-8")

    with temporary_formats():

        @format(
            "a file of words", suffixes=(".words",), write=write, signatures={b"WORDS": ".words"}
        )
        def read(content: Content, options: ReadOptions) -> Parsed:
            _, names, *rows = content.bytes().decode().splitlines()
            columns = zip(*(row.split() for row in rows), strict=True)
            return Parsed(pa.table(dict(zip(names.split(), map(list, columns), strict=True))))

        yield


def test_a_made_up_format_is_read_and_written(words, tmp_path):
    path = tmp_path / "people.words"
    write_file(TABLE, path)
    assert path.read_text() == "WORDS\nage town\n40 a\n41 b\n"
    assert read_file(path).to_pydict() == {"age": ["40", "41"], "town": ["a", "b"]}
    assert read_source(path).sha256 == sha256_of(path)
    assert stem_of(path) == "people"
    assert ".words" in suffixes(written=True)
    with pytest.raises(FileError, match="exists already"):
        write_file(TABLE, path)


def test_what_a_made_up_format_cannot_do_is_refused(words, tmp_path):
    path = tmp_path / "people.words"
    write_file(TABLE, path)
    with pytest.raises(ParameterError, match="'separator' parameter does not apply to"):
        read_file(path, separator=";")
    with pytest.raises(FileError, match="cannot be read piece by piece"):
        Stream(path)
    (tmp_path / "people.csv").write_bytes(path.read_bytes())
    with pytest.raises(FileError, match="it is a file of words") as caught:
        read_file(tmp_path / "people.csv")
    assert caught.value.hint == "Rename it to end in .words."


def test_a_release_is_saved_in_a_made_up_format(words, tmp_path):
    records = pa.table({"age": [1.0, 2.0, 8.0, 9.0]})
    release = microagg.protect(records, 2, quasi_identifiers=["age"], method="mdav")
    paths = release.save(tmp_path, format="words")
    assert paths["data"].read_text() == "WORDS\nage\n1.5\n1.5\n8.5\n8.5\n"


def test_a_temporary_format_is_forgotten():
    with temporary_formats():
        format("a list", suffixes=(".list",))(lambda content, options: None)
        assert format_of(Path("a.list")).name == "a list"
    with pytest.raises(FileError, match="is not supported"):
        format_of(Path("a.list"))


def test_a_suffix_belongs_to_one_format():
    with temporary_formats(), pytest.raises(ValueError, match=r"\.csv already belongs to"):
        format("another", suffixes=(".csv",))(lambda content, options: None)


def test_no_other_module_names_a_suffix():
    """Only a format's own file may say its suffix, but in examples, and ours for what we write."""
    root = Path(microagg.__file__).parent
    pattern = re.compile(r"""["'](?:\.(?:parquet|feather|arrow|sav|zsav|dta|sas7bdat|xpt))["']""")
    naming = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if path.parent.name != "formats"
        and pattern.search(re.sub(r'""".*?"""', "", path.read_text(), flags=re.DOTALL))
    }
    assert naming == set()
