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
    assert said.code == 0, said.err
    lines = said.out.decode().splitlines()
    assert len(lines) == 9
    assert lines[0].split()[:3] == ["method", "k", "rank"]
    assert any(line.startswith("* ") for line in lines)
    assert "Recommended: " in said.err


@pytest.mark.slow
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
    assert "2 of 2 releases satisfy k on the quasi-identifiers" in page
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


def test_cautions_are_said_and_reported(microagg, records):
    lines = Path(records).read_text().splitlines()
    codes = [f"{line},{(10115, 20095, 50667)[i % 3]}" for i, line in enumerate(lines[1:])]
    Path("codes.csv").write_text("\n".join([f"{lines[0]},zip", *codes]) + "\n")
    arguments = [
        "compare",
        "codes.csv",
        "--qi",
        "age,zip",
        "-k",
        "3,5",
        "--methods",
        "mdav",
        "--jobs",
        "1",
    ]
    said = microagg(*arguments, "--report", "map.html")
    assert said.err.count("CAUTION: These quasi-identifiers look like codes") == 1
    assert "look like codes" in Path("map.html").read_text(encoding="utf-8")
    assert "look like codes" in json.loads(microagg(*arguments, "--json").out)["cautions"][0]
    assert not microagg(*arguments, "--quiet").err


def test_the_utility_for_a_target(microagg, records):
    lines = Path(records).read_text().splitlines()
    rows = [f"{line},{'yes' if float(line.split(',')[0]) > 55 else 'no'}" for line in lines[1:]]
    Path("target.csv").write_text("\n".join([f"{lines[0]},ill", *rows]) + "\n")
    said = microagg("compare", "target.csv", "--qi", "age,pay", "-k", "3", "--methods", "mdav", "--jobs",
                    "1", "--target", "ill")  # fmt: skip
    assert said.code == 0, said.err
    assert "AUC" in said.out.decode().splitlines()[0]
    assert "predicts ill with AUC" in said.err


def test_a_hint_names_the_option_of_this_command(microagg, records):
    lines = Path(records).read_text().splitlines()
    rows = [f"{line},{'fm'[i % 2]}" for i, line in enumerate(lines[1:])]
    Path("mixed.csv").write_text("\n".join([f"{lines[0]},sex", *rows]) + "\n")
    said = microagg("compare", "mixed.csv", "--qi", "age,sex", "-k", "3", "--methods", "cbfs-mhm",
                    "--jobs", "1")  # fmt: skip
    assert "--methods mdav-nc" in said.err
    assert "--set method" not in said.err


def test_an_existing_table_is_replaced_if_asked(microagg, records):
    Path("all.csv").write_text("mine")
    options = ["--qi", "age", "-k", "3", "-o", "all.csv"]
    assert microagg("compare", records, *options).code == 1
    assert Path("all.csv").read_text() == "mine"
    said = microagg("compare", records, *options, "--overwrite")
    assert said.code == 0, said.err
    assert Path("all.csv").read_text().startswith("method")
