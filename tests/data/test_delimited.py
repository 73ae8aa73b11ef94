"""Delimited text: every field exactly as it stands, and back to the same bytes."""

import codecs
import csv
import datetime
import decimal
import gzip
import io
import math
import tempfile
import threading
import traceback
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from microagg.data.delimited import read_apart
from microagg.data.dialect import CsvDialect
from microagg.data.files import read_file, sniff_dialect, write_file
from microagg.data.numerals import not_numbers, to_numbers
from microagg.errors import DataError, FileError, MicroaggError, ParameterError

SECRET = "Xyzzy4711"


def saved(folder: Path, content: str | bytes, name: str = "people.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def written(table: pa.Table, like: CsvDialect | None = None, name: str = "a.csv") -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        write_file(table, Path(folder, name), like=like)
        return Path(folder, name).read_bytes()


def refusal(kind, path, **options) -> MicroaggError:
    with pytest.raises(kind) as caught:
        read_file(path, **options)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert str(path) in caught.value.message
    return caught.value


def test_columns_not_asked_for_stay_the_very_text(tmp_path):
    fields = ["007", "1.50", "1e5", "", " x ", "NA", "-0", '5" pipe', "+1"]
    path = saved(tmp_path, "code,age\n" + "".join(f"{field},4\n" for field in fields))
    table = read_file(path, parse=["age"])
    assert table["code"].to_pylist() == fields
    assert table.schema.types == [pa.string(), pa.int64()]
    assert read_file(path, parse=[]).schema.types == [pa.string(), pa.string()]


@pytest.mark.parametrize(
    ("fields", "guessed", "asked"),
    [
        (["1", "-2", "0"], [1, -2, 0], [1, -2, 0]),
        (["1", "", " 3 "], [1, None, 3], [1, None, 3]),
        (["1.50", "2"], [1.5, 2.0], [1.5, 2.0]),
        ([".5", "5.", "-1E-3"], [0.5, 5.0, -0.001], [0.5, 5.0, -0.001]),
        (["007", "8"], None, [7, 8]),
        (["+1", "2"], None, [1, 2]),
        (["9223372036854775808", "1"], None, [2.0**63, 1.0]),
        (["-9223372036854775808", "1"], [-(2**63), 1], [-(2**63), 1]),
        (["1e400", "1e-400"], [math.inf, 0.0], [math.inf, 0.0]),
        (["inf", "-Infinity", "1"], [math.inf, -math.inf, 1.0], [math.inf, -math.inf, 1.0]),
        (["inf", ""], None, [math.inf, None]),
        (["", ""], None, [None, None]),
        (["1", "x"], None, None),
        (["0x1F", "1_000"], None, None),
        (["1,5", "2"], None, None),
        (["٣", "1"], None, None),
    ],
)
def test_what_is_a_number(fields, guessed, asked):
    column = pa.chunked_array([fields])
    for expected, mode in ((guessed, False), (asked, True)):
        found = to_numbers(column, asked=mode)
        assert (None if found is None else found.to_pylist()) == expected
        if expected is not None:
            assert found.type == (pa.int64() if type(expected[0]) is int else pa.float64())


def test_nan_is_a_float_and_text_after_many_numbers_is_found():
    found = to_numbers(pa.chunked_array([["nan", "NaN", "1"]])).to_pylist()
    assert [math.isnan(value) for value in found] == [True, True, False]
    column = pa.chunked_array([["1"] * 1000, ["1.5", "n/a", ""]])
    assert to_numbers(column) is None
    assert not_numbers(column).rows == [1001]


@settings(deadline=None)
@given(st.lists(st.floats(allow_nan=False), min_size=1))
@example([5e-324, 2.2250738585072011e-308, 1.7976931348623157e308, 0.1, 1 / 3, -0.0])
def test_floats_come_back_bit_for_bit(values):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.csv")
        for mark in (".", ","):
            form = CsvDialect(";", decimal=mark)
            write_file(pa.table({"x": values}), path, like=form, overwrite=True)
            back = read_file(path, parse=["x"], separator=";", decimal=mark)["x"].to_pylist()
            assert list(map(repr, back)) == list(map(repr, values))


@settings(deadline=None)
@given(st.lists(st.decimals(allow_nan=False, allow_infinity=False), min_size=1))
def test_numerals_read_as_python_reads_them(values):
    texts = [str(value) for value in values]
    found = to_numbers(pa.chunked_array([texts])).to_pylist()
    assert [float(value) for value in found] == [float(text) for text in texts]


# No zero characters: they are refused. No lone surrogates: they are no text.
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
TRICKY = st.text(st.sampled_from('",;\t|\r\n x\ufeffé😀'), max_size=6)
NAMES = st.one_of(TEXT, TRICKY).filter(lambda name: name.strip())


@st.composite
def tables(draw) -> pa.Table:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    rows = draw(st.integers(1, 5))
    column = st.lists(st.one_of(TEXT, TRICKY), min_size=rows, max_size=rows)
    return pa.table([pa.array(draw(column), pa.string()) for _ in names], names=names)


@settings(deadline=None)
@given(tables(), st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
@example(pa.table({"\ufeffa": [""]}), ",", "\n", False)
@example(pa.table({"a": ["\ufeff", ""]}), ",", "\n", False)
@example(pa.table({"a": ["\n", '"']}), ",", "\r\n", True)
def test_any_text_makes_the_round_trip(table, separator, newline, bom):
    form = CsvDialect(separator, "utf-8", ".", newline, bom)
    content = written(table, form)
    with tempfile.TemporaryDirectory() as folder:
        path = saved(Path(folder), content)
        back = read_file(path, separator=separator, parse=[], numeric_names=True)
        found = sniff_dialect(path, separator=separator)
    assert back.equals(table)
    assert found == form
    assert written(back, found) == content
    # The quotes are those of the standard library, but for its marks on lone line ends.
    body = content.removeprefix(form.mark).decode()
    read = list(csv.reader(io.StringIO(body, newline=""), delimiter=separator, strict=True))
    assert read == [table.column_names, *map(list, zip(*table.to_pydict().values(), strict=True))]


@settings(deadline=None)
@given(st.text(st.sampled_from('a1",\r\n\ufeff'), max_size=20))
def test_any_file_reads_as_the_standard_library_reads_it_or_not_at_all(text):
    text = "x,y\n" + text
    try:
        expected = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        expected = [record for record in expected[1:] if record]
    except csv.Error:
        expected = []
    with tempfile.TemporaryDirectory() as folder:
        path = saved(Path(folder), text)
        if expected and all(len(record) == 2 for record in expected):
            columns = read_file(path, separator=",", parse=[]).columns
            assert list(map(list, zip(*(c.to_pylist() for c in columns), strict=True))) == expected
        else:
            with pytest.raises(MicroaggError):
                read_file(path, separator=",", parse=[])


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a\tb\n1\t2\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ('"a,b,c";d\n1;2\n', ";"),
        ("name;pay, net\nx;1\n", ";"),
        ("pay, gross;pay, net;age\n1;2;3\n", ";"),
        ('"a\n,,,";b\n1;2\n', ";"),
        ('5" pipe;b\n1;2\n', ";"),
        ("\n\na;b\n1;2\n", ";"),
        ("a\n1\n", ","),
    ],
)
def test_the_separator_is_found(tmp_path, text, separator):
    path = saved(tmp_path, text)
    assert sniff_dialect(path).separator == separator
    assert read_file(path).num_rows == 1


