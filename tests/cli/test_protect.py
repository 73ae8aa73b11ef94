"""microagg protect: a file in, a checked release, its groups and its provenance out."""

import csv
import gzip
import hashlib
import json
import sys
from pathlib import Path

import pandas as pd
import pytest

from microagg.data.files import read_file, write_file

BASIC = ["-k", "3", "--qi", "age,income"]


def column(path: Path, name: str, separator: str = ",", encoding: str = "utf-8") -> list[str]:
    """Return the fields of a column exactly as they are written."""
    with path.open(encoding=encoding, newline="") as stream:
        return [row[name] for row in csv.DictReader(stream, delimiter=separator)]


def test_a_release_its_groups_and_its_provenance(microagg, people):
    said = microagg("protect", people, *BASIC, "--id", "name", "-o", "release.csv")
    assert (said.code, said.out) == (0, b"")
    names = sorted(path.name for path in people.parent.iterdir())
    assert names == ["people.csv", "release.csv", "release.groups.csv", "release.provenance.json"]
    released = pd.read_csv("release.csv")
    assert released.columns.tolist() == ["zip", "age", "income", "rate", "note"]
    assert released.groupby(["age", "income"]).size().min() >= 3
    groups = pd.read_csv("release.groups.csv")
    assert groups["row"].tolist() == list(range(1, 24))
    original = pd.read_csv(people)
    for name in ("age", "income"):
        means = original.groupby(groups["group"].to_numpy())[name].transform("mean")
        assert released[name].to_numpy() == pytest.approx(means.to_numpy())


def test_the_summary_is_said_to_people_and_names_the_files(microagg, people):
    said = microagg("protect", people, *BASIC, "-o", "release.csv")
    assert "23 records in 7 groups, formed by auto (lns)." in said.err
    assert "Checked on the released values: k = 3." in said.err
    assert "data        release.csv" in said.err
    assert "release.groups.csv" in said.err
    assert "release.provenance.json" in said.err


def test_untouched_columns_are_the_same_text(microagg, people):
    microagg("protect", people, *BASIC, "-o", "release.csv")
    for name in ("zip", "name", "rate", "note"):
        assert column(Path("release.csv"), name) == column(people, name)
    assert column(people, "zip")[0] == "000"
    assert column(people, "rate")[0] == "1.50"


def test_without_an_output_the_release_goes_to_stdout_and_talk_to_stderr(microagg, people):
    written = microagg("protect", people, *BASIC, "-o", "release.csv")
    said = microagg("protect", people, *BASIC)
    assert said.code == 0
    assert said.out == Path("release.csv").read_bytes()
    assert "Information loss" in said.err
    assert "Information loss" in written.err
    assert len(list(people.parent.iterdir())) == 4  # no further file


def test_quiet_says_nothing(microagg, people):
    said = microagg("protect", people, *BASIC, "-q", "-o", "release.csv")
    assert (said.code, said.out, said.err) == (0, b"", "")


def test_provenance(microagg, people):
    how = ["--method", "CBFS-NC", "--set", "leftovers=group", "--seed", "9", "--scale", "range"]
    microagg("protect", people, *BASIC, *how, "--integers", "round", "-o", "release.csv")
    record = json.loads(Path("release.provenance.json").read_text())
    assert record["input"]["file"] == "people.csv"
    assert record["input"]["file_sha256"] == hashlib.sha256(people.read_bytes()).hexdigest()
    assert record["arguments"] == {
        "k": 3,
        "quasi_identifiers": ["age", "income"],
        "method": "CBFS-NC",
        "scale": "range",
        "integers": "round",
        "seed": 9,
        "parameters": {"leftovers": "group"},
    }  # fmt: skip
    assert record["result"]["k"] >= 3
    assert record["result"]["il"] > 0
    assert str(people.parent) not in Path("release.provenance.json").read_text()


def test_json_gives_the_numbers_to_a_program(microagg, people):
    said = microagg("protect", people, *BASIC, "--json", "-o", "release.csv")
    answer = json.loads(said.out)
    record = json.loads(Path("release.provenance.json").read_text())
    assert answer.pop("files") == {
        "data": "release.csv",
        "groups": "release.groups.csv",
        "provenance": "release.provenance.json",
    }
    assert answer == record
    assert answer["result"]["k"] == 3


