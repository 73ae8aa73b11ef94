"""Every mistake gets a clear word and an exit code, writes nothing and shows no record."""

import json
import os
import shutil
from pathlib import Path

import pytest

from microagg.data.files import read_file, write_file, write_table

HEADER = "id,age,income,note\n"
ROWS = [f"{i},{20 + i},{86420.5 + i},Xyzzy {i}\n" for i in range(12)]
RECORDS = HEADER + "".join(ROWS)
GOOD = ["-k", "3", "--qi", "age,income", "-o", "release.csv"]


def test_the_records_would_be_released_if_nothing_were_wrong(microagg, records):
    said = microagg("protect", records, *GOOD)
    assert said.code == 0
    assert "Xyzzy" in Path("release.csv").read_text()


CONTENTS = {
    "empty": ("", "is empty (0 bytes)"),
    "header only": (HEADER, "has a header but no records"),
    "one row": (HEADER + ROWS[0], "only 1 record"),
    "blank lines": ("\n\n", "only blank lines"),
    "fewer than k": (HEADER + ROWS[0] + ROWS[1], "'-k' option must be an integer from"),
    "text": (RECORDS + "12,Xyzzy,86420,x\n", "contains text in 1 record, the first in data row 13"),
    "blank": (RECORDS + "12,,86420,x\n", "1 missing value, the first in data row 13"),
    "NaN": (RECORDS + "12,nan,86420,x\n", "'age' has 1 missing value"),
    "infinity": (RECORDS + "12,-inf,86420,x\n", "'age' has 1 infinite value"),
    "beyond 2^53": (RECORDS + "12,8642000000000000000,86420,x\n", "with a magnitude above 2^53"),
    "beyond 1e150": (RECORDS + "12,8.6420e200,86420,x\n", "'age' has 1 value"),
    "repeated names": ("id,age,age,note\n" + "".join(ROWS), "more than one column of the same name"),
    "nameless column": ("id,age,,note\n" + "".join(ROWS), "Column 3 of"),
    "too many fields": (RECORDS + "12,40,86420,Xyzzy,x\n", "Line 14 of"),
    "open quote": (RECORDS + '12,40,86420,"Xyzzy\n', "quoted field"),
    "parquet inside": ("PAR1 Xyzzy 86420", "it is a Parquet file"),
    "zero bytes": (RECORDS + "12,40,86420,Xyzzy\0\n", "NUL bytes"),
}  # fmt: skip


