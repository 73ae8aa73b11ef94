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
    assert "Data rows that are most likely to be recognised" in said.err


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
