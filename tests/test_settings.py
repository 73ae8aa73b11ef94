"""Every option is declared once; all else about it follows."""

import json
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from microagg.data.frames import Frame
from microagg.declare import options_of, parsed
from microagg.errors import DataError, FileError, MicroaggError, ParameterError
from microagg.reading import Reading
from microagg.schema import Schema
from microagg.settings import Settings
from microagg.values_by_name import read_parameters

TABLE = pd.DataFrame({"age": [1, 2, 3, 4], "pay": [1.5, 2, 3, 4], "ill": list("abab")})


def made(**values):
    return Settings.create(**{"k": 2, "quasi_identifiers": ["age", "pay"], **values})


def test_values_are_normalised():
    settings = made(
        k=np.int64(3),
        quasi_identifiers=np.array(["age", "pay"]).tolist(),
        strata="ill",
        refine="swap-shift",
        t_closeness=1,
        kinds=None,
        segments=[["age"], ["pay"]],
    )
    assert type(settings.k) is int
    assert settings.quasi_identifiers == ("age", "pay")
    assert (settings.strata, settings.refine) == (("ill",), ("swap-shift",))
    assert type(settings.t_closeness) is float
    assert settings.kinds == {}
    assert settings.segments == (("age",), ("pay",))
    assert settings.schema == Schema(("age", "pay"))


def test_the_scale_follows_the_distance():
    assert made().scale == "zscore"
    assert made(distance="gower").scale == "range"


