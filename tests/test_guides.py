"""The examples of the guides run, and what they write holds what they say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import microagg as ma
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


NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def is_near(quoted, printed):
    """Tell whether two numbers agree as far as those of different types of processors."""
    difference = abs(float(quoted.replace(",", "")) - float(printed.replace(",", "")))
    few = 0 if "." in quoted else 3
    return difference <= max(few, 0.02 * float(quoted.replace(",", "")))


def missing_lines(quoted, output):
    """Return the quoted lines that no printed line resembles; a line is compared up to an ellipsis."""
    printed = [line.split(", ...")[0] for line in output.splitlines()]
    return [
        line for line in quoted if not any(resembles(line.split(", ...")[0], p) for p in printed)
    ]


def resembles(quoted, printed):
    numbers = NUMBER.findall(quoted), NUMBER.findall(printed)
    same_words = " ".join(NUMBER.sub("#", quoted).split()) == " ".join(
        NUMBER.sub("#", printed).split()
    )
    return same_words and all(map(is_near, *numbers))


@pytest.mark.parametrize(
    ("quoted", "near"),
    [
        ("loss: 6.903 %", True),
        ("loss: 7.1 %", False),
        ("loss: 6.903 % in 9 groups", False),
        ("sizes: 2,151 of 5, 585 of 6, ..., 1 of 9", True),
        ("sizes: 2,251 of 5, 585 of 6", False),
    ],
)
def test_lines_of_other_processors_resemble_each_other(quoted, near):
    printed = "loss: 6.897 %\nsizes: 2,149 of 5, 585 of 6, ..., 1 of 425"
    assert (missing_lines([quoted], printed) == []) is near


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
    rows = re.findall(r"^\|.*\| *[\d.,]+(?: %|%| \([\d.]+ %\))? \|$", text, re.MULTILINE)
    quoted = [line for line in summary.splitlines() if line.strip() not in ("", "...")]
    assert len(rows) >= 6
    assert missing_lines([*rows, *quoted], done.stdout) == []


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


@pytest.mark.slow
@NEEDS_DATA
def test_the_summary_in_the_guide_to_sdcmicro_is_that_of_its_example(tmp_path):
    said = run("sdcmicro_testdata.py", tmp_path, 4580)
    text = (ROOT / "docs" / "guides" / "from-sdcmicro.md").read_text(encoding="utf-8")
    (summary,) = re.findall(r"^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    quoted = [line for line in summary.splitlines() if line.strip() not in ("", "...")]
    assert len(quoted) >= 10
    assert [line for line in quoted if line not in said] == []


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_table_of_analysis_quality_is_that_of_the_notebook():
    notebook = (ROOT / "docs" / "notebooks" / "analysis.md").read_text(encoding="utf-8")
    cells = re.findall(
        r"^```\{code-cell\} ipython3\n(.*?)^```$", notebook, re.MULTILINE | re.DOTALL
    )
    names: dict = {}
    for cell in cells:
        exec(compile(cell, "cell", "exec"), names)
    guide = (ROOT / "docs" / "guides" / "analysis-quality.md").read_text(encoding="utf-8")
    printed = re.findall(r"^\| (original|k = \d+) \| ([\d.]+) \| ([\d.]+) \|$", guide, re.MULTILINE)
    measured = [(name, f"{r2:.3f}", f"{auc:.3f}") for name, (r2, auc) in names["rows"].items()]
    assert printed == measured
    place = names["measured"].index("s1")
    for which in ("original", "k = 5", "k = 10", "k = 20"):
        line = names["LinearRegression"]().fit(names["fits"][which], names["target"])
        assert f"{line.coef_[place] * names['scale']['s1']:.1f}" in guide


GROUPINGS = {
    "all columns": {},
    '`columns="emad:3"`': {"columns": "emad:3"},
    "`segments=4`": {"segments": 4},
    "`segments=3`": {"segments": 3},
    "`segments=2`": {"segments": 2},
    "`individual-ranking`": {"method": "individual-ranking"},
}


@pytest.mark.slow
@NEEDS_DATA
@pytest.mark.filterwarnings("ignore::microagg.MicroaggWarning")
@pytest.mark.parametrize("name", ["tarragona", "census"])
def test_the_table_of_columns_and_segments_is_measured(name):
    data = ma.datasets.load(name)
    lines = []
    for words, options in GROUPINGS.items():
        choice = {"method": "mdav", **options}
        release = ma.protect(data.frame, k=3, quasi_identifiers=data.columns, **choice)
        measures = ma.assess(
            data.frame,
            release.data,
            quasi_identifiers=data.columns,
            measures=["il", "k", "linkage", "interval-disclosure"],
        ).measures
        figures = f"{measures['il']:.2f} | {measures['k']:.0f} | {measures['linkage']:.1f}"
        lines.append(f"| {words} | {figures} | {measures['interval-disclosure']:.2f} |")
    page = (ROOT / "docs" / "columns.md").read_text(encoding="utf-8")
    assert [line for line in lines if line not in page] == []


LIMITS = {
    "none": {},
    "`l_diversity=2`": {"l_diversity": 2},
    "`t_closeness=0.2`": {"t_closeness": 0.2},
    "both": {"l_diversity": 2, "t_closeness": 0.2},
}


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("ignore::microagg.MicroaggWarning")
@NEEDS_DATA
def test_the_table_of_limits_is_measured():
    """On all records of Adult, with the values counted by pandas."""
    page = (ROOT / "docs" / "beyond-k.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d*) ?\| (none|both|`[a-z_]+=[\d.]+`) \| (.*) \|$", page, re.MULTILINE)
    data = ma.datasets.load("adult")
    frame = data.frame.to_pandas()[[*data.columns, "income"]]
    roles = {"quasi_identifiers": data.columns, "confidential": ["income"], "method": "mdav"}
    high = frame["income"] == ">50K"
    k, quoted, measured = 0, [], []
    for number, words, figures in rows:
        k = int(number or k)
        release = ma.protect(frame, k=k, **roles, **LIMITS[words])
        classes = release.data.groupby(list(data.columns))["income"]
        shares = high.groupby(classes.ngroup()).mean()
        distance = (shares - high.mean()).abs().max()
        groups, loss = release.partition.n_groups, release.measures["il"]
        line = f"{groups:,} | {loss:.2f} | {classes.nunique().min()} | {distance:.3f}"
        quoted.append(f"k {k} {words} | {figures}")
        measured.append(f"k {k} {words} | {line}")
    assert len(quoted) == 7
    assert missing_lines(quoted, "\n".join(measured)) == []
