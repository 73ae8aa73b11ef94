"""The smaller commands: schema, methods, datasets and demo."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import microagg as ma


class TestSchema:
    def test_the_suggestion_goes_to_stdout_and_can_be_used(self, microagg, people):
        said = microagg("schema", people)
        assert (said.code, said.err) == (0, "")
        suggested = tomllib.loads(said.out.decode())
        assert suggested["identifiers"] == ["name", "note"]
        assert suggested["quasi_identifiers"] == ["zip", "age", "income"]
        Path("schema.toml").write_bytes(said.out)
        assert microagg("protect", people, "-k", "3", "--schema", "schema.toml").code == 0

    def test_to_a_file_that_is_not_overwritten(self, microagg, people):
        said = microagg("schema", people, "-o", "schema.toml")
        assert (said.code, said.out) == (0, b"")
        assert "Read every line" in said.err
        content = Path("schema.toml").read_bytes()
        assert content == microagg("schema", people).out
        assert microagg("schema", people, "-o", "schema.toml").code == 1
        assert microagg("schema", people, "-o", "schema.toml", "--overwrite").code == 0
        assert Path("schema.toml").read_bytes() == content

    def test_never_over_the_records(self, microagg, people):
        before = people.read_bytes()
        said = microagg("schema", people, "-o", people, "--overwrite")
        assert said.code == 1
        assert people.read_bytes() == before

    def test_json_and_a_file_together(self, microagg, people):
        said = microagg("schema", people, "--json", "-o", "schema.toml")
        suggestions = json.loads(said.out)
        assert suggestions[2] == {
            "column": "age", "role": "quasi-identifier", "reason": suggestions[2]["reason"], "to_do": "",
            "confidence": "high", "kind": "", "blanks": [], "copies": [],
        }  # fmt: skip
        assert Path("schema.toml").exists()

    def test_a_file_without_quasi_identifiers_leads_to_advice(self, microagg, people):
        people.write_text("note,answer\n" + "Xyzzy,?\nPlugh,b\nPlugh,c\n" * 20)
        said = microagg("schema", people, "-o", "schema.toml")
        assert said.code == 0
        assert "No column was recognised as a quasi-identifier. Before you use" in said.err
        said = microagg("protect", people, "-k", "3", "--schema", "schema.toml")
        assert said.code == 1
        assert "must name at least one column among its quasi_identifiers" in said.err
        assert "microagg schema" not in said.err

    def test_copies_and_markers_are_shown(self, microagg, people):
        rows = "".join(
            f"{'mf'[i % 2]},{i % 2},{'?' if i == 7 else 20 + i % 50}\n" for i in range(99)
        )
        people.write_text("sex,x,age\n" + rows)
        said = microagg("schema", people)
        assert "of age look like codes for missing values: protect with --blank '?'" in said.err
        assert "Column 'x' has one value for each value of 'sex'." in said.out.decode()
        (copy,) = json.loads(microagg("schema", people, "--json").out)[1]["copies"]
        assert copy == {"column": "x", "of": "sex", "kind": "one-to-one", "strength": 1.0}

    def test_the_form_of_the_file(self, microagg, people):
        people.write_bytes(people.read_text().replace(",", "|").replace(".", ",").encode("cp1252"))
        form = ["--separator", "|", "--encoding", "cp1252", "--decimal", ","]
        suggested = tomllib.loads(microagg("schema", people, *form).out.decode())
        assert suggested["quasi_identifiers"] == ["zip", "age", "income"]


def test_methods(microagg):
    said = microagg("methods")
    assert (said.code, said.err) == (0, "")
    text = said.out.decode()
    for method in ma.methods():
        assert f"{method.name} ({method.family}; {method.reference})" in text
        assert method.summary in text
        for name in method.parameters:
            assert f"--set {name}=" in text


def test_methods_as_json(microagg):
    answer = json.loads(microagg("methods", "--json").out)
    known = [*ma.methods(), *ma.maskings()]
    assert [method["name"] for method in answer] == [method.name for method in known]
    mdav = next(method for method in answer if method["name"] == "mdav")
    assert mdav["parameters"]["leftovers"] == {
        "default": "group", "must_be": "'group' or 'nearest'",
    }  # fmt: skip
    assert mdav["deterministic"] is True


class TestDatasets:
    def test_the_list(self, microagg):
        said = microagg("datasets")
        assert (said.code, said.err) == (0, "")
        assert "diabetes" in said.out.decode()
        names = [info["name"] for info in json.loads(microagg("datasets", "--json").out)]
        assert {"census", "tarragona", "eia", "diabetes"} <= set(names)

    def test_one_as_a_file(self, microagg, people):
        said = microagg("datasets", "diabetes")
        assert (said.code, said.out) == (0, b"")
        assert "442 records written to diabetes.csv" in said.err
        assert Path("diabetes.csv").read_text().count("\n") == 443
        assert microagg("datasets", "diabetes").code == 1
        said = microagg("datasets", "diabetes", "--overwrite", "--json", "-o", "d.parquet")
        answer = json.loads(said.out)
        assert (answer["file"], answer["rows"]) == ("d.parquet", 442)
        assert "bmi" in answer["quasi_identifiers"]

    def test_an_unknown_one_is_refused_with_a_suggestion(self, microagg, people):
        said = microagg("datasets", "diabets")
        assert (said.code, said.out) == (1, b"")
        assert "diabetes" in said.err
        assert [path.name for path in people.parent.iterdir()] == ["people.csv"]

    def test_an_output_without_a_name_is_refused(self, microagg):
        said = microagg("datasets", "-o", "x.csv")
        assert (said.code, said.out) == (1, b"")
        assert "needs the name of a data set" in said.err


def test_demo(microagg, people, monkeypatch):
    monkeypatch.delenv("MICROAGG_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(people.parent / "cache"))
    said = microagg("demo", "--folder", "out", "-k", "4")
    assert said.code == 0
    files = sorted(path.name for path in Path("out/diabetes").iterdir())
    assert files == [
        "groups.csv", "original.csv", "provenance.json", "release.csv", "report.html", "summary.txt",
    ]  # fmt: skip
    assert Path("out/diabetes/summary.txt").read_text().strip() in said.err
    assert "Try next:" in said.err
    # What it says to try works as it stands.
    tried = [line.split()[1:] for line in said.err.splitlines() if line.startswith("  microagg ")]
    assert len(tried) == 4
    for arguments in tried:
        assert microagg(*arguments).code == 0, arguments
    assert microagg("demo", "--folder", "out").code == 0  # and again


def test_the_installed_command(tmp_path):
    script = Path(sys.executable).with_name("microagg")
    done = subprocess.run(
        [script, "protect", tmp_path / "none.csv", "-k", "3", "--qi", "a"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: There is no file")


def test_a_reader_that_goes_away_is_no_error_to_shout_about(people):
    script = Path(sys.executable).with_name("microagg")
    done = subprocess.run(
        f"'{script}' protect '{people}' -k 3 --qi age -q | true",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr


def test_a_set_that_needs_a_package_says_so(microagg, monkeypatch, tmp_path):
    monkeypatch.setattr("microagg.cli.commands.datasets.find_spec", lambda name: None)
    monkeypatch.delenv("MICROAGG_DATA", raising=False)
    monkeypatch.setenv("MICROAGG_CACHE", str(tmp_path))
    lines = microagg("datasets").out.decode().splitlines()
    census = next(line for line in lines if line.startswith("census"))
    assert "download (needs rdata)" in census
    assert "rdata" not in next(line for line in lines if line.startswith("diabetes"))


def test_a_data_folder_that_is_not_there_is_an_error(microagg, monkeypatch):
    monkeypatch.setenv("MICROAGG_DATA", "no/such/folder")
    said = microagg("datasets")
    assert (said.code, said.out) == (1, b"")
    assert "MICROAGG_DATA names a folder 'no/such/folder' that does not exist" in said.err


def test_compiling_is_shown_on_a_terminal_only(monkeypatch, capfd):
    from microagg.cli import bars, console

    def shown():
        with console.progress() as reporter:
            reporter.begin("Grouping", 5)
            reporter.compiling("lns", 7, 9)
        return capfd.readouterr().err

    assert shown() == ""
    terminal = bars.Talk(stderr=True, force_terminal=True)
    monkeypatch.setattr(bars, "terminal", lambda: terminal)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert "Compiling lns for this computer (once): 7 of 9" in shown()


def test_the_bar_of_compiling_ends_and_that_of_the_work_stays():
    from rich.progress import Progress

    from microagg.cli.bars import Bar

    bars = Progress()
    bar = Bar(bars, "")
    for what in ("Grouping", "Searching"):
        bar.begin(what, 5)
    bar.compiling("lns", 7, 9)
    bar.reach(3)
    compiling = ("Compiling lns for this computer (once): 7 of 9", 7)
    shown = [(task.description, task.completed) for task in bars.tasks]
    assert shown == [("Searching", 3), compiling]
    bar.compiled()
    assert [(task.description, task.completed) for task in bars.tasks] == [("Searching", 3)]
