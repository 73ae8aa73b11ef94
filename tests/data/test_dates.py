"""Dates as people write them: recognised, read, and written in the same format."""

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import microagg as ma
from microagg.data.date_formats import date_format_of, recognise
from microagg.data.date_text import DateFormat
from microagg.data.dates import with_dates
from microagg.data.frames import Frame
from microagg.errors import DataError, ParameterError
from microagg.prepare.read import read_columns
from microagg.schema import Schema
from microagg.settings import Settings


def text(*values):
    return pa.chunked_array([list(values)], pa.string())


FORMATS = {
    "2014-01": "%Y-%m",
    "17.05.1981": "%d.%m.%Y",
    "1975/05/05": "%Y/%m/%d",
    "1981-05-17": "%Y-%m-%d",
    "31/12/2019": "%d/%m/%Y",
    "12/31/2019": "%m/%d/%Y",
    "31-12-2019": "%d-%m-%Y",
    "Dec-2015": "%b-%Y",
    "17 May 1981": "%d %b %Y",
    "17MAY1981": "%d%b%Y",
    "March 3, 2020": "%B %-d, %Y",
    "8:05": "%-H:%M",
    "23:59:01": "%H:%M:%S",
    "2014-01-31 23:59": "%Y-%m-%d %H:%M",
    "2014-01-31T23:59:01Z": "%Y-%m-%dT%H:%M:%SZ",
    "2014-01-31T23:59:01.250Z": "%Y-%m-%dT%H:%M:%S.%3fZ",
    "2014-01-31 23:59:01.123456": "%Y-%m-%d %H:%M:%S.%6f",
    "2014-01-31T23:59:01+01:00": "%Y-%m-%dT%H:%M:%S+01:00",
    "12/31/2019 11:30:00 PM": "%m/%d/%Y %I:%M:%S %p",
    "31.12.2019 23:59": "%d.%m.%Y %H:%M",
}


@pytest.mark.parametrize("value", FORMATS)
def test_formats_are_recognised(value):
    found = recognise(text(value, "", None, value))
    assert found.formats == (FORMATS[value],)
    assert found.wrong == ()
    dates, wrong = DateFormat(FORMATS[value]).read(text(value, ""))
    assert not wrong.size
    assert DateFormat(FORMATS[value]).written(dates)[0].as_py().lower() == value.lower()


@pytest.mark.parametrize(
    "values",
    [("red", "blue"), ("41", "17"), ("2014", "2015"), ("1.5", "2.25"), ("2026-02-31",), ("", None),
     ("A-12-2019", "B-11-2018"), ("10-20", "20-30"), ("AB 12", "CD 13"), ("12:75", "13:99"),
     ("192.168.0.1", "10.0.0.7"), ("555-010-1234", "555-020-9999"), ("1/2", "3/4")],
)  # fmt: skip
def test_other_text_is_no_date(values):
    assert recognise(text(*values)) is None


def test_day_and_month_that_cannot_be_told_apart_are_an_error_that_asks():
    column = text("01/02/2019", "03/04/2019")
    assert recognise(column).formats == ("%d/%m/%Y", "%m/%d/%Y")
    with pytest.raises(DataError, match="Column 'dob' contains dates in an ambig") as e:
        date_format_of(column, "dob")
    assert "date_format={'dob': '%d/%m/%Y'} or date_format={'dob': '%m/%d/%Y'}" in str(e.value)
    assert "2019" not in str(e.value)


def test_one_record_tells_day_and_month_apart():
    assert date_format_of(text("01/02/2019", "13/04/2019"), "dob") == "%d/%m/%Y"
    assert date_format_of(text("01/02/2019", "04/13/2019"), "dob") == "%m/%d/%Y"


def test_the_error_names_dates_and_the_row_but_no_value():
    days = [f"{day:02d}.05.1981" for day in range(1, 31)]
    with pytest.raises(DataError, match="'dob' contains dates, but 1 record is neither empty") as e:
        date_format_of(text(*days, "unknown"), "dob")
    assert "first in data row 31" in str(e.value)
    assert "unknown" not in str(e.value)


@hypothesis_settings(deadline=None)
@given(st.lists(st.dates(dt.date(1000, 1, 1), dt.date(9999, 12, 31)) | st.none(), min_size=1))
@pytest.mark.parametrize("pattern", ["%Y-%m-%d", "%-d.%-m.%Y", "%B %d, %Y", "%Y%m%d", "%d%b%Y"])
def test_days_come_back(pattern, days):
    form, column = DateFormat(pattern), pa.array(days, pa.date32())
    dates, wrong = form.read(form.written(column))
    assert not wrong.size
    assert dates.equals(column)


@hypothesis_settings(deadline=None)
@given(st.lists(st.datetimes(dt.datetime(1000, 1, 1)), min_size=1))
@pytest.mark.parametrize("pattern", ["%Y-%m-%dT%H:%M:%S.%fZ", "%m/%d/%Y %I:%M:%S.%f %p"])
def test_moments_come_back(pattern, moments):
    form, column = DateFormat(pattern), pa.array(moments, pa.timestamp("us"))
    dates, wrong = form.read(form.written(column))
    assert not wrong.size
    assert dates.equals(column)


