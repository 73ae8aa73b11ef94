"""`microagg compare` from the shell."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def records(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = np.random.default_rng(0).gamma(3, 20, size=(60, 2)).round(2)
    with Path("people.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([["age", "pay"], *rows])
    return "people.csv"


def test_a_table_and_a_sentence(microagg, records):
    said = microagg("compare", records, "--qi", "age,pay", "-k", "3,5", "--methods", "mdav,cbfs-nc",
                    "--refine", "none,decompose", "--jobs", "1")  # fmt: skip
    assert said.code == 0
    lines = said.out.decode().splitlines()
    assert len(lines) == 9
    assert lines[0].split()[:3] == ["method", "k", "rank"]
    assert any(line.startswith("* ") for line in lines)
    assert "Recommended: " in said.err


def test_files_json_and_cache(microagg, records):
    options = ["--qi", "age,pay", "-k", "3,5", "--jobs", "2", "--cache", "kept.jsonl"]
    said = microagg("compare", records, *options, "--json", "-o", "all.csv", "--report", "map.html")
    assert said.code == 0, said.err
    numbers = json.loads(said.out)
    assert [row["k"] for row in numbers["choices"]]
    assert numbers["loss"] == "il"
    assert len(Path("all.csv").read_text().splitlines()) == 3
    page = Path("map.html").read_text(encoding="utf-8")
    assert "risk-utility map" in page
    assert "2 of 2 releases hold k on the quasi-identifiers" in page
    again = microagg("compare", records, *options, "--json")
    assert json.loads(again.out) == numbers


def test_what_is_refused(microagg, records):
    assert "--qi" in microagg("compare", records).err
    assert "integers" in microagg("compare", records, "--qi", "age", "-k", "3,x").err
    assert microagg("compare", records, "--qi", "age", "-o", records, "--overwrite").code == 1
    Path("map.html").write_text("mine")
    assert microagg("compare", records, "--qi", "age", "--report", "map.html").code == 1
    assert Path("map.html").read_text() == "mine"


def test_mixed_records(microagg, records):
    lines = Path(records).read_text().splitlines()
    rows = [f"{line},{'fm'[i % 2]},{'?' if i == 5 else i % 3}" for i, line in enumerate(lines[1:])]
    Path("mixed.csv").write_text("\n".join([f"{lines[0]},sex,code", *rows]) + "\n")
    said = microagg("compare", "mixed.csv", "--qi", "age,pay,sex,code", "--kinds", "code=nominal",
                    "--blank", "?", "--missing", "group", "-k", "3", "--jobs", "1", "--json",
                    "--report", "map.html")  # fmt: skip
    assert said.code == 0, said.err
    row = json.loads(said.out)["choices"][0]
    assert row["score"] == pytest.approx((row["il"] + row["g-dr"]) / 2)
    assert "loss (il, %)" in Path("map.html").read_text(encoding="utf-8")
