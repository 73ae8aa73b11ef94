"""SPSS, Stata and SAS files."""

import datetime
import importlib
import sys
import traceback

import pyarrow as pa
import pytest

from microagg.data.files import read_file, write_file
from microagg.errors import DataError, FileError, MissingDependencyError, ParameterError

pytest.importorskip("pyreadstat", reason="the extra microagg[stats] is not installed")

SUFFIXES = [".sav", ".zsav", ".dta", ".xpt"]


def table() -> pa.Table:
    fields = [
        pa.field("age", pa.float64(), metadata={"microagg.label": "Age in years"}),
        pa.field("sex", pa.float64(), metadata={"microagg.value_labels": '[[1, "f"], [2, "m"]]'}),
        pa.field("name", pa.string()),
        pa.field("born", pa.date32()),
    ]
    day = datetime.date(1980, 2, 29)
    columns = [[40.5, None, 1 / 3], [1.0, 2.0, 1.0], ["Zoë", "", "x y"], [day, day, None]]
    return pa.table(
        [pa.array(column, field.type) for column, field in zip(columns, fields, strict=True)],
        schema=pa.schema(fields),
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_values_and_labels_come_back(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    write_file(table(), path)
    back = read_file(path)
    assert back.equals(table())
    assert back.schema.field("age").metadata == {b"microagg.label": b"Age in years"}
    if suffix != ".xpt":  # SAS transport has no value labels
        kept = back.schema.field("sex").metadata[b"microagg.value_labels"]
        assert kept in (b'[[1.0, "f"], [2.0, "m"]]', b'[[1, "f"], [2, "m"]]')


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_same_table_gives_the_same_bytes(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    write_file(table(), path)
    head = path.read_bytes()[:1024]
    today = datetime.datetime.now().strftime
    assert b"70" in head
    for stamp in (today("%d %b %y"), today("%d %b %Y"), today("%d%b%y").upper()):
        assert stamp.encode() not in head
    write_file(read_file(path), tmp_path / f"b{suffix}")
    assert (tmp_path / f"b{suffix}").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_the_format_cannot_hold_is_refused(tmp_path, suffix):
    unfit = {"list": [[4711]], "bytes": [b"4711"], "long": [2**53 + 1], "low": [-(2**60)]}
    if suffix == ".xpt":
        unfit |= {"large": [4.711e80], "small": [4.711e-300]}
    if suffix == ".dta":
        unfit |= {"large": [9e307]}
    for name, column in unfit.items():
        with pytest.raises(DataError, match=f"'{name}'") as caught:
            write_file(pa.table({name: column}), tmp_path / f"a{suffix}")
        assert "4711" not in "".join(traceback.format_exception(caught.value))
    with pytest.raises(DataError, match="cannot be written as"):
        write_file(pa.table({"a b": [1.0]}), tmp_path / f"a{suffix}")
    assert not list(tmp_path.iterdir())


def test_integers_truths_and_categories_are_written_as_the_format_has_them(tmp_path):
    path = tmp_path / "a.sav"
    columns = {"n": [1, None], "b": [True, False], "c": pa.array(["x", "y"]).dictionary_encode()}
    write_file(pa.table(columns), path)
    assert read_file(path).to_pydict() == {"n": [1.0, None], "b": [1.0, 0.0], "c": ["x", "y"]}


def test_a_type_is_not_parsed_again_but_names_are_checked(tmp_path):
    path = tmp_path / "a.dta"
    write_file(pa.table({"code": ["007"], "n": [1.0]}), path)
    assert read_file(path, parse=["code"])["code"].to_pylist() == ["007"]
    with pytest.raises(ParameterError, match="'m'"):
        read_file(path, parse=["m"])
    with pytest.raises(ParameterError, match="'separator'"):
        read_file(path, separator=";")


def test_an_encoding_can_be_named(tmp_path):
    path = tmp_path / "a.sav"
    write_file(table(), path)
    assert read_file(path, encoding="cp1252")["age"].to_pylist() == table()["age"].to_pylist()


def test_one_format_under_the_suffix_of_another(tmp_path):
    write_file(table(), tmp_path / "a.sav")
    (tmp_path / "a.sav").rename(tmp_path / "a.dta")
    with pytest.raises(FileError, match="is not a Stata file: it is an SPSS file") as caught:
        read_file(tmp_path / "a.dta")
    assert caught.value.hint == "Rename it to end in .sav."


def test_without_the_extra_the_hint_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "a.sav"
    write_file(table(), path)
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    importlib.invalidate_caches()
    with pytest.raises(MissingDependencyError, match="pyreadstat") as caught:
        read_file(path)
    assert caught.value.hint == "Install them with: pip install 'microagg[stats]'"