@hypothesis_settings(deadline=None)
@given(st.lists(st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)), min_size=1, max_size=30))
@pytest.mark.parametrize("pattern", ["%d/%m/%Y", "%-m/%-d/%Y", "%d.%m.%Y", "%Y-%m-%d"])
def test_the_format_of_written_dates_is_among_those_recognised(pattern, days):
    column = DateFormat(pattern).written(pa.array(days))
    found = recognise(pa.chunked_array([column]))
    readings = [DateFormat(form).read(column)[0].to_pylist() for form in found.formats]
    assert days in readings


def test_excel_serials_when_told():
    table = pa.table({"born": [43831, 43832, None], "at": ["43831.5", "", "43832"]})
    read = with_dates(table, {"born": "excel", "at": "excel"})
    assert read["born"].to_pylist() == [dt.date(2020, 1, 1), dt.date(2020, 1, 2), None]
    assert read["at"].to_pylist()[0] == dt.datetime(2020, 1, 1, 12)
    with pytest.raises(ParameterError, match="must name the columns of serial numbers"):
        with_dates(table, "excel")


def test_read_file_with_a_format(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("born,note,seen\n01/02/2019,a,20140131\n,b,20140201\n")
    assert ma.read_file(path)["born"].to_pylist() == ["01/02/2019", ""]
    table = ma.read_file(path, date_format="%d/%m/%Y")
    assert table["born"].to_pylist() == [dt.date(2019, 2, 1), None]
    assert table["note"].to_pylist() == ["a", "b"]
    table = ma.read_file(path, date_format={"seen": "%Y%m%d"})
    assert table["seen"].to_pylist() == [dt.date(2014, 1, 31), dt.date(2014, 2, 1)]
    with pytest.raises(DataError, match="'note' contains dates, but 2 records are neither"):
        ma.read_file(path, date_format={"note": "%Y" + "-%m"})
    with pytest.raises(ParameterError, match="names a column 'no' that is not in the data"):
        ma.read_file(path, date_format={"no": "%Y-%m-%d"})


@pytest.mark.parametrize("wrong", ["%Q", "%d", "%Y-%Y-%m", "", 7, {"born": 7}, {"born": "%d"}])
def test_what_is_no_format(wrong):
    with pytest.raises(ParameterError, match="'date_format' parameter must"):
        with_dates(pa.table({"born": ["x"]}), wrong)


COLUMNS = {
    "%d/%m/%Y": ["01/02/2019", "", "03/04/2019"],
    "%Y-%m": ["2019-01", "", "2019-02"],
    "%Y%m%d": [20190101, None, 20190201],
    "excel": [43831, None, 43832],
}


@pytest.mark.parametrize("pattern", COLUMNS)
@pytest.mark.parametrize("frame", [pd.DataFrame, pa.table])
def test_quasi_identifiers_in_a_format_come_back_in_it(pattern, frame):
    data = frame({"born": COLUMNS[pattern]})
    settings = Settings.create(k=2, quasi_identifiers=["born"], date_format={"born": pattern})
    columns, calendars = read_columns(Frame(data), Schema(["born"]), settings)
    assert columns["born"].kind == "continuous"
    assert np.isnan(columns["born"].values).tolist() == [False, True, False]
    back = calendars["born"].dates(columns["born"].values).to_pylist()
    assert back == [value or None for value in COLUMNS[pattern]]


def test_a_format_is_for_the_column_that_it_names():
    table = pa.table({"born": ["01/02/2019", "03/04/2019"], "note": ["a", "b"], "pay": [1, 2]})
    schema = Schema(table.column_names)
    settings = Settings.create(k=2, schema=schema, date_format={"born": "%m/%d/%Y"})
    columns, calendars = read_columns(Frame(table), schema, settings)
    assert list(calendars) == ["born"]
    assert columns["born"].values.tolist() == [0, 61]  # 2 January and 4 March
    assert columns["note"].kind == "nominal"


def test_dates_of_a_release_keep_their_format():
    days = pd.date_range("1950-01-01", periods=60, freq="97D")
    frame = pd.DataFrame({"born": days.strftime("%d.%m.%Y")})
    release = ma.protect(frame, 3, quasi_identifiers=["born"], kinds={"born": "continuous"})
    assert release.data["born"].str.fullmatch(r"\d\d\.\d\d\.\d{4}").all()
    back = pd.to_datetime(release.data["born"], format="%d.%m.%Y")
    assert abs(back - days.to_series(index=frame.index)).max() <= pd.Timedelta("98D")


def test_months_are_rounded_to_the_nearest():
    days = pa.array([dt.date(2020, 1, 10), dt.date(2020, 1, 25)])
    assert DateFormat("%Y-%m").written(days).to_pylist() == ["2020-01", "2020-02"]