def test_json_without_an_output_is_refused_because_stdout_is_taken(microagg, people):
    said = microagg("protect", people, *BASIC, "--json")
    assert (said.code, said.out) == (1, b"")
    assert "'--json' option needs --output" in said.err


def test_semicolons_latin_1_and_decimal_commas_come_back_as_they_came(microagg, people):
    text = people.read_text().replace(",", ";").replace(".", ",").replace("\n", "\r\n")
    people.write_bytes(text.encode("latin-1"))
    options = ["--encoding", "latin-1", "--decimal", ","]
    assert microagg("protect", people, *BASIC, *options, "-o", "release.csv").code == 0
    content = Path("release.csv").read_bytes()
    assert content.startswith(b"zip;name;age;income;rate;note\r\n")
    assert "é1".encode("latin-1") in content
    assert column(Path("release.csv"), "rate", ";", "latin-1")[0] == "1,50"
    released = pd.read_csv("release.csv", sep=";", decimal=",", encoding="latin-1")
    assert released.groupby(["age", "income"]).size().min() >= 3
    assert Path("release.groups.csv").read_bytes().startswith(b"row;group\r\n")


def test_packed_files(microagg, people):
    packed = people.with_name("people.csv.gz")
    packed.write_bytes(gzip.compress(people.read_bytes()))
    microagg("protect", people, *BASIC, "-o", "plain.csv")
    assert microagg("protect", packed, *BASIC, "-o", "packed.csv.gz").code == 0
    assert gzip.decompress(Path("packed.csv.gz").read_bytes()) == Path("plain.csv").read_bytes()
    assert Path("packed.groups.csv").exists()


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_columnar_files_keep_their_types(microagg, people, suffix):
    table = read_file(people, parse=["age", "income"])
    write_file(table, people.with_suffix(suffix))
    assert microagg("protect", people.with_suffix(suffix), *BASIC, "-o", f"r{suffix}").code == 0
    released = read_file(f"r{suffix}")
    for name in ("zip", "name", "rate", "note"):
        assert released[name].equals(table[name])
    microagg("protect", people, *BASIC, "-o", "r2.csv")
    assert released["income"].to_pylist() == read_file("r2.csv")["income"].to_pylist()


def test_one_format_in_and_another_out(microagg, people):
    assert microagg("protect", people, *BASIC, "-o", "release.parquet").code == 0
    assert microagg("protect", people, *BASIC, "-o", "release2.tsv").code == 0
    assert read_file("release.parquet")["age"].to_pylist() == [
        float(age) for age in column(Path("release2.tsv"), "age", "\t")
    ]


def test_roles_from_a_schema_file(microagg, people):
    Path("schema.toml").write_text(
        'quasi_identifiers = ["age", "income"]\nidentifiers = ["name"]\nconfidential = ["rate"]\n'
    )
    microagg("protect", people, "-k", "3", "--schema", "schema.toml", "-o", "a.csv")
    flags = ["--id", "name", "--confidential", "rate"]
    microagg("protect", people, *BASIC, *flags, "-o", "b.csv")
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    said = microagg("protect", people, *BASIC, "--schema", "schema.toml", "-o", "c.csv")
    assert said.code == 1
    assert "Roles are specified twice" in said.err


def test_qi_may_be_repeated_and_a_name_may_hold_a_comma(microagg, people):
    people.write_text(people.read_text().replace("income", '"income, net"', 1))
    said = microagg(
        "protect", people, "-k", "3", "--qi", "age", "--qi", "income, net", "-o", "r.csv"
    )
    assert said.code == 0
    assert '(quasi-identifiers): age, "income, net"' in said.err


def test_integers_are_rounded_on_demand(microagg, people):
    microagg("protect", people, "-k", "3", "--qi", "age", "--integers", "round", "-o", "r.csv")
    assert all(age.isdigit() for age in column(Path("r.csv"), "age"))