def test_tsv_is_with_tabs(tmp_path):
    path = saved(tmp_path, "a,b,c\td\n1\t2\n", "a.tsv")
    assert read_file(path).to_pydict() == {"a,b,c": [1], "d": [2]}
    assert written(pa.table({"a": [1], "b": ["x,y"]}), name="a.TSV.gz")[:2] == b"\x1f\x8b"
    assert written(pa.table({"a": [1], "b": ["x,y"]}), name="a.tsv") == b"a\tb\n1\tx,y\n"


@pytest.mark.parametrize(
    ("given_as", "codec", "mark"),
    [
        ("utf-8", "utf-8", b""),
        ("utf-8", "utf-8", codecs.BOM_UTF8),
        ("utf-8-sig", "utf-8", codecs.BOM_UTF8),
        ("latin-1", "iso8859-1", b""),
        ("cp1252", "cp1252", b""),
        ("utf-16", "utf-16-le", codecs.BOM_UTF16_LE),
        ("UTF16", "utf-16-be", codecs.BOM_UTF16_BE),
        ("utf-16-le", "utf-16-le", b""),
        ("utf-32", "utf-32-be", codecs.BOM_UTF32_BE),
    ],
)
def test_encodings_come_back_byte_for_byte(tmp_path, given_as, codec, mark):
    content = mark + 'naïve;"ö;""x"""\r\né;1,5\r\n'.encode(codec)
    path = saved(tmp_path, content)
    table = read_file(path, encoding=given_as, decimal=",")
    assert table.to_pydict() == {"naïve": ["é"], 'ö;"x"': [1.5]}
    form = sniff_dialect(path, encoding=given_as, decimal=",")
    assert form == CsvDialect(";", codec, ",", "\r\n", bool(mark))
    assert written(table, form) == content


