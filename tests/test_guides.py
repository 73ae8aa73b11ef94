"""The examples of the guides run, and what they write holds what they say."""

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.conftest import NO_DATA

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif("MICROAGG_DATA" not in os.environ, reason=NO_DATA)


def run(example, folder, rows):
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / example), str(folder), "--rows", str(rows)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_nist_acs(tmp_path):
    said = run("nist_acs.py", tmp_path, 600)
    assert "k with the area as well: " in said
    released = pd.read_csv(tmp_path / "release.csv", dtype=str)
    known = ["PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "EDU"]
    assert released.groupby(known, dropna=False).size().min() >= 5
    assert "WGTP" not in released.columns
    assert str(tmp_path / "report-internal.html") in said
    assert (tmp_path / "report-external.html").exists()


def test_adult(tmp_path):
    run("adult.py", tmp_path, 600)
    released = pd.read_csv(tmp_path / "release.csv", dtype=str)
    known = ["age", "workclass", "education", "marital-status", "occupation"]
    groups = released.groupby([*known, "race", "sex", "native-country"], dropna=False)
    assert groups.size().min() >= 5
    assert groups["income"].nunique().min() >= 2
    assert (tmp_path / "report.html").exists()


def test_sdcmicro_testdata(tmp_path):
    run("sdcmicro_testdata.py", tmp_path, 400)
    numbers, records = (
        pd.read_csv(tmp_path / name / "release.csv") for name in ("numbers", "records")
    )
    assert numbers.groupby(["expend", "income", "savings"]).size().min() >= 3
    keys = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    assert records.groupby(["expend", "income", "savings", *keys]).size().min() >= 3
    assert (tmp_path / "records" / "report.html").exists()