def test_a_second_run_needs_leave_to_overwrite(microagg, people):
    microagg("protect", people, *BASIC, "-o", "release.csv")
    before = {path.name: path.read_bytes() for path in people.parent.iterdir()}
    again = microagg("protect", people, "-k", "5", "--qi", "age", "-o", "release.csv")
    assert again.code == 1
    assert "'release.csv' exists already" in again.err
    assert "--overwrite" in again.err
    assert {path.name: path.read_bytes() for path in people.parent.iterdir()} == before
    said = microagg("protect", people, "-k", "5", "--qi", "age", "-o", "release.csv", "--overwrite")
    assert said.code == 0
    assert Path("release.csv").read_bytes() != before["release.csv"]


def test_what_belongs_to_one_release_is_not_taken_for_that_of_another(microagg, people):
    assert microagg("protect", people, *BASIC, "-o", "release.2023.csv").code == 0
    assert microagg("protect", people, *BASIC, "-o", "release.2024.csv").code == 0
    assert Path("release.2023.groups.csv").exists()
    assert Path("release.2024.provenance.json").exists()


def test_names_that_would_steer_a_terminal_or_become_pictures_are_shown_as_they_are(
    microagg, people
):
    people.write_text(people.read_text().replace("note", "[red]:smile:\x1b[2J", 1))
    said = microagg("protect", people, *BASIC, "-o", "r.csv")
    assert said.code == 0
    assert "[red]:smile:\\u001b[2J" in said.err


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names of files")
def test_names_of_files_that_are_no_text(microagg, people):
    """A file system of Linux takes any bytes; provenance and reports show them as escapes."""
    source, output = Path("in\udcff.csv"), Path("out\udcff.csv")
    source.write_bytes(people.read_bytes())
    said = microagg("protect", source, *BASIC, "-o", output, "--report", "r\udcff.html")
    assert said.code == 0, said.err
    assert "out\\udcff.csv" in said.err
    provenance = Path("out\udcff.provenance.json")
    assert json.loads(provenance.read_text(encoding="utf-8"))["input"]["file"] == source.name
    assert microagg("verify", output, provenance).code == 0
    assert microagg("protect", source, "--repeat", provenance, "-o", "again.csv").code == 0
    assert Path("again.csv").read_bytes() == output.read_bytes()


class TestRepeat:
    def test_the_same_bytes_again(self, microagg, people):
        options = ["--id", "name", "--method", "cbfs-nc", "--set", "leftovers=group",
                   "--integers", "round", "--seed", "4"]  # fmt: skip
        microagg("protect", people, *BASIC, *options, "-o", "first.csv")
        said = microagg("protect", people, "--repeat", "first.provenance.json", "-o", "again.csv")
        assert said.code == 0
        for what in (".csv", ".groups.csv"):
            assert Path(f"again{what}").read_bytes() == Path(f"first{what}").read_bytes()
        one, two = (
            json.loads(Path(f"{name}.provenance.json").read_text()) for name in ("first", "again")
        )
        assert one.pop("release")["sha256"] == two.pop("release")["sha256"]
        assert {**one, "created": 0, "seconds": 0} == {**two, "created": 0, "seconds": 0}

    def test_the_form_of_the_file_need_not_be_told_again(self, microagg, people):
        people.write_bytes(people.read_text().replace(",", ";").replace(".", ",").encode("latin-1"))
        options = ["--encoding", "latin-1", "--decimal", ","]
        microagg("protect", people, *BASIC, *options, "-o", "first.csv")
        said = microagg("protect", people, "--repeat", "first.provenance.json", "-o", "again.csv")
        assert said.code == 0
        assert Path("again.csv").read_bytes() == Path("first.csv").read_bytes()

    def test_other_records_are_refused(self, microagg, people):
        microagg("protect", people, *BASIC, "-o", "first.csv")
        people.write_text(people.read_text().replace("1.50", "1.51", 1))
        said = microagg("protect", people, "--repeat", "first.provenance.json", "-o", "again.csv")
        assert said.code == 1
        assert "not those that 'first.provenance.json' was made from" in said.err
        assert not Path("again.csv").exists()

    def test_a_provenance_file_of_python_is_repeated_on_the_same_records_only(
        self, microagg, people
    ):
        import microagg as ma

        frame = read_file(people, parse=["age", "income"])
        paths = ma.protect(frame, 3, quasi_identifiers=["age", "income"]).save("out")
        repeat = ["--repeat", paths["provenance"]]
        assert microagg("protect", people, *repeat, "-o", "again.csv").code == 0
        assert Path("again.csv").read_bytes() == paths["data"].read_bytes()
        age = column(people, "age")[0]
        people.write_text(people.read_text().replace(f",{age},", ",99,", 1))
        said = microagg("protect", people, *repeat, "-o", "other.csv")
        assert said.code == 1
        assert "SHA-256 differs" in said.err
        assert not Path("other.csv").exists()

    @pytest.mark.parametrize("also", [["-k", "3"], ["--qi", "age"], ["--set", "leftovers=group"]])
    def test_choices_come_from_the_file_alone(self, microagg, people, also):
        microagg("protect", people, *BASIC, "-o", "first.csv")
        said = microagg("protect", people, "--repeat", "first.provenance.json", *also)
        assert (said.code, said.out) == (1, b"")
        assert f"{also[0]} is also set" in said.err


