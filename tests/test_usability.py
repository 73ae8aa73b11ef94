"""Every mistake in Python gets an error that names what is wrong and the way out, and no record."""

import traceback

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import microagg as ma
from microagg.errors import AnonymityError, DataError, FileError, MicroaggError, ParameterError

N = 12
SECRETS = ("Xyzzy", "86420")  # stand for a person's values: no message may show them
RECORDS = {
    "id": list(range(N)),
    "age": [20 + i for i in range(N)],
    "income": [86420.5 + i for i in range(N)],
    "note": [f"Xyzzy {i}" for i in range(N)],
}
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def protect(kind, k=3, /, records=None, **arguments):
    roles = {"quasi_identifiers": ["age", "income"]}
    if "schema" in arguments or "quasi_identifiers" in arguments:
        roles = {}
    return ma.protect(KINDS[kind](records or RECORDS), k, **roles, **arguments)


def with_age(*values):
    return {**RECORDS, "age": [*values, *RECORDS["age"][len(values) :]]}


def first(count):
    return {name: column[:count] for name, column in RECORDS.items()}


# What is given, the kind of error, and words of it.
MISTAKES = {
    "no records": ({"records": first(0)}, DataError, "no records"),
    "one record": ({"records": first(1)}, DataError, "only 1 record"),
    "k more than n": ({"k": 13}, ParameterError, "integer from 2 to n=12. Got 13"),
    "k is 0": ({"k": 0}, ParameterError, "integer from 2 to n=12. Got 0"),
    "k is 1": ({"k": 1}, ParameterError, "integer from 2 to n=12. Got 1"),
    "k is text": ({"k": "5"}, ParameterError, "integer from 2 to n=12. Got '5'"),
    "k is a float": ({"k": 5.0}, ParameterError, "integer from 2 to n=12. Got 5.0"),
    "k is None": ({"k": None}, ParameterError, "integer from 2 to n=12. Got None"),
    "k is a column": ({"k": pd.Series(RECORDS["income"])}, ParameterError, "Got a Series"),
    "unknown method": ({"method": "mdva"}, ParameterError, "no method 'mdva'"),
    "method is data": ({"method": np.array(RECORDS["note"])}, ParameterError, "no method a ndarr"),
    "unknown column": ({"quasi_identifiers": ["agee"]}, ParameterError, "a column 'agee'"),
    "unknown identifier": ({"identifiers": ["idd"]}, ParameterError, "a column 'idd'"),
    "columns as data": (
        {"quasi_identifiers": pd.DataFrame(RECORDS)[["income"]]}, ParameterError, "list of column",
    ),
    "columns as array": (
        {"quasi_identifiers": np.array(RECORDS["note"])}, ParameterError, "a list of column",
    ),
    "one name": ({"quasi_identifiers": "age"}, ParameterError, "a list of column names"),
    "no quasi-identifier": ({"quasi_identifiers": []}, ParameterError, "at least one column"),
    "none at all": ({"quasi_identifiers": None}, ParameterError, "at least one column"),
    "text": (
        {"quasi_identifiers": ["note"], "kinds": {"note": "continuous"}}, DataError, "'note' contains",
    ),
    "truth values": (
        {"records": {**RECORDS, "age": [True, False] * 6}, "kinds": {"age": "continuous"}},
        DataError, "'age' contains Boolean",
    ),
    "weights": ({"weights": RECORDS["income"]}, ParameterError, "must be the name of a column"),
    "strata": ({"strata": RECORDS["income"]}, ParameterError, "only column names"),
    "hierarchy": ({"hierarchies": RECORDS["note"]}, ParameterError, "must map column names"),
    "rounding": ({"round_to": {"age": RECORDS["income"]}}, ParameterError, "Got a list"),
    "blank": ({"records": with_age(86420, None)}, DataError, "the first in data row 2"),
    "NaN": ({"records": with_age(86420.0, float("nan"))}, DataError, "1 missing value"),
    "infinity": ({"records": with_age(86420.0, float("inf"))}, DataError, "1 infinite value"),
    "huge": ({"records": with_age(8.642e200)}, DataError, "1 value"),
    "long integers": ({"records": with_age(8642000000000000000)}, DataError, "with a magnitude above 2^53"),
    "unknown scale": ({"scale": "zscor"}, ParameterError, "'scale' parameter"),
    "scale is data": ({"scale": RECORDS["income"]}, ParameterError, "'scale' parameter"),
    "unknown integers": ({"integers": "up"}, ParameterError, "'integers' parameter"),
    "bad seed": ({"seed": -1}, ParameterError, "'seed' parameter"),
    "unknown parameter": ({"gewicht": RECORDS["income"]}, ParameterError, "no parameter 'gewicht'"),
    "bad parameter": (
        {"parameters": {"effort": RECORDS["note"]}}, ParameterError, "'effort' parameter",
    ),
    "unknown schema entry": ({"schema": {"qi": ["age"]}}, ParameterError, "unknown entry 'qi'"),
    "schema is a path": ({"schema": "schema.toml"}, ParameterError, "must be a Schema"),
    "two roles": ({"confidential": ["age"]}, ParameterError, "is named as"),
    "unknown kind": ({"kinds": {"age": "number"}}, ParameterError, "kinds"),
}  # fmt: skip


