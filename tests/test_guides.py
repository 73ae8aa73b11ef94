"""The examples of the guides run, and what they write holds what they say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.conftest import NO_DATA

ROOT = Path(__file__).parents[1]

NEEDS_DATA = pytest.mark.skipif("MICROAGG_DATA" not in os.environ, reason=NO_DATA)


def run(example, folder, rows):
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / example), str(folder), "--rows", str(rows)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@NEEDS_DATA
def test_nist_acs(tmp_path):
    said = run("nist_acs.py", tmp_path, 600)
    assert "k with the area as well: " in said
    released = pd.read_csv(tmp_path / "release.csv", dtype=str)
    known = ["PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "EDU"]
    assert released.groupby(known, dropna=False).size().min() >= 5
    assert "WGTP" not in released.columns
    assert str(tmp_path / "report-internal.html") in said
    assert (tmp_path / "report-external.html").exists()


@pytest.mark.slow
@NEEDS_DATA
def test_adult(tmp_path):
    run("adult.py", tmp_path, 600)
    released = pd.read_csv(tmp_path / "release.csv", dtype=str)
    known = ["age", "workclass", "education", "marital-status", "occupation"]
    groups = released.groupby([*known, "race", "sex", "native-country"], dropna=False)
    assert groups.size().min() >= 5
    assert groups["income"].nunique().min() >= 2
    assert (tmp_path / "report.html").exists()


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.timeout(1800)
@NEEDS_DATA
@pytest.mark.parametrize(
    ("example", "guide"), [("adult.py --figures", "adult.md"), ("nist_acs.py", "nist-acs.md")]
)
def test_the_figures_of_a_guide_are_those_of_its_example(example, guide, tmp_path):
    """On all records: the rows of numbers and the summary that the guide quotes."""
    name, *flags = example.split()
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / name), str(tmp_path), *flags],
        capture_output=True,
        text=True,
        check=True,
    )
    text = (ROOT / "docs" / "guides" / guide).read_text(encoding="utf-8")
    (summary,) = re.findall(r"^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\|.*\| *[\d.,]+(?: %|%| \([\d.]+%\))? \|$", text, re.MULTILINE)
    quoted = [line for line in summary.splitlines() if line.strip() not in ("", "...")]
    assert len(rows) >= 6
    assert [line for line in [*rows, *quoted] if line not in done.stdout] == []


@pytest.mark.slow
@NEEDS_DATA
def test_sdcmicro_testdata(tmp_path):
    run("sdcmicro_testdata.py", tmp_path, 400)
    numbers, records = (
        pd.read_csv(tmp_path / name / "release.csv") for name in ("numbers", "records")
    )
    assert numbers.groupby(["expend", "income", "savings"]).size().min() >= 3
    keys = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    assert records.groupby(["expend", "income", "savings", *keys]).size().min() >= 3
    assert (tmp_path / "records" / "report.html").exists()


PEOPLE = "name,age,income\n" + "".join(
    f"{name},{30 + 3 * place},{1000 + 70 * place}\n"
    for place, name in enumerate(("ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal"))
)
PAGES = sorted(
    page
    for page in (ROOT / "docs" / "guides").glob("*.md")
    if "```sh\nmicroagg" in (text := page.read_text("utf-8")) and "people.csv" in text
)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_guide_run(page, tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    commands = re.findall(r"^```sh\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    for text in commands:
        done = subprocess.run(
            ["sh", "-e", "-c", text],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