def test_a_wrong_encoding_is_named_with_a_way_out(tmp_path):
    path = saved(tmp_path, f"näme\n{SECRET}\n".encode("latin-1"))
    error = refusal(FileError, path)
    assert "utf-8" in error.message
    assert 'encoding="latin-1"' in error.hint
    with pytest.raises(FileError, match="utf-8"):
        sniff_dialect(path)
    path = saved(tmp_path, f"name\n{SECRET}\n".encode("utf-16"))
    assert 'encoding="utf-16"' in refusal(FileError, path).hint
    path = saved(tmp_path, f"name\n{SECRET}\n".encode("utf-16-le"))
    assert 'encoding="utf-16"' in refusal(FileError, path, encoding="latin-1").hint
    # Beyond the part that is looked at first.
    path = saved(tmp_path, b"name\n" + b"x\n" * 600_000 + b"\xff\n" + SECRET.encode())
    assert "utf-8" in refusal(FileError, path).message


def test_text_that_the_encoding_has_no_form_for(tmp_path):
    with pytest.raises(FileError, match="iso8859-1") as caught:
        write_file(
            pa.table({"a": [SECRET + "€"]}), tmp_path / "a.csv", like=CsvDialect(encoding="latin-1")
        )
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert str(tmp_path / "a.csv") in caught.value.message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"a,b\n1,2\n{SECRET},1,2\n", "Line 3 "),
        (f"a,b\n1,2\n\n{SECRET}\n", "Line 4 "),
        (f'a,b\n"x\ny",2\n{SECRET},1,2\n', "Line 4 "),
        (f'a,b\n1,2\n3,"{SECRET}\n5,6\n', "line 3 "),
        (f'a,b\n1,2\n3,"{SECRET}" x\n5,6\n', "line 3 "),
        (f'a,b\n1,"{SECRET}"" \n', "line 2 "),
        (f'a,"b" x\n1,{SECRET}\n', "header"),
        (f'a,"b\n1,{SECRET}\n', "header"),
        ("\r\n\r\n", "blank lines"),
    ],
)
def test_broken_rows_are_named_by_line_and_not_shown(tmp_path, text, says):
    assert says in refusal(FileError, saved(tmp_path, text)).message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n", "no records"),
        ("a,b", "no records"),
        ("a\n\n\n", "no records"),
        ("a,b,a,b,c\n1,2,3,4,5\n", "columns 1 and 3"),
        (",b\n1,2\n", "Column 1"),
        ('a," "\n1,2\n', "Column 2"),
    ],
)
def test_headers_that_cannot_be_used(tmp_path, text, says):
    assert says in refusal(DataError, saved(tmp_path, text)).message