def message_of(error: MicroaggError) -> str:
    """Return all that a user would see, chained errors included, less the lines of source."""
    shown = traceback.TracebackException.from_exception(error)
    texts = []
    while shown is not None:
        texts += list(shown.format_exception_only())
        shown = shown.__cause__ or (None if shown.__suppress_context__ else shown.__context__)
    return "".join(texts)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_with_the_way_out_and_without_a_record(kind, mistake):
    arguments, expected, words = MISTAKES[mistake]
    arguments = dict(arguments)
    with pytest.raises(expected) as caught:
        protect(kind, arguments.pop("k", 3), **arguments)
    shown = message_of(caught.value)
    assert words in caught.value.message
    assert not [secret for secret in SECRETS if secret in shown]


NEEDS_NO_HINT = {
    "one record",
    "two roles",
    "method is data",
    "scale is data",
    "unknown integers",
    "bad seed",
    "unknown parameter",
    "bad parameter",
    "unknown schema entry",
    "unknown kind",
    "strata",
    "rounding",
}  # the message itself lists what is allowed


@pytest.mark.parametrize("mistake", sorted(MISTAKES.keys() - NEEDS_NO_HINT))
def test_the_way_out_is_a_hint(mistake):
    arguments = dict(MISTAKES[mistake][0])
    with pytest.raises(MicroaggError) as caught:
        protect("polars", arguments.pop("k", 3), **arguments)
    assert caught.value.hint


def test_nothing_is_wrong_with_the_records_themselves():
    for kind in KINDS:
        assert protect(kind).measures["k"] >= 3