@pytest.mark.parametrize("case", CONTENTS)
def test_files_that_cannot_be_used(refused, records, case):
    content, words = CONTENTS[case]
    records.write_text(content)
    assert words in refused("protect", records, *GOOD)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-k", "0"], "'-k' option must be an integer from 2 to n=12. Got 0."),
        (["-k", "1"], "must be an integer from 2 to n=12. Got 1."),
        (["-k", "-5"], "must be an integer from 2 to n=12. Got -5."),
        (["-k", "3", "--confidential", "note", "--l-diversity", "0"], "of at least 2. Got 0."),
        (["-k", "3", "--provenance", "a.json", "--schema", "b.toml"], "but --schema is also set"),
        (["-k", "3", "--provenance", "none.json"], "There is no provenance file 'none.json'"),
        (["-k", "13"], "Got 13. Hint: k is the minimum group size, and there are 12 records"),
        ([], "'-k' option is missing"),
        (["-k", "3", "--qi", "agee"], "'agee' that is not in the data. Hint: Did you mean 'age'?"),
        (["-k", "3", "--qi", ","], "must name at least one column"),
        (["-k", "3", "--qi", "age,age"], "names 'age' more than once"),
        (["-k", "3", "--id", "age"], "'age' is named as identifier and as quasi-identifier"),
        (["-k", "3", "--id", "idd"], "'--id' option names a column 'idd'"),
        (["-k", "3", "--confidential", "nota"], "Did you mean 'note'?"),
        (["-k", "3", "--unit", "idd"], "The '--unit' option names a column 'idd'"),
        (["-k", "3", "--report", "report.pdf"], "cannot be named 'report.pdf'. Hint: Use a name"),
        (["-k", "3", "--engine", "cuda"], "or set --engine cpu"),
        (["-k", "3", "--method", "mdva"], "There is no method 'mdva'."),
        (["-k", "3", "--method", "mdva"], "Did you mean 'mdav'?"),
        (["-k", "3", "--set", "gamma=1"], "auto has no parameter 'gamma'. It takes: effort, time_limit."),
        (["-k", "3", "--set", "efort=best"], "Did you mean 'effort'?"),
        (["-k", "3", "--set", "effort=all"], "must be 'quick', 'normal' or 'best'. Got 'all'."),
        (["-k", "3", "--set", "leftovers"], "'--set' option must be name=value"),
        (["-k", "3", "--set", "effort=best", "--set", "effort=quick"], "has two values for 'effort'"),
        (["-k", "3", "--kinds", "income=ordinal,income=nominal"], "has two values for 'income'"),
        (["-k", "3", "--round-to", "income=1", "--round-to", "income=5"], "two values for 'income'"),
        (["-k", "3", "--scale", "zscores"], "'--scale' option"),
        (["-k", "3", "--integers", "rund"], "'--integers' option must be"),
        (["-k", "3", "--seed", "-1"], "'--seed' option must be an integer of at least 0"),
        (["-k", "3", "--encoding", "utf-9"], "'--encoding' option"),
        (["-k", "3", "--encoding", "utf-16"], "people.csv"),
        (["-k", "3", "--decimal", ";"], "'--decimal' option must be '.' or ','"),
        (["-k", "3", "--separator", ",,"], "'--separator' option"),
        (["-k", "3", "--separator", ";"], "a column 'income' that is not in the data"),
        (["-k", "3", "--schema", "none.toml"], "There is no schema file 'none.toml'"),
        (["--repeat", "none.json"], "There is no provenance file 'none.json'"),
        (["-k", "3", "--json"], "'--json' option needs --output"),
    ],
)  # fmt: skip
def test_options_that_cannot_be_used(refused, records, arguments, words):
    chosen = [] if {"--schema", "--repeat"} & set(arguments) else ["--qi", "income"]
    if "--qi" in arguments or "--id" in arguments:
        chosen = [] if "--qi" in arguments else ["--qi", "age"]
    output = [] if "--json" in arguments else ["-o", "release.csv"]
    assert words in refused("protect", records, *arguments, *chosen, *output)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-k", "three"], "Invalid value for '-k'"),
        (["-k", "2.5"], "Invalid value for '-k'"),
        (["--seed", "x"], "Invalid value for '--seed'"),
        (["--wheights", "w"], "No such option"),
        (["--metod", "mdav"], "--metod"),
        (["more.csv"], "unexpected extra argument"),
    ],
)
def test_words_that_the_command_line_does_not_know(refused, records, arguments, words):
    found = refused("protect", records, "--qi", "age", *arguments, code=2)
    assert words in found


def test_spaces_after_commas(refused):
    words = refused("protect", "people.csv", "-k", "3", "--qi", "age,", "income", code=2)
    assert "unexpected extra argument" in words
    assert "Hint: Write lists without spaces after the commas" in words


@pytest.mark.parametrize(("word", "kind"), [("date", "continuous"), ("categorical", "nominal")])
def test_kinds_that_have_other_names_elsewhere(refused, records, word, kind):
    options = ["-k", "3", "--qi", "age", "--kinds", f"age={word}", "-o", "release.csv"]
    assert f"Hint: Did you mean '{kind}'?" in refused("protect", records, *options)


def test_a_hierarchy_without_a_code_for_missing_values(refused, records):
    records.write_text("age,job\n" + "30,nurse\n31,?\n32,baker\n" * 3)
    Path("jobs.csv").write_text("nurse;care;*\nbaker;food;*\n")
    options = ["-k", "3", "--qi", "age,job", "--hierarchy", "job=jobs.csv", "-o", "release.csv"]
    words = refused("protect", records, *options)
    assert "lacks 1 of the 3 categories" in words
    assert "declare it: --blank '?'." in words