WRONG = {
    "k": ({"k": 1}, "must be an integer of at least 2. Got 1."),
    "k is true": ({"k": True}, "Got True"),
    "roles": ({"quasi_identifiers": "age"}, "must be a list of column names"),
    "no role": ({"quasi_identifiers": None}, "must name at least one column"),
    "two roles": ({"confidential": ["age"]}, "is named as quasi-identifier and as confidential"),
    "kinds": ({"kinds": {"age": "number"}}, "for column 'age'. Got 'number'"),
    "orders": ({"orders": {"age": 1}}, "must list the categories"),
    "method": ({"method": 3}, "must be text"),
    "parameters": ({"parameters": [1]}, "names of the method's parameters"),
    "refine": ({"refine": 3}, "must be a name, or a list of them"),
    "scale": ({"scale": "zscor"}, "must be 'zscore', 'range' or 'none'"),
    "scale of gower": ({"scale": "none", "distance": "gower"}, "divides by the range"),
    "weights": ({"weights": [1.5]}, "must be the name of a column"),
    "strata": ({"strata": [1.5]}, "only column names"),
    "round_to": ({"round_to": {"age": 0}}, "a number above 0 for column 'age'"),
    "hierarchies": ({"hierarchies": ["x"]}, "must map column names"),
    "hierarchy and table": (
        {"hierarchies": {"age": [["a", "*"]]}, "distance_tables": {"age": {"a": {"b": 1}}}},
        "has both a hierarchy and a distance table",
    ),
    "hybrid": ({"aggregate": "hybrid", "integers": "round"}, 'with aggregate="hybrid"'),
    "small_strata": ({"small_strata": "merge"}, "applies to strata, but there are none"),
    "l_diversity": ({"l_diversity": 1}, "an integer of at least 2"),
    "t_closeness": ({"t_closeness": 2}, "a number from 0 to 1"),
    "seed": ({"seed": -1}, "an integer of at least 0"),
    "schema and roles": ({"schema": {"quasi_identifiers": ["age"]}}, "specified twice"),
    "unknown": ({"kindz": {}}, "protect has no parameter 'kindz'"),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_what_is_wrong_is_named(mistake):
    values, words = WRONG[mistake]
    with pytest.raises(ParameterError) as caught:
        made(**values)
    assert words in caught.value.message


def test_the_parameter_is_part_of_the_error():
    with pytest.raises(ParameterError) as caught:
        made(round_to={"age": 0})
    assert caught.value.parameters == ("round_to",)


def test_columns_and_k_are_checked_against_the_table():
    made(table=Frame(TABLE), weights="age", strata="ill")
    for name in ("identifiers", "confidential", "strata"):
        with pytest.raises(ParameterError, match="'salry' that is not in the data") as caught:
            made(table=Frame(TABLE), **{name: ["salry"]})
        assert caught.value.parameters == (name,)
    with pytest.raises(ParameterError, match="'ill', which is not a quasi-identifier"):
        made(table=Frame(TABLE), round_to={"ill": 1})
    with pytest.raises(ParameterError, match="from 2 to n=4"):
        made(table=Frame(TABLE), k=5)
    with pytest.raises(DataError, match="no records"):
        made(table=Frame(TABLE[:0]))


def test_a_schema_is_the_same_as_roles_one_by_one():
    roles = {"quasi_identifiers": ["age"], "kinds": {"age": "ordinal"}, "orders": {"age": [1, 2]}}
    by_name = Settings.create(k=2, **roles)
    assert by_name == Settings.create(k=2, schema=Schema(**roles))
    assert by_name == Settings.create(k=2, schema=roles)


def test_without_k_nothing_is_grouped():
    settings = Settings.create("assess", distance="gower")
    assert (settings.k, settings.quasi_identifiers) == (0, ())


ALL = {
    "k": 3,
    "quasi_identifiers": ["age", "pay"],
    "identifiers": ["id"],
    "confidential": ["ill"],
    "kinds": {"age": "ordinal", "pay": "nominal"},
    "orders": {"age": [1, 2, 3]},
    "date_format": {"age": "%Y"},
    "method": "v-mdav",
    "parameters": {"gamma": 0.3},
    "refine": ["swap-shift"],
    "columns": ["age"],
    "segments": 2,
    "seed": 7,
    "engine": "auto",
    "scale": "range",
    "distance": "gower",
    "column_weights": {"age": 2},
    "hierarchies": {"pay": [["a", "*"], ["b", "*"]]},
    "distance_tables": {"age": {"a": {"b": 2.5}}},
    "aggregate": {"age": "median"},
    "integers": "round",
    "round_to": {"age": 0.5},
    "missing": "group",
    "index": "keep",
    "weights": "w",
    "strata": ["region"],
    "small_strata": "merge",
    "l_diversity": 2,
    "t_closeness": 0.3,
    "target": "ill",
    "unit": "id",
    "strict": True,
}


def test_all_options_go_through_json():
    assert ALL.keys() == options_of(Settings).keys()  # a new option belongs here
    settings = Settings.create(**ALL)
    content = json.loads(json.dumps(settings.as_dict()))
    assert content.keys() == ALL.keys()
    assert Settings.from_dict(content) == settings


def test_only_what_differs_from_defaults_is_recorded():
    assert made().as_dict() == {
        "k": 2,
        "quasi_identifiers": ["age", "pay"],
        "method": "auto",
        "seed": 0,
        "scale": "zscore",
    }


@pytest.mark.parametrize("name", [1, True, np.int64(3), "1"])
def test_column_names_that_are_not_text_are_kept(name):
    by_column = {"kinds": {name: "continuous"}, "round_to": {name: 2}, "aggregate": {name: "mean"}}
    settings = Settings.create(k=2, quasi_identifiers=[name], weights=name, **by_column)
    content = json.loads(json.dumps(settings.as_dict()))
    again = Settings.from_dict(content)
    assert again == settings
    assert [type(key) for key in again.kinds] == [type(key) for key in settings.kinds]
    frame = Frame(pd.DataFrame({name: [1, 2]}))
    again.require_columns(frame)


def test_what_does_not_apply_is_refused_by_place():
    settings = made(missing="group", refine="swap-shift", segments=1, seed=3)
    assert settings.refused("large") == ("refine", "segments")
    assert settings.refused("mixed") == ("segments",)
    assert settings.refused("masking", "Records") == ("missing",)
    assert settings.refused("memory") == ()


TEXTS = {
    "k": (5, 5),
    "quasi_identifiers": (["age,pay", "a, b"], ["age", "pay", "a, b"]),
    "kinds": (["age=ordinal,zip=nominal"], {"age": "ordinal", "zip": "nominal"}),
    "orders": (["g=low, mid", "h=a,b"], {"g": ["low", "mid"], "h": ["a", "b"]}),
    "columns": (["emad:3"], "emad:3"),
    "date_format": (["age=%d.%m.%Y"], {"age": "%d.%m.%Y"}),
    "segments": (["age,pay", "a, b"], [["age", "pay"], ["a, b"]]),
    "parameters": (["gamma=0.3", "x=a=b"], {"gamma": "0.3", "x": "a=b"}),
    "refine": (["swap-shift,decompose"], ["swap-shift", "decompose"]),
    "aggregate": (["hybrid"], "hybrid"),
    "round_to": (["age=0.5", "pay=2"], {"age": 0.5, "pay": 2.0}),
    "strata": (["region,sex"], ["region", "sex"]),
    "hierarchies": (["age=x.csv"], {"age": "x.csv"}),
    "missing": ("group", "group"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_text_of_the_command_line(name):
    text, value = TEXTS[name]
    assert parsed(Settings, {name: text}, ["age", "pay", "a, b"]) == {name: value}


def test_segments_by_number_unless_a_column_is_called_so():
    assert parsed(Settings, {"segments": ["3"]}, ["age"]) == {"segments": 3}
    assert parsed(Settings, {"segments": ["3"]}, ["3"]) == {"segments": [["3"]]}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("kinds", ["age"], "must be column=value. Got 'age'"),
        ("round_to", ["age=x"], "must contain a number for each column"),
        ("parameters", ["gamma"], "must be name=value"),
    ],
)
def test_text_that_means_nothing(name, text, words):
    with pytest.raises(ParameterError) as caught:
        parsed(Settings, {name: text})
    assert words in caught.value.message
    assert caught.value.parameters == (name,)


def test_what_is_not_given_is_not_there():
    assert parsed(Settings, {"k": None, "strata": [], "missing": None}) == {}


def test_parameters_are_read_as_the_method_reads_them():
    from microagg.constraints import IsInteger, IsNumber

    known = {"a": IsNumber(), "b": IsInteger()}
    assert read_parameters({"a": "0.5", "b": "x", "c": "1"}, known) == {
        "a": 0.5, "b": "x", "c": "1",
    }  # fmt: skip


def test_hierarchies_are_read_from_files(tmp_path):
    path = tmp_path / "levels.csv"
    path.write_text("1;few;*\n2;few;*\n")
    settings = made(hierarchies={"age": path})
    assert settings.hierarchies == {"age": [["1", "few", "*"], ["2", "few", "*"]]}
    with pytest.raises(FileError):
        made(hierarchies={"age": tmp_path / "none.csv"})


def test_every_option_says_what_it_is():
    for declaration in (Settings, Reading):
        for name, each in options_of(declaration).items():
            assert each.help.endswith("."), name
            assert each.flags[-1] == f"--{name.replace('_', '-')}"
            assert each.form.annotation
            assert each.form.words
            if not each.required:
                each.form.checked(each.default, name, "test")


def test_reading():
    reading = Reading.create(separator=";", blank=["?", "a,b"])
    assert reading.form() == {"separator": ";"}
    assert reading.as_dict() == {"separator": ";", "blank": ["?", "a,b"]}
    assert Reading.create(**reading.as_dict()) == reading
    assert parsed(Reading, {"blank": ["?,!"], "numeric_names": True}) == {
        "blank": ["?,!"], "numeric_names": True,
    }  # fmt: skip
    with pytest.raises(MicroaggError, match="'separator'"):
        Reading.create(separator=3)


def test_an_option_is_one_field():
    from microagg.constraints import IsInteger
    from microagg.declare import option

    @dataclass(frozen=True)
    class More(Settings):
        sparkle: int | None = option(
            IsInteger(1), "How much.", "Release", default=None, places=("memory",)
        )

    settings = More.create(k=2, quasi_identifiers=["age"], sparkle=3)
    assert settings.as_dict()["sparkle"] == 3
    assert More.from_dict(settings.as_dict()) == settings
    with pytest.raises(ParameterError, match="'sparkle' parameter of protect must be an integer"):
        More.create(k=2, quasi_identifiers=["age"], sparkle=0)
