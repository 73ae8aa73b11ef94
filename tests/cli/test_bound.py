"""`microagg bound` proves, says it in words or numbers, and names mistakes."""

import json
import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.cli.commands.bound import in_words
from microagg.partition.bounds.gap import PROVED, gap_of
from microagg.partition.bounds.lower_bound import LowerBound
from microagg.partition.bounds.proof import Proof

PEOPLE = "age,income,note,blank\n" + "".join(
    f"{20 + i},{(i * 7) % 11},x,{i or ''}\n" for i in range(12)
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text(PEOPLE)
    return path


def test_it_says_what_no_groups_can_beat(microagg, file, tmp_path):
    release = tmp_path / "release.csv"
    assert microagg("protect", file, "-k", 3, "--qi", "age,income", "-o", release).code == 0
    groups = tmp_path / "release.groups.csv"
    said = microagg("bound", file, "-k", 3, "--qi", "age,income", "--groups", groups)
    assert said.code == 0
    assert b"No 3-anonymous grouping of these records can lose less than" in said.out
    assert b"These groups lose" in said.out
    assert b"Proved by " in said.out
    assert said.err == ""
    quiet = microagg("bound", file, "-k", 3, "--qi", "age,income", "--groups", groups, "-q")
    assert quiet.out == said.out


def test_a_release_that_describes_confidential_columns_can_be_evaluated(microagg, file, tmp_path):
    release = tmp_path / "release.csv"
    roles = ("--qi", "age", "--confidential", "income,note", "--kinds", "income=nominal")
    assert microagg("protect", file, "-k", 3, *roles, "-o", release).code == 0
    recorded = ("--provenance", tmp_path / "release.provenance.json")
    said = microagg("bound", file, "-k", 3, *recorded, "--groups", tmp_path / "release.groups.csv")
    assert said.code == 0, said.err
    assert b"These groups lose" in said.out


def test_groups_of_a_release_that_left_records_out(microagg, tmp_path):
    file, release = tmp_path / "towns.csv", tmp_path / "release.csv"
    file.write_text(
        "age,town\n" + "".join(f"{i * i},{'b' if i == 4 else 'a'}\n" for i in range(13))
    )
    strata = ("--strata", "town", "--small-strata", "suppress")
    said = microagg("protect", file, "-k", 3, "--qi", "age", *strata, "-o", release)
    assert said.code == 0, said.err
    assert "1 record in a stratum of fewer than k=3 records was left out." in said.err
    groups = ("--groups", tmp_path / "release.groups.csv")
    said = microagg("bound", file, "-k", 3, "--qi", "age", *groups, "--json")
    assert said.code == 0, said.err
    recorded = json.loads((tmp_path / "release.provenance.json").read_text())
    assert json.loads(said.out)["groups_il"] == pytest.approx(recorded["result"]["il"])


def test_kinds_of_columns_that_the_file_lacks_are_named(microagg, file):
    said = microagg("bound", file, "-k", 3, "--qi", "age", "--kinds", "incom=nominal")
    assert "The '--kinds' option names a column 'incom' that is not in the data." in said.err
    assert "Did you mean 'income'?" in said.err


@given(st.floats(0, 1), st.floats(0, 1))
def test_what_is_printed_is_proved(one, other):
    bound, lost = sorted((one, other))
    said = in_words(LowerBound(bound, 1.0, Proof.COLUMNS, "exhausted", lost), 3)
    printed = [Decimal(number) for number in re.findall(r"([\d.e+-]+) %", said)]
    assert printed[0] <= Decimal(100 * bound)
    gap = gap_of(lost, bound)
    assert printed[2] >= Decimal(100 * gap) if len(printed) > 2 else gap <= PROVED
    assert ("no better groups exist" in said) == (gap <= PROVED)


def test_numbers_for_programs(microagg, file):
    said = microagg("bound", file, "-k", 3, "--qi", "age,income", "--json")
    found = json.loads(said.out)
    assert 0 < found["il"] < 100
    assert (found["k"], found["stopped"], found["gap"]) == (3, "exhausted", None)
    assert found["proved_by"] in ("columns", "columns and cuts")


def test_categories_have_a_bound_too(microagg, file):
    options = ("--qi", "age,income,note", "--kinds", "income=nominal", "--time-limit", 1)
    said = microagg("bound", file, "-k", 3, *options, "--json")
    assert said.code == 0, said.err
    assert 0 < json.loads(said.out)["il"] < 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "The '-k' option is missing."),
        (("-k", 3, "--qi", "blank"), "Hint: Fill or remove these records first, or leave the"),
        (("-k", 3), "Column 'blank' has 1 missing value"),
        (("-k", 1, "--qi", "age"), "The '-k' option must be an integer from 2 to n=12. Got 1."),
        (
            ("-k", 3, "--qi", "agee"),
            "The '--qi' option names a column 'agee' that is not in the data.",
        ),
        (("-k", 3, "--qi", "age", "--time-limit", -1), "The '--time-limit' option must be"),
        (("-k", 3, "--qi", "age", "--engine", "cuda"), "CuPy with a CUDA device is not available"),
        (("-k", 3, "--qi", "age", "--groups", "numbers.csv"), "no columns 'row' and 'group'"),
        (("-k", 3, "--qi", "age", "--groups", "few.csv"), "each of the rows 1 to 12 once"),
    ],
)
def test_mistakes_are_named(microagg, file, monkeypatch, options, message):
    monkeypatch.chdir(file.parent)
    (file.parent / "few.csv").write_text("row,group\n1,0\n2,0\n3,0\n")
    said = microagg("bound", file, *options)
    assert said.code == 1
    assert message in said.err
    assert "--missing" not in said.err


@pytest.mark.parametrize("how", ["provenance", "schema"])
def test_the_kinds_of_a_release_are_those_of_its_bound(microagg, tmp_path, how):
    file, release = tmp_path / "p.csv", tmp_path / "release.csv"
    file.write_text("age,zip\n" + "".join(f"{20 + i},{1 + i % 3}\n" for i in range(60)))
    schema = tmp_path / "roles.toml"
    schema.write_text('quasi_identifiers = ["age", "zip"]\n[kinds]\nzip = "nominal"\n')
    assert microagg("protect", file, "-k", 3, "--schema", schema, "-o", release).code == 0
    recorded = {"provenance": tmp_path / "release.provenance.json", "schema": schema}[how]
    groups = ("--groups", tmp_path / "release.groups.csv")
    options = ("bound", file, "-k", 3, *groups, "--json", "--time-limit", 0.5)
    own = microagg(*options, f"--{how}", recorded)
    lost = json.loads((tmp_path / "release.provenance.json").read_text())["result"]["il"]
    assert json.loads(own.out)["groups_il"] == pytest.approx(lost)
    assert "Caution" not in own.err
    assert "look like codes" in microagg(*options).err


def test_codes_for_missing_values_are_a_caution(microagg, tmp_path):
    file = tmp_path / "p.csv"
    file.write_text("age,job\n" + "".join(f"{20 + i},{'?' if i % 5 else 'a'}\n" for i in range(20)))
    assert "--blank" in microagg("bound", file, "-k", 3).err
    refused = microagg("bound", file, "-k", 3, "--blank", "?")
    assert refused.code != 0
    assert "missing value" in refused.err