def test_no_file_named(refused):
    assert "FILE" in refused("protect", "-k", "3", code=2)


def test_no_quasi_identifier_says_how_to_find_some(refused, records):
    words = refused("protect", records, "-k", "3", "-o", "release.csv")
    assert "must name at least one column" in words
    assert "microagg schema FILE" in words


@pytest.mark.parametrize("command", [["protect", "-k", "3", "--qi", "age"], ["schema"]])
def test_a_file_that_is_not_there(refused, records, command):
    words = refused(command[0], "peple.csv", *command[1:])
    assert "There is no file 'peple.csv'." in words
    assert "Did you mean 'people.csv'?" in words
    Path("folder.csv").mkdir()
    assert "is a folder" in refused(command[0], "folder.csv", *command[1:])
    shutil.copy(records, "people.xlsx")
    assert "suffix of 'people.xlsx'" in refused(command[0], "people.xlsx", *command[1:])


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".csv.gz", ".sav"])
def test_a_file_that_is_not_what_its_suffix_says(refused, records, suffix):
    wrong = records.with_name(f"wrong{suffix}")
    shutil.copy(records, wrong)
    assert f"wrong{suffix}' is not" in refused("protect", wrong, *GOOD)


def test_text_in_a_typed_file_is_no_number(refused, records):
    typed = records.with_suffix(".parquet")
    write_file(read_file(records), typed)
    options = ["-k", "3", "--qi", "note", "--kinds", "note=continuous", "-o", "release.csv"]
    assert "'note' contains text" in refused("protect", typed, *options)


class TestOutput:
    def test_the_input_itself(self, refused, records):
        for name in ("people.csv", "./people.csv", "../work/people.csv", str(records)):
            options = ["-k", "3", "--qi", "age", "--overwrite", "-o", name]
            assert "is the input itself" in refused("protect", records, *options)

    def test_the_input_by_another_name(self, refused, records):
        Path("link.csv").symlink_to(records)
        os.link(records, "second.csv")
        for name in ("link.csv", "second.csv"):
            options = ["-k", "3", "--qi", "age", "--overwrite", "-o", name]
            assert "is the input itself" in refused("protect", records, *options)
            assert "is the input itself" in refused("protect", name, *options[:-1], "people.csv")

    def test_the_input_as_the_file_of_groups(self, refused, records):
        source = records.rename("release.groups.csv")
        options = ["-k", "3", "--qi", "age", "--overwrite", "-o", "release.csv"]
        assert "is the input itself" in refused("protect", source, *options)

    def test_no_right_to_write(self, refused, records, monkeypatch):
        real = os.mkdir

        def closed(path, *more, **options):
            if Path(path).resolve().parent.name == "closed":
                raise PermissionError(13, "Permission denied", str(path))
            return real(path, *more, **options)

        Path("closed").mkdir()
        monkeypatch.setattr(os, "mkdir", closed)
        words = refused("protect", records, "-k", "3", "--qi", "age", "-o", "closed/r.csv")
        assert "There is no permission to write 'closed/r.csv'" in words

    @pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="root may write anywhere")
    def test_no_right_to_write_in_earnest(self, refused, records):
        Path("closed").mkdir(mode=0o500)
        words = refused("protect", records, "-k", "3", "--qi", "age", "-o", "closed/r.csv")
        assert "There is no permission to write" in words

    @pytest.mark.parametrize(
        ("output", "words"),
        [
            ("none/release.csv", "there is no folder"),
            ("release.xlsx", "suffix of 'release.xlsx' is not supported"),
            ("release", "suffix of 'release' is not supported"),
            ("release.sas7bdat", ".xpt"),
        ],
    )
    def test_a_place_where_nothing_can_be_written(self, refused, records, output, words):
        assert words in refused("protect", records, "-k", "3", "--qi", "age", "-o", output)

    def test_a_folder_of_that_name(self, refused, records):
        Path("release.csv").mkdir()
        options = ["-k", "3", "--qi", "age", "--overwrite", "-o", "release.csv"]
        assert "'release.csv' is a folder" in refused("protect", records, *options)

    def test_a_disk_that_is_full(self, refused, records, monkeypatch):
        def full(*_, **__):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("microagg.release.Release._write_groups", full)
        assert "The disk is full" in refused("protect", records, *GOOD)


