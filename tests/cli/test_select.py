"""`microagg select`, and `microagg protect` with --columns and --segments."""

import json
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def firms(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = rng.normal(50, 10, size=(60, 4)).round(1)
    rows[:, 1] += rows[:, 0]
    lines = [f"{i} ltd," + ",".join(map(str, row)) for i, row in enumerate(rows)]
    Path("firms.csv").write_text("name,a,b,c,d\n" + "\n".join(lines) + "\n")
    return "firms.csv"


def test_the_tree_and_the_columns(microagg, firms):
    said = microagg("select", firms, "-m", "2", "--picture", "tree.svg")
    assert said.code == 0, said.err
    *tree, last = said.out.decode().splitlines()
    assert sum("*" in line for line in tree) == 2
    assert set(last.split(",")) <= set("abcd")
    assert "Left out, because they are not numeric or were not named: name." in said.err
    assert Path("tree.svg").read_text(encoding="utf-8").startswith("<svg")
    again = microagg("protect", firms, "-k", "3", "--qi", "a,b,c,d", "--columns", last, "-q")
    assert again.code == 0, again.err


def test_numbers_for_programs(microagg, firms):
    said = microagg("select", firms, "--qi", "a,b,c", "--measure", "chi2", "--width", "5", "--json")
    found = json.loads(said.out)
    assert set(found["columns"]) == set("abc")
    assert len(found["tree"]) == 2
    assert found["measure"] == "chi2"
    assert found["width"] == 5.0
    assert np.array(found["weights"]).shape == (3, 3)


def test_what_is_refused(microagg, firms):
    for options, words in (
        (["-m", "9"], "'-m' option must be an integer from 1 to 4"),
        (["--measure", "x"], "'--measure' option"),
        (["--width", "-1"], "'--width' option must be a number above 0"),
        (["--picture", "tree.pdf"], "'--picture' option"),
        (["--qi", "name"], "contains text, but numbers are needed"),
    ):
        said = microagg("select", firms, *options)
        assert said.code == 1
        assert words in said.err
        assert said.out == b""


def test_columns_and_segments_of_protect(microagg, firms):
    made = ["protect", firms, "-k", "3", "--qi", "a,b,c,d", "--id", "name"]
    said = microagg(*made, "--columns", "emad:2", "-o", "columns.csv")
    assert said.code == 0, said.err
    assert "alone." in said.err
    said = microagg(*made, "--segments", "a,b", "--segments", "c,d", "-o", "s.csv")
    assert said.code == 0, said.err
    assert "CAUTION: k-anonymity holds for each segment" in said.err
    said = microagg(*made, "--segments", "2", "-o", "two.csv")
    assert said.code == 0, said.err
    again = microagg("protect", firms, "--repeat", "s.provenance.json", "-o", "again.csv")
    assert again.code == 0, again.err
    assert Path("again.csv").read_bytes() == Path("s.csv").read_bytes()
    both = microagg("protect", firms, "--repeat", "s.provenance.json", "--segments", "2")
    assert both.code == 1
    assert "--segments is also set" in both.err
    wrong = microagg(*made, "--segments", "a,b")
    assert "'--segments' option leaves out" in wrong.err


def test_individual_ranking(microagg, firms):
    options = ["--method", "individual-ranking", "--set", "univariate=fixed-1d"]
    said = microagg("protect", firms, "-k", "3", "--qi", "a,b", "--id", "name", *options)
    assert said.code == 0, said.err
    assert "CAUTION: The records are NOT k-anonymous as a whole" in said.err
    said = microagg("methods")
    assert "individual-ranking" in said.out.decode()