@pytest.mark.parametrize("kind", ["pandas", "pyarrow"])
def test_repeated_column_names(kind):
    if kind == "pandas":
        frame = pd.DataFrame([[86420.0, 1]] * 4, columns=["age", "age"])
    else:
        frame = pa.table([[86420.0] * 4, [1] * 4], names=["age", "age"])
    with pytest.raises(DataError, match="columns 1 and 2 share a name") as caught:
        ma.protect(frame, 2, quasi_identifiers=["age"])
    assert "86420" not in message_of(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_constant_columns_are_allowed(kind):
    constant = {**RECORDS, "age": [7] * N, "income": [0.1] * N}
    release = protect(kind, records=constant)
    assert release.measures["il"] == 0
    assert list(np.asarray(release.data["income"])) == [0.1] * N


def test_a_broken_promise_shows_no_record(tmp_path):
    release = protect("pandas")
    release.data.loc[0, "income"] = 86420.123
    with pytest.raises(AnonymityError) as caught:
        release.save(tmp_path)
    assert not [secret for secret in SECRETS if secret in message_of(caught.value)]


def test_what_a_release_says_of_itself_shows_no_record():
    release = protect("polars")
    texts = [repr(release), release.summary(), repr(release.partition), repr(release.provenance)]
    assert not [secret for secret in SECRETS for text in texts if secret in text]


def test_errors_are_of_the_kinds_that_python_knows():
    assert issubclass(ParameterError, ValueError)
    assert issubclass(DataError, ValueError)
    assert all(issubclass(kind, MicroaggError) for kind in (ParameterError, DataError, FileError))


def test_errors_survive_a_pickle_because_workers_send_them():
    import pickle

    error = pickle.loads(pickle.dumps(ParameterError("The 'k' parameter.", hint="Give 5.")))
    assert (type(error), error.message, error.hint) == (
        ParameterError,
        "The 'k' parameter.",
        "Give 5.",
    )


@pytest.mark.parametrize(
    ("keyword", "meant"),
    [
        ("identifier", "identifiers"),
        ("quasi_identifier", "quasi_identifiers"),
        ("qi", "quasi_identifiers"),
        ("ids", "identifiers"),
        ("sensitive", "confidential"),
        ("Seed", "seed"),
    ],
)
def test_a_keyword_that_is_nearly_one_of_ours_is_named_before_all_else(keyword, meant):
    with pytest.raises(ParameterError) as caught:
        ma.protect(pd.DataFrame(RECORDS), k=0, **{keyword: ["note"]})
    assert caught.value.message == f"protect has no parameter '{keyword}'."
    assert caught.value.hint == f"Did you mean '{meant}'?"


def test_a_keyword_that_nobody_has():
    with pytest.raises(ParameterError, match="protect has no parameter 'zzz'"):
        ma.protect(pd.DataFrame(RECORDS), k=0, zzz=1)


def test_a_parameter_of_a_method_goes_into_parameters():
    with pytest.raises(ParameterError, match="no parameter 'effort'") as caught:
        ma.protect(pd.DataFrame(RECORDS), k=0, effort="quick")
    assert "go into parameters={'effort': ...}. These methods have it: auto" in caught.value.hint
    with pytest.raises(ParameterError, match="has no parameter 'efort'") as caught:
        protect("pandas", parameters={"efort": "quick"})
    assert caught.value.hint == "Did you mean 'effort'?"


OLD_NAMES = {
    "p_sensitive": lambda: ma.protect(None, 2, p_sensitive=2),
    "weight": lambda: ma.compare(None, 2, weight=0.5),
    "key": lambda: ma.assess(None, None, key="id"),
    "block_size": lambda: ma.protect_file("a", "b", 2, block_size=10),
    "method_params": lambda: ma.Microaggregator(method_params={}),
    "face": lambda: ma.Release.write(None, {}, face="external"),
}


@pytest.mark.parametrize("name", OLD_NAMES)
def test_an_old_name_is_answered_by_the_new_one(name):
    with pytest.raises(ParameterError, match=f"no longer has a parameter '{name}'") as caught:
        OLD_NAMES[name]()
    assert "It is now called" in caught.value.hint


def test_old_attributes_are_answered_by_the_new_ones():
    frame = pd.DataFrame(RECORDS)
    assessment = ma.assess(frame, protect("pandas").data, measures=["k"])
    with pytest.raises(AttributeError, match="it is now called 'loss_weight'"):
        _ = assessment.weight
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        _ = assessment.colour


@pytest.mark.parametrize("code", ["NA", "?", "NULL"])
def test_a_missing_code_in_python(code):
    table = pa.table({"age": [*["86420", "86421"] * 5, code]})
    with pytest.raises(DataError, match="looks like a missing-value code") as caught:
        ma.protect(table, 2, quasi_identifiers=["age"])
    assert f"'{code}' in 1 record, the first in data row 11" in caught.value.message
    assert "86420" not in str(caught.value)


@pytest.mark.parametrize("rows", [[["Xyzzy", "1"], ["2", "3"]], np.array([["Xyzzy"], ["1"]])])
def test_the_estimator_shows_no_value_of_text(rows):
    for X in (rows, np.array(rows, dtype=object), pd.DataFrame(rows)):
        with pytest.raises(ValueError, match=r"must contain numbers|names must be text") as caught:
            ma.Microaggregator(k=2).fit(X)
        assert "Xyzzy" not in "".join(traceback.format_exception(caught.value, chain=True)[-1:])
        assert caught.value.__context__ is None


def test_a_folder_that_is_named_like_a_file(tmp_path):
    release = protect("pandas")
    with pytest.raises(ParameterError, match="must be a folder") as caught:
        release.save(tmp_path / "x.csv")
    assert "release.write" in caught.value.hint
    assert list(tmp_path.iterdir()) == []
    release.write({"data": str(tmp_path / "x.csv")})
    assert (tmp_path / "x.csv").is_file()


@pytest.mark.parametrize("kind", KINDS)
def test_any_frame_can_be_written_and_nothing_is_replaced_unasked(kind, tmp_path):
    path = tmp_path / "people.parquet"
    ma.write_file(KINDS[kind](RECORDS), path)
    assert ma.read_file(path).to_pydict() == RECORDS
    with pytest.raises(FileError, match="exists already") as caught:
        ma.write_file(KINDS[kind](RECORDS), path)
    assert "overwrite=True" in caught.value.hint
    ma.write_file(KINDS[kind](RECORDS), path, overwrite=True)


def test_what_is_no_frame_cannot_be_written(tmp_path):
    with pytest.raises(ParameterError, match=r"in memory\. Got dict"):
        ma.write_file(RECORDS, tmp_path / "people.csv")
    assert list(tmp_path.iterdir()) == []