SCHEMAS = {
    "quasi_identifiers = ['age'": "cannot be read as TOML",
    "quasi_identifier = ['age']": "Did you mean 'quasi_identifiers'?",
    "quasi_identifiers = 'age'": "must be a list of column names. Got 'age'",
    "quasi_identifiers = [['age']]": "only column names",
    "quasi_identifiers = []": "at least one column",
    "quasi_identifiers = ['agee']": "Did you mean 'age'?",
    "quasi_identifiers = ['age']\nidentifiers = ['age']": "is named as identifier and as",
    "quasi_identifiers = ['age']\nkinds = 'continuous'": "'kinds' entry of the schema file must map",
    "quasi_identifiers = ['age']\n[orders]\nage = 'low'": "must list the categories",
    "quasi_identifiers = ['age']\n[kinds]\nage = 'continous'": "Did you mean 'continuous'?",
    "quasi_identifiers = ['age']\n[kinds]\nnota = 'nominal'": "'kinds' entry of the schema file names",
}


@pytest.mark.parametrize("content", SCHEMAS)
def test_schema_files_that_cannot_be_used(refused, records, content):
    Path("schema.toml").write_text(content)
    words = refused("protect", records, "-k", "3", "--schema", "schema.toml", "-o", "release.csv")
    assert SCHEMAS[content] in words


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda record: record.pop("arguments"), "not a provenance file"),
        (lambda record: record.pop("input"), "not a provenance file"),
        (lambda record: record.update(provenance_format=99), "not a provenance file"),
        (lambda record: record["arguments"].update(data=1), "not a provenance file"),
        (lambda record: record["arguments"].update(k=1), "'-k' option"),
        (lambda record: record["arguments"].update(method="mdva"), "Did you mean 'mdav'?"),
        (lambda record: record["arguments"].update(qi=["age"]), "no parameter 'qi'"),
        (
            lambda record: record["arguments"].update(parameters={"gamma": 1}),
            "no parameter 'gamma'",
        ),
        (lambda record: record["input"].update(file_sha256="0"), "their SHA-256 differs"),
        (lambda record: record["input"].update(read_as={"decimal": ";"}), "'--decimal' option"),
    ],
)
def test_provenance_files_that_cannot_be_repeated(microagg, refused, records, change, words):
    microagg("protect", records, *GOOD)
    path = Path("release.provenance.json")
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))
    assert words in refused("protect", records, "--repeat", path, "-o", "again.csv")


def test_a_promise_that_is_broken_writes_nothing(refused, records, monkeypatch):
    def careless(table, path, like):
        if "age" in table.column_names:
            ages = table["age"].to_pylist()
            at = table.column_names.index("age")
            table = table.set_column(at, "age", [[ages[0] + 1, *ages[1:]]])
        write_table(table, path, like)

    monkeypatch.setattr("microagg.release.write_table", careless)
    assert "Nothing was released" in refused("protect", records, *GOOD)
    assert "Nothing was released" in refused("protect", records, *GOOD[:-2])  # to stdout


def test_constant_columns_are_allowed(microagg, records):
    records.write_text("age,income\n" + "1,0.1\n" * 7)
    said = microagg("protect", records, *GOOD)
    assert said.code == 0
    assert Path("release.csv").read_text() == "age,income\n" + "1.0,0.1\n" * 7
    assert "Information loss: 0.000 %" in said.err


def test_only_files_of_similar_names_are_suggested(microagg, tmp_path):
    for name in ("3.csv", "people.csv"):
        (tmp_path / name).write_text("age\n1\n2\n")
    options = ("-k", 2, "--qi", "age")
    assert "Did you mean" not in microagg("protect", tmp_path / "p.csv", *options).err
    said = microagg("protect", tmp_path / "peple.csv", *options)
    assert "Did you mean 'people.csv'?" in said.err
