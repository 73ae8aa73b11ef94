"""A folder whose files store a column in different types: one common type, or a refusal by name."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import microagg as ma
from microagg.data.common_type import common_type
from microagg.errors import DataError

CATEGORY = pa.dictionary(pa.int8(), pa.string())
COMMON = {
    "integers": (pa.int64(), pa.int8(), pa.int64()),
    "signs": (pa.uint64(), pa.int64(), pa.int64()),
    "floating": (pa.int64(), pa.float64(), pa.float64()),
    "single": (pa.int32(), pa.float32(), pa.float64()),
    "decimal": (pa.decimal128(6, 1), pa.decimal128(5, 2), pa.decimal128(7, 2)),
    "text": (pa.string(), pa.large_string(), pa.string()),
    "categories": (pa.large_string(), CATEGORY, pa.string()),
    "many": (CATEGORY, pa.dictionary(pa.int16(), pa.string()), None),
    "times": (pa.timestamp("ms"), pa.timestamp("us"), pa.timestamp("us")),
    "empty": (pa.null(), pa.float64(), pa.float64()),
}
APART = {
    "text": (pa.int64(), pa.string()),
    "bytes": (pa.string(), pa.binary()),
    "widths": (pa.float64(), pa.float32()),
    "decimal": (pa.float64(), pa.decimal128(5, 2)),
    "exact": (pa.int64(), pa.decimal128(5, 2)),
    "dates": (pa.date32(), pa.timestamp("us")),
    "zones": (pa.timestamp("us", "UTC"), pa.timestamp("us", "Europe/Berlin")),
    "zone": (pa.timestamp("us"), pa.timestamp("us", "UTC")),
    "order": (pa.dictionary(pa.int8(), pa.string(), ordered=True), pa.string()),
    "lists": (pa.int64(), pa.list_(pa.int64())),
    "truth": (pa.bool_(), pa.int64()),
}


def of_type(numbers, kind):
    """Return whole numbers as values of a type, each in the form that is usual for it."""
    if pa.types.is_dictionary(kind):
        return pa.array(map(str, numbers)).dictionary_encode().cast(kind)
    if pa.types.is_list(kind):
        return pa.array([[n] for n in numbers], kind)
    if pa.types.is_temporal(kind):
        days = [dt.datetime(2020, 1, 1) + dt.timedelta(days=n) for n in numbers]
        return pa.array([d.date() for d in days] if kind == pa.date32() else days, kind)
    forms = {"string": str, "large_string": str, "binary": lambda n: str(n).encode()}
    forms |= {"float": float, "double": float, "bool": bool}
    form = Decimal if pa.types.is_decimal(kind) else forms.get(str(kind), int)
    return pa.array([form(n) for n in numbers], kind)


@pytest.fixture
def folder(tmp_path):
    """Return a function that writes 60 records of 15 persons twice, in two types of column `v`."""

    def write(one, two, **numbers):
        path, persons = tmp_path / "in", np.arange(60) // 4
        path.mkdir()
        for number, kind in enumerate((one, two)):
            values = [int(v) for v in numbers.get("v", persons)]
            own = pa.nulls(60) if pa.types.is_null(kind) else of_type(values, kind)
            table = pa.table({"age": persons + number / 100, "v": own})
            pq.write_table(table, path / f"{number}.parquet")
        return path

    return write


def released(path):
    """Return both parts of a release as one frame, in the order of the input."""
    return pd.concat([pd.read_parquet(file) for file in sorted(path.glob("release/*.parquet"))])


@pytest.mark.parametrize("one", [*COMMON], ids=str)
def test_types_with_a_common_one(one):
    first, second, both = COMMON[one]
    common = common_type([first, second])
    assert common == common_type([second, first])
    assert common == (both or pa.dictionary(pa.int32(), pa.string()))


@pytest.mark.parametrize("one", [*APART], ids=str)
def test_types_without_a_common_one(one):
    assert common_type(APART[one]) is None


@pytest.mark.parametrize("one", ["floating", "single", "categories", "times"])
def test_a_unit_in_two_types_is_one_unit(folder, tmp_path, one):
    """Each class has the units that are promised, counted by the persons themselves."""
    ma.protect_file(
        folder(*COMMON[one][:2]), tmp_path / "out", k=2, quasi_identifiers=["age"], unit="v"
    )
    ages = released(tmp_path / "out").assign(person=[*(np.arange(60) // 4)] * 2)
    assert ages.groupby("age").person.nunique().min() >= 2


@pytest.mark.parametrize("one", ["integers", "floating", "categories", "times"])
def test_a_confidential_value_in_two_types_is_one_value(folder, tmp_path, one):
    ma.protect_file(
        folder(*COMMON[one][:2]),
        tmp_path / "out",
        k=2,
        quasi_identifiers=["age"],
        confidential=["v"],
        l_diversity=2,
    )
    ages = released(tmp_path / "out").assign(person=[*(np.arange(60) // 4)] * 2)
    assert ages.groupby("age").person.nunique().min() >= 2


@pytest.mark.parametrize("one", ["integers", "floating", "times", "empty"])
def test_a_quasi_identifier_in_two_types_is_released_in_one(folder, tmp_path, one):
    options = {"missing": "keep"} if one == "empty" else {}
    source, out = folder(*COMMON[one][:2]), tmp_path / "out"
    ma.protect_file(source, out, k=3, quasi_identifiers=["v"], **options)
    schemas = [pq.read_schema(file) for file in sorted(out.glob("release/*.parquet"))]
    assert schemas[0].types == schemas[1].types
    assert released(out).groupby("v", dropna=False).size().min() >= 3
    assert ma.verify(out / "release", out / "provenance.json").holds


@pytest.mark.parametrize("role", ["unit", "confidential", "quasi_identifiers", "none"])
@pytest.mark.parametrize("one", ["text", "widths", "zones"])
def test_other_types_are_refused_by_name(folder, tmp_path, role, one):
    options = {"quasi_identifiers": ["age"]}
    options |= {} if role == "none" else {role: "v" if role == "unit" else ["v"]}
    with pytest.raises(DataError, match="Column 'v' has the type"):
        ma.protect_file(folder(*APART[one]), tmp_path / "out", k=3, **options)
    assert not (tmp_path / "out" / "release").exists()


def test_identifiers_may_have_any_types_unless_they_are_units(folder, tmp_path):
    source, options = folder(*APART["text"]), {"quasi_identifiers": ["age"], "identifiers": ["v"]}
    ma.protect_file(source, tmp_path / "out", k=3, **options)
    assert list(released(tmp_path / "out").columns) == ["age"]
    with pytest.raises(DataError, match="Column 'v' has the type"):
        ma.protect_file(source, tmp_path / "other", k=3, unit="v", **options)


def test_integers_that_floating_point_numbers_cannot_represent_are_refused(folder, tmp_path):
    source = folder(pa.int64(), pa.float64(), v=[2**53 + n for n in range(60)])
    with pytest.raises(DataError, match="cannot represent") as error:
        ma.protect_file(source, tmp_path / "out", k=3, quasi_identifiers=["age"], unit="v")
    assert str(2**53)[:6] not in str(error.value)


def test_an_assessment_reads_one_type(folder, tmp_path):
    source = folder(pa.int64(), pa.float64())
    assessed = ma.assess_file(source, source, quasi_identifiers=["v"])
    assert assessed.measures["k"] == 8


@pytest.mark.parametrize("other", ["", " 2", "02", "nan", "a%2Fb", "\x1b[31m", "é"])
def test_values_that_folders_name_are_numbers_only_where_all_are(tmp_path, other):
    """Arrow's own message would show a value."""
    table = pa.table({"age": np.arange(30)})
    for number, year in enumerate(("1", other)):
        folder = tmp_path / "in" / f"year={year}"
        folder.mkdir(parents=True)
        pq.write_table(table, folder / f"{number}.parquet")
    release = ma.protect_file(
        tmp_path / "in", tmp_path / "out", 3, quasi_identifiers=["age"], strata=["year"],
        memory="500MB",
    )  # fmt: skip
    parts = [path for path in release.paths["data"].rglob("*") if path.is_file()]
    assert {path.parent.name for path in parts} == {"year=1", f"year={other}"}
    assert ma.verify(release.paths["data"], release.paths["provenance"]).holds
