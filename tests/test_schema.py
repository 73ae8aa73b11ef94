"""Schema: the role and kind of each column, by arguments or from TOML."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import microagg as ma
from microagg.errors import FileError, MicroaggError, ParameterError

SCHEMA = ma.Schema(
    ["age", "income"], identifiers=["name"], confidential=["ill"], kinds={"age": "continuous"}
)


def test_roles():
    roles = [SCHEMA.role(name) for name in ("name", "age", "ill", "city")]
    assert roles == ["identifier", "quasi-identifier", "confidential", "other"]


def test_lists_tuples_and_sets_are_kept_as_tuples_in_a_fixed_order():
    assert ma.Schema(("b", "a")).quasi_identifiers == ("b", "a")
    assert ma.Schema({"b", "c", "a"}).quasi_identifiers == ("a", "b", "c")
    assert ma.Schema([1, 0]).quasi_identifiers == (1, 0)


def test_it_does_not_change():
    kinds = {"age": "continuous"}
    schema = ma.Schema(["age"], kinds=kinds)
    kinds["age"] = "nominal"
    assert schema.kinds == {"age": "continuous"}
    with pytest.raises(AttributeError):
        schema.identifiers = ("age",)


def test_the_dict_makes_the_same_schema():
    assert ma.Schema.from_dict(SCHEMA.as_dict()) == SCHEMA
    assert ma.Schema(**SCHEMA.as_dict()) == SCHEMA


names = st.lists(st.text(min_size=1), min_size=3, max_size=9, unique=True)


@given(names)
@example(["0", "\x7f", '"\\\n'])
def test_toml_comes_back_whatever_the_names(tmp_path_factory, columns):
    schema = ma.Schema(columns[:1], columns[1:2], columns[2:], {columns[0]: "continuous"})
    path = tmp_path_factory.mktemp("toml") / "schema.toml"
    path.write_text(schema.to_toml(), encoding="utf-8", newline="")
    assert ma.Schema.from_toml(path) == schema


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"quasi_identifiers": []}, "must name at least one column"),
        ({"quasi_identifiers": "age"}, "must be a list of column names. Got 'age'"),
        ({"quasi_identifiers": 5}, "must be a list of column names. Got 5"),
        ({"quasi_identifiers": None}, "must be a list of column names. Got None"),
        ({"quasi_identifiers": [["age"]]}, "only column names"),
        ({"quasi_identifiers": [None]}, "only column names"),
        ({"quasi_identifiers": ["age", "age"]}, "names 'age' more than once"),
        ({"quasi_identifiers": ["age"], "identifiers": "name"}, "'identifiers' parameter must be"),
        ({"quasi_identifiers": ["age"], "identifiers": ["age"]},
         "'age' is named as identifier and as quasi-identifier"),
        ({"quasi_identifiers": ["age"], "confidential": ["age"]},
         "'age' is named as quasi-identifier and as confidential"),
        ({"quasi_identifiers": ["age"], "kinds": {"age": "continous"}}, "Got 'continous'"),
        ({"quasi_identifiers": ["age"], "kinds": {"age": ["nominal"]}}, "Got a list"),
        ({"quasi_identifiers": ["age"], "kinds": "continuous"}, "'kinds' parameter must map"),
        ({"quasi_identifiers": ["age"], "kinds": ["age"]}, "'kinds' parameter must map"),
        ({"quasi_identifiers": ["age"], "orders": ["age"]}, "'orders' parameter must map"),
        ({"quasi_identifiers": ["age"], "orders": {"age": "low"}}, "must list the categories"),
        (
            {"quasi_identifiers": ["age"], "orders": {"age": ["a"]}, "kinds": {"age": "nominal"}},
            "'age' has an order, but its kind is nominal",
        ),
    ],
)  # fmt: skip
def test_what_is_no_schema(arguments, message):
    with pytest.raises(ParameterError) as caught:
        ma.Schema(**arguments)
    assert message in caught.value.message


def test_hints():
    with pytest.raises(ParameterError, match="list") as caught:
        ma.Schema("age")
    assert caught.value.hint == "Write quasi_identifiers=['age']."
    with pytest.raises(ParameterError, match="at least one") as caught:
        ma.Schema([])
    assert "microagg schema FILE" in caught.value.hint


def test_other_columns_may_be_of_any_kind():
    schema = ma.Schema(["age"], kinds={"city": "nominal", "grade": "ordinal"})
    assert schema.kinds["city"] == "nominal"


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("quasi_identifiers = [", FileError, "cannot be read as TOML"),
        ("quasi_identifier = ['age']", ParameterError, "unknown entry 'quasi_identifier'"),
        ("", ParameterError, "at least one column"),
        ("identifiers = ['a']", ParameterError, "at least one column"),
        ("quasi_identifiers = 'age'", ParameterError, "must be a list"),
        ("quasi_identifiers = ['age']\nkinds = 'x'", ParameterError, "'kinds' parameter must map"),
        ("quasi_identifiers = ['age']\n[kinds]\nage = 'x'", ParameterError, "Got 'x'"),
    ],
)
def test_bad_schema_files(tmp_path, text, kind, message):
    path = tmp_path / "schema.toml"
    path.write_text(text)
    with pytest.raises(kind) as caught:
        ma.Schema.from_toml(path)
    assert message in caught.value.message


def test_schema_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileError, match="There is no schema file"):
        ma.Schema.from_toml(tmp_path / "none.toml")
    with pytest.raises(FileError, match="cannot be read"):
        ma.Schema.from_toml(tmp_path)
    path = tmp_path / "latin.toml"
    path.write_bytes("quasi_identifiers = ['größe']".encode("latin-1"))
    with pytest.raises(FileError, match="cannot be read"):
        ma.Schema.from_toml(path)


@pytest.mark.parametrize(
    "text",
    ['"' * 400_000, 'a="' + '\\"' * 300_000, "a=1" + "0" * 400_000, "a=" + "1_" * 300_000 + "1"],
    ids=["quotation marks", "text", "digits", "separated digits"],
)
def test_long_schema_files_are_refused_in_linear_time(text, tmp_path):
    path = tmp_path / "long.toml"
    path.write_text(text)
    with pytest.raises(MicroaggError):
        ma.Schema.from_toml(path)


DEEP = ".".join(["a"] * 17) + " = 1"


@pytest.mark.parametrize(
    "text",
    [
        DEEP,
        f"b = ['a', {{{DEEP}}}]",
        f'# """\n{DEEP}',
        f"# it's\n{DEEP}",
        f'b = """\n"\n"""\n{DEEP}',
    ],
    ids=["alone", "in a table", "after a comment", "after an apostrophe", "after text"],
)
def test_deep_keys_are_refused_and_text_is_none(text, tmp_path):
    path = tmp_path / "deep.toml"
    path.write_text(text)
    with pytest.raises(FileError, match="nested too deeply"):
        ma.Schema.from_toml(path)
    names = [DEEP, f"it's {DEEP}", f'"{DEEP}']
    path.write_text(ma.Schema(quasi_identifiers=names).to_toml())
    assert ma.Schema.from_toml(path).quasi_identifiers == tuple(names)


@pytest.mark.parametrize("schema", ["schema.toml", 5, [("quasi_identifiers", ["age"])]])
def test_only_a_mapping_makes_a_schema(schema):
    with pytest.raises(ParameterError, match="must be a Schema or a mapping") as caught:
        ma.Schema.from_dict(schema)
    assert "from_toml" in caught.value.hint


def test_a_schema_file_may_begin_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(SCHEMA.to_toml(), encoding="utf-8-sig")
    assert ma.Schema.from_toml(path) == SCHEMA