class TestReport:
    def test_it_is_written_with_the_rest(self, microagg, records):
        arguments = ("-k", "3", "--qi", "age", "-o", "r.csv", "--report", "report.html")
        assert microagg("protect", records, *arguments).code == 0
        written = records.parent / "report.html"
        assert written.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")

    @pytest.mark.parametrize("report", ["r.csv", "r.groups.csv", "none/report.html"])
    def test_it_never_takes_the_place_of_the_release(self, refused, records, report):
        refused("protect", records, "-k", "3", "--qi", "age", "-o", "r.csv", "--report", report)

    def test_an_unknown_face_is_refused(self, refused, records):
        arguments = (
            "-k",
            "3",
            "--qi",
            "age",
            "-o",
            "r.csv",
            "--report",
            "r.html",
            "--audience",
            "both",
        )
        assert "--audience" in refused("protect", records, *arguments)


def test_limits_on_confidential_columns(microagg, people):
    rows = "\n".join(f"{i},{i * i % 7},{'yn'[i // 6]}" for i in range(12))
    Path("ill.csv").write_text(f"age,income,ill\n{rows}\n")
    how = ["-k", "3", "--qi", "age,income", "--confidential", "ill", "--method", "mdav"]
    microagg("protect", "ill.csv", *how, "--l-diversity", "2",
             "--t-closeness", "0.2", "-o", "release.csv")  # fmt: skip
    record = json.loads(Path("release.provenance.json").read_text())
    assert [one["limit"] for one in record["result"]["beyond_k"]] == [2, 0.2]
    microagg("protect", "ill.csv", "--repeat", "release.provenance.json", "-o", "again.csv")
    assert Path("again.csv").read_bytes() == Path("release.csv").read_bytes()


def test_synthetic_and_differentially_private_records(microagg, people):
    microagg("protect", people, *BASIC, "--aggregate", "hybrid", "-o", "synthetic.csv")
    Path("two.csv").write_text("age,pay\n" + "\n".join(f"{i},{i}" for i in range(20)) + "\n")
    how = ["--method", "dp-individual-ranking", "--set", "epsilon=1"]
    bounds = ["--set", "bounds=age:0:20,pay:0:30"]
    microagg("protect", "two.csv", "-k", "5", "--qi", "age,pay", *how, *bounds, "-o", "noisy.csv")
    record = json.loads(Path("noisy.provenance.json").read_text())
    assert record["arguments"]["parameters"] == {
        "epsilon": 1.0,
        "bounds": {"age": [0, 20], "pay": [0, 30]},
    }
    assert record["result"]["promises"] == []