def test_blank_lines(tmp_path):
    assert read_file(saved(tmp_path, "a,b\n\n1,2\n\n\n3,4\n\n")).num_rows == 2
    # In one column a blank line is a record whose field is empty, but for the end of the file.
    table = read_file(saved(tmp_path, "a\n1\n\n3\n\n\n"))
    assert table["a"].to_pylist() == [1, None, 3]
    assert written(table) == b'a\n1\n""\n3\n'


def test_records_longer_than_a_block(tmp_path):
    long = "x" * 5_000_000
    path = saved(tmp_path, f'a,b\n1,"{long}"\n2,y\n')
    assert read_file(path)["b"].to_pylist() == [long, "y"]


def test_many_blocks_keep_their_order(tmp_path):
    rows = 600_000
    path = saved(tmp_path, "a,b\r\n" + "".join(f"{row},x{row}\r\n" for row in range(rows)))
    table = read_file(path)
    assert table["a"].to_pylist() == list(range(rows))
    assert written(table, sniff_dialect(path)) == path.read_bytes()


def test_gz_has_no_time_and_no_name(tmp_path):
    table = pa.table({"a": ["x", "y"]})
    first, second = written(table, name="a.csv.gz"), written(table, name="b.csv.gz")
    assert first == second
    assert first[3:8] == b"\0" * 5  # no name, time zero
    assert gzip.decompress(first) == b"a\nx\ny\n"
    path = saved(tmp_path, gzip.compress(b"a;b\r\n1;2\r\n"), "A.CSV.GZ")
    assert sniff_dialect(path) == CsvDialect(";", newline="\r\n")
    assert read_file(path).to_pydict() == {"a": [1], "b": [2]}
    empty = saved(tmp_path, gzip.compress(b""), "a.csv.gz")
    assert "empty" in refusal(FileError, empty).message


def test_how_each_type_is_written():
    day = datetime.datetime(2020, 1, 2, 3, 4, 5)
    table = pa.table(
        {
            "int": [1, None],
            "float": [100 / 3, 5.0],
            "single": pa.array([0.1, None], pa.float32()),
            "bool": [True, False],
            "date": [day.date(), None],
            "time": pa.array([day, None], pa.timestamp("s")),
            "decimal": [decimal.Decimal("1.50"), None],
            "coded": pa.array(["x;y", "z"]).dictionary_encode(),
            "none": pa.nulls(2),
        }
    )
    first, second = written(table, CsvDialect(";", decimal=",")).decode().splitlines()[1:]
    assert first == '1;33,333333333333336;0,1;true;2020-01-02;2020-01-02 03:04:05;1,50;"x;y";'
    assert second == ";5,0;;false;;;;z;"
    for column in ([[1]], [b"x"], [datetime.timedelta(1)], ["a\0b"]):
        with pytest.raises(DataError, match="'x'"):
            written(pa.table({"x": column}))


@pytest.mark.parametrize(
    "wrong",
    [{"newline": "x"}, {"separator": "\n"}, {"bom": True, "encoding": "latin-1"}, {"decimal": "'"}],
)
def test_dialects_that_cannot_be(wrong):
    with pytest.raises(ParameterError, match=f"'{next(iter(wrong))}'"):
        CsvDialect(**wrong)


def test_a_dialect_never_depends_on_the_machine():
    assert CsvDialect(encoding="utf-16") == CsvDialect(encoding="utf-16-le", bom=True)


def test_pyarrow_does_not_take_over_the_signals(monkeypatch):
    """It would lose some: its reader runs in another thread, where it leaves them alone."""
    threads = []
    real = pyarrow.csv.read_csv

    def read(*arguments, **options):
        threads.append(threading.current_thread())
        return real(*arguments, **options)

    monkeypatch.setattr(pyarrow.csv, "read_csv", read)
    assert read_apart(pa.BufferReader(b"a\n1\n")).to_pydict() == {"a": [1]}
    assert threads != [threading.main_thread()]
