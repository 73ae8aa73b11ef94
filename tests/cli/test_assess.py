"""`microagg assess` from the shell."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write originals and the same with noise; the last column is not changed."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(20, 80, 60), rng.normal(3e4, 5e3, 60).round()])
    for name, values in (("people.csv", X), ("masked.csv", X + rng.normal(0, 1, X.shape).round(2))):
        with Path(name).open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["id", "age", "pay", "ill"])
            writer.writerows([f"p{i}", *row, i % 3] for i, row in enumerate(values))
    return ["people.csv", "masked.csv"]


def test_says_it_in_plain_words(microagg, files):
    said = microagg("assess", *files)
    assert (said.code, said.out) == (0, b"")
    assert "60 records matched by position; quasi-identifiers: age, pay." in said.err
    for title in ("What was lost", "What is at risk", "What the groups reveal"):
        assert title in said.err
    assert "Data rows that distance-based record linkage on the quasi-identifiers" in said.err


def test_json(microagg, files):
    said = microagg("assess", *files, "--json", "--confidential", "ill", "--loss-weight", "0.25")
    numbers = json.loads(said.out)
    assert numbers["measures"]["k"]["value"] == 1
    assert numbers["measures"]["l-diversity"]["value"] == 1
    assert numbers["loss_weight"] == 0.25
    assert numbers["keys"] == ["age", "pay"]


def test_one_file(microagg, files):
    said = microagg("assess", files[0], "--qi", "ill", "--unit", "id", "--json")
    numbers = json.loads(said.out)
    assert numbers["measures"]["k"]["value"] == numbers["measures"]["k-units"]["value"] == 20
    assert "il" not in numbers["measures"]
    assert numbers["matched_by"] is None
    assert "'--qi' option must name the columns" in microagg("assess", files[0]).err
    for refused in (["--report", "r.html"], ["--memory", "1GB"], ["--match-on", "id"]):
        said = microagg("assess", files[0], "--qi", "ill", *refused)
        assert said.code == 1
        assert f"'{refused[0]}' option compares two files" in said.err


def test_keys_and_a_key(microagg, files):
    lines = Path("masked.csv").read_text().splitlines()
    Path("moved.csv").write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n")
    plain = json.loads(microagg("assess", *files, "--qi", "age", "--json").out)
    moved = microagg("assess", files[0], "moved.csv", "--match-on", "id", "--qi", "age", "--json")
    found = json.loads(moved.out)["measures"]
    for name, facts in plain["measures"].items():
        assert found[name]["value"] == pytest.approx(facts["value"]), name


def test_report_and_its_faces(microagg, files):
    said = microagg("assess", *files, "--report", "report.html")
    assert said.code == 0
    assert "most at risk" in Path("report.html").read_text(encoding="utf-8")
    again = microagg("assess", *files, "--report", "report.html", "--audience", "external")
    assert again.code == 1
    again = microagg(
        "assess", *files, "--report", "report.html", "--audience", "external", "--overwrite"
    )
    assert again.code == 0
    assert "most at risk" not in Path("report.html").read_text(encoding="utf-8")


def test_the_external_face_and_the_weight_reach_json_and_report(microagg, files):
    how = ["--report", "report.html", "--audience", "external", "--loss-weight", "0.2", "--json"]
    said = microagg("assess", *files, *how)
    numbers = json.loads(said.out)
    assert "worst_rows" not in numbers
    assert any("identifies each record" in warning for warning in numbers["warnings"])
    page = Path("report.html").read_text(encoding="utf-8")
    assert numbers["loss_weight"] == 0.2
    assert numbers["score"] is None  # noise leaves unique records
    assert "identifies each record" in page


def test_what_is_refused(microagg, files):
    assert microagg("assess", *files, "--audience", "external").code == 1
    assert microagg("assess", *files, "--report", "people.csv", "--overwrite").code == 1
    said = microagg("assess", *files, "--qi", "agee")
    assert said.code == 1
    assert "Did you mean 'age'" in said.err
    assert microagg("assess", files[0], "nothing.csv").code == 1


def test_the_loss_is_the_one_that_protect_told(microagg, files):
    rows = Path("people.csv").read_text().splitlines()
    head, *records = rows
    records = [f"{line},{'fmx'[i % 3]},{1 + i % 4}" for i, line in enumerate(records)]
    records[3] = records[3].replace(",", ",?", 1).replace("?" + records[3].split(",")[1], "?")
    Path("mixed.csv").write_text("\n".join([f"{head},sex,w", *records]) + "\n")
    how = ["--qi", "age,pay,sex,ill", "--kinds", "ill=ordinal", "--weights", "w", "--blank", "?"]
    said = microagg("protect", "mixed.csv", "-k", "3", *how, "--missing", "group", "-o", "out.csv",
                    "--report", "r.html", "--json")  # fmt: skip
    assert said.code == 0, said.err
    told = json.loads(said.out)["result"]["il"]
    judged = microagg("assess", "mixed.csv", "out.csv", *how, "--json")
    assert judged.code == 0, judged.err
    found = json.loads(judged.out)
    assert found["measures"]["il"]["value"] == pytest.approx(told)
    assert found["kinds"] == {
        "age": "continuous", "pay": "continuous", "sex": "nominal", "ill": "ordinal",
    }  # fmt: skip
    assert f"{told:.3f} %" in Path("r.html").read_text(encoding="utf-8")
    Path("schema.toml").write_text(
        'quasi_identifiers = ["age", "pay", "sex", "ill"]\n[kinds]\nill = "ordinal"\n'
    )
    again = microagg("assess", "mixed.csv", "out.csv", "--schema", "schema.toml", "--weights", "w",
                     "--blank", "?", "--json")  # fmt: skip
    assert json.loads(again.out)["measures"] == found["measures"]


def test_a_code_for_blanks_is_one_in_the_keys_alone(microagg, tmp_path, monkeypatch):
    """As in `protect`, so that both say the same of a confidential column that has the code too."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    rows = [
        [age if i % 9 else "?", "?" if i % 5 == 0 else int(pay)]
        for i, (age, pay) in enumerate(rng.integers(20, 60, size=(80, 2)))
    ]
    with Path("people.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([["age", "pay"], *rows])
    roles = ["--qi", "age", "--confidential", "pay", "--blank", "?"]
    done = microagg("protect", "people.csv", "-k", "4", *roles, "--missing", "group",
                    "--t-closeness", "0.4", "-o", "safe.csv", "--json")  # fmt: skip
    assert done.code == 0, done.err
    for given in (roles, roles[2:]):
        said = microagg("assess", "people.csv", "safe.csv", *given, "--json")
        assert said.code == 0, said.err
        found = json.loads(said.out)
        assert found["keys"] == ["age"]
        told = json.loads(done.out)["result"]["beyond_k"][0]["achieved"]
        assert found["measures"]["t-closeness"]["value"] == pytest.approx(told)


@pytest.mark.parametrize("memory", [[], ["--memory", "600MB"]])
def test_a_code_for_missing_values_is_no_unit(microagg, tmp_path, monkeypatch, memory):
    """Without quasi-identifiers that are named, all columns but those with another role may be such."""
    monkeypatch.chdir(tmp_path)
    rows = [[20 + 5 * (i // 4), "?" if i % 2 else f"u{i}"] for i in range(24)]
    for name, shift in (("people.csv", 1), ("safe.csv", 0)):
        with Path(name).open("w", newline="") as stream:
            changed = [[age + shift * (i % 2), unit] for i, (age, unit) in enumerate(rows)]
            csv.writer(stream).writerows([["age", "who"], *changed])
    found = []
    for keys in (["--qi", "age"], []):
        said = microagg("assess", "people.csv", "safe.csv", *keys, "--unit", "who", "--blank", "?",
                        *memory, "--json")  # fmt: skip
        assert said.code == 0, said.err
        found.append(json.loads(said.out)["measures"]["k-units"]["value"])
    assert found == [2, 2]  # of the units of a class, "?" does not count


def test_roles_and_kinds_come_from_a_provenance_file(microagg, files):
    original = files[0]
    roles = ["--qi", "age,pay", "--kinds", "age=continuous", "--scale", "range"]
    made = microagg("protect", original, "-k", "3", *roles, "--method", "mdav", "-o", "mine.csv")
    assert made.code == 0, made.err
    said = microagg(
        "assess", original, "mine.csv", "--provenance", "mine.provenance.json", "--json"
    )
    assert said.code == 0, said.err
    numbers = json.loads(said.out)
    assert numbers["keys"] == ["age", "pay"]
    assert numbers["score"] > 0
    recorded = json.loads(Path("mine.provenance.json").read_text(encoding="utf-8"))["result"]
    assert numbers["measures"]["il"]["value"] == pytest.approx(recorded["il"])
    Path("roles.toml").write_text("")
    both = ["--provenance", "mine.provenance.json", "--schema", "roles.toml"]
    assert "Leave one of them out" in microagg("assess", original, "mine.csv", *both).err


@pytest.fixture
def suppressed(microagg, tmp_path):
    """Return an original in which two records lack a value, and a release without these."""
    rows = [f"{20 + i},{'' if i in (3, 7) else 30 * (i % 5)},{i % 3}" for i in range(24)]
    original, release = tmp_path / "original.csv", tmp_path / "release.csv"
    original.write_text("age,pay,ill\n" + "\n".join(rows) + "\n")
    roles = ("-k", 3, "--qi", "age,pay", "--confidential", "ill", "--missing", "suppress")
    said = microagg("protect", original, *roles, "-o", release)
    assert said.code == 0, said.err
    assert "2 records with a missing value among the quasi-identifiers were left out." in said.err
    return original, release


def test_the_groups_file_matches_rows_if_records_were_left_out(microagg, suppressed, tmp_path):
    groups = ("--groups", tmp_path / "release.groups.csv")
    text = groups[1].read_text().splitlines()
    assert text[0] == "row,group,original_row"
    assert [int(line.split(",")[2]) for line in text[1:]] == [
        row for row in range(1, 25) if row not in (4, 8)
    ]
    recorded = ("--provenance", tmp_path / "release.provenance.json")
    said = microagg("assess", *suppressed, *recorded, *groups, "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert (found["records"], found["left_out"], found["matched_by"]) == (22, 2, "row number")
    assert not {4, 8} & set(found["worst_rows"])
    provenance = json.loads(recorded[1].read_text())
    assert found["measures"]["il"]["value"] == pytest.approx(provenance["result"]["il"])


def test_records_left_out_without_the_groups_file_are_an_error_that_names_it(microagg, suppressed):
    said = microagg("assess", *suppressed)
    assert "The original has 24 records and the release 22." in said.err
    assert "--groups release.groups.csv" in said.err


def test_other_groups_files_are_refused(microagg, suppressed, tmp_path):
    original, release = suppressed
    groups = tmp_path / "release.groups.csv"
    for change, words in (
        (lambda lines: lines[:-1], "has 21 records, but the release has 22"),
        (lambda lines: [*lines[:-1], "22,1,25"], "does not name different rows from 1 to 24"),
        (lambda lines: [*lines[:-1], "22,1,1"], "does not name different rows from 1 to 24"),
        (lambda lines: [*lines[:-1], "22,1,x"], "does not name different rows from 1 to 24"),
        (lambda lines: lines[:1], "has a header but no records"),
    ):
        other = tmp_path / "other.csv"
        other.write_text("\n".join([*change(groups.read_text().splitlines()), ""]))
        assert words in microagg("assess", original, release, "--groups", other).err
    both = microagg("assess", original, release, "--groups", groups, "--match-on", "age")
    assert "'--groups' option cannot be combined with --match-on" in both.err
    large = microagg("assess", original, release, "--groups", groups, "--memory", "1GB")
    assert "'--groups' option cannot be used with --memory" in large.err