def test_a_private_release_is_repeated_with_consent_only(microagg, people):
    people.write_text("age\n" + "".join(f"{age}\n" for age in range(20, 60)))
    options = ["--method", "dp-insensitive", "--set", "epsilon=1", "--set", "bounds=age:0:100"]
    first = microagg("protect", people, "-k", "3", "--qi", "age", *options, "-o", "first.csv")
    assert first.code == 0, first.err
    repeat = ["protect", people, "--repeat", "first.provenance.json", "-o", "again.csv"]
    refused = microagg(*repeat)
    assert refused.code == 1
    assert "spends its epsilon again" in refused.err
    assert "--spend-again" in refused.err
    assert microagg(*repeat, "--spend-again").code == 0
    alone = microagg("protect", people, "-k", "3", "--qi", "age", "--spend-again", "-o", "x.csv")
    assert alone.code == 1
    assert "'--spend-again' option applies only with --repeat" in alone.err


def test_strict_releases_nothing_and_writes_nothing(microagg, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + i % 40},{1000 + 17 * i},{(1000 + 17 * i) / 5}" for i in range(60)]
    Path("taxed.csv").write_text("\n".join(["age,pay,tax", *rows]) + "\n")
    options = ["-k", "3", "--qi", "age,pay", "--method", "mdav", "-o", "out.csv"]
    refused = microagg("protect", "taxed.csv", *options, "--strict")
    assert refused.code == 1
    assert "'tax'" in refused.err
    assert "--strict" in refused.err
    assert not Path("out.csv").exists()
    assert microagg("protect", "taxed.csv", *options).code == 0
    again = microagg("protect", "taxed.csv", "--repeat", "out.provenance.json", "-o", "again.csv")
    assert again.code == 0, again.err


def test_roles_and_kinds_come_from_an_earlier_provenance(microagg, people):
    roles = ["--id", "name", "--confidential", "note", "--kinds", "zip=nominal"]
    how = ["-k", "3", "--method", "mdav"]  # no search, which a limit of time may end
    microagg("protect", people, *how, "--qi", "age,income,zip", *roles, "-o", "a.csv")
    said = microagg("protect", people, *how, "--provenance", "a.provenance.json", "-o", "b.csv")
    assert said.code == 0, said.err
    assert Path("b.csv").read_bytes() == Path("a.csv").read_bytes()
    again = ["--provenance", "a.provenance.json", "--qi", "age", "-k", "4", "-o", "c.csv"]
    assert microagg("protect", people, *again).code == 0
    recorded = json.loads(Path("c.provenance.json").read_text(encoding="utf-8"))["arguments"]
    assert (recorded["k"], recorded["quasi_identifiers"]) == (4, ["age"])
    assert (recorded["identifiers"], recorded["confidential"]) == (["name"], ["note"])


def test_no_output_replaces_a_file_that_the_command_reads(microagg, people):
    """With --overwrite, only the records were safe."""
    files = {
        "levels.csv": "".join(
            f"{zip},*\n" for zip in sorted(set(pd.read_csv(people, dtype=str).zip))
        ),
        "roles.toml": 'quasi_identifiers = ["age", "income"]\n',
    }
    for name, text in files.items():
        Path(name).write_text(text)
    qi = ["-k", "3", "--qi", "age,zip", "--kinds", "zip=nominal", "--hierarchy", "zip=levels.csv"]
    for options in (
        [*qi, "-o", "levels.csv"],
        [*qi, "-o", "release.csv", "--report-data", "./levels.csv"],
        ["-k", "3", "--schema", "roles.toml", "-o", "release.csv", "--report-data", "roles.toml"],
    ):
        said = microagg("protect", people, *options, "--overwrite")
        assert said.code == 1
        assert "is a file that this command reads" in said.err
    assert {name: Path(name).read_text() for name in files} == files
    assert microagg("protect", people, *BASIC, "-o", "a.csv").code == 0
    again = ["--repeat", "a.provenance.json", "--overwrite"]
    asked = [*again, "-o", "b.csv", "--report-data", "a.provenance.json"]
    assert "command reads" in microagg("protect", people, *asked).err
    for before in (again, ["-k", "4", "--provenance", "a.provenance.json", "--overwrite"]):
        assert microagg("protect", people, *before, "-o", "a.csv").code == 0  # in its place
