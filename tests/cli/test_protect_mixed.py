"""`microagg protect` on categories, blanks, weights and strata."""

import json
from pathlib import Path

import pytest

from microagg.values_by_name import by_column

ROWS = ["age,sex,grade,land,w,region"] + [
    f"{20 + i},{'?' if i % 5 == 0 else 'fm'[i % 2]},{['low', 'mid', 'high'][i % 3]},"
    f"{['es', 'it', 'ke'][i % 3]},{1 + i % 4},{'ns'[i % 2]}"
    for i in range(24)
]


@pytest.fixture
def mixed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path("mixed.csv")
    path.write_text("\n".join(ROWS) + "\n")
    Path("levels.csv").write_text("es;europe;*\nit;europe;*\nke;africa;*\n")
    return path


OPTIONS = [
    *("-k", "3", "--qi", "age,sex,grade,land", "--order", "grade=low,mid,high", "--blank", "?"),
    *("--missing", "group", "--weights", "w", "--strata", "region", "--small-strata", "merge"),
    *("--hierarchy", "land=levels.csv", "--aggregate", "age=median,grade=mode", "--seed", "4"),
    *("--column-weight", "age=2", "--round-to", "age=1", "--distance", "euclidean"),
]


def test_every_option_at_once_and_again(microagg, mixed):
    assert microagg("protect", mixed, *OPTIONS, "-o", "one.csv", "--json").code == 0
    lines = Path("one.csv").read_text().splitlines()
    assert lines[0] == ROWS[0]
    released = [line.split(",") for line in lines[1:]]
    keys = [tuple(row[:4]) for row in released]
    assert min(keys.count(key) for key in keys) >= 3
    assert {row[1] for row in released} <= {"f", "m", ""}
    arguments = json.loads(Path("one.provenance.json").read_text())
    assert arguments["input"]["blank"] == ["?"]
    assert arguments["arguments"]["strata"] == ["region"]
    again = microagg("protect", mixed, "--repeat", "one.provenance.json", "-o", "two.csv")
    assert again.code == 0, again.err
    assert Path("two.csv").read_bytes() == Path("one.csv").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--qi", "age,sex", "--blank", "?"], "'sex' has 5 missing values"),
        (["--qi", "age", "--kinds", "age"], "'--kinds' option must be column=value"),
        (
            ["--qi", "age", "--column-weight", "age=x"],
            "'--column-weight' option must contain a number",
        ),
        (["--qi", "grade", "--kinds", "grade=ordinal"], "--order grade=low,high"),
        (["--qi", "age", "--missing", "drop"], "'--missing' option must be"),
        (["--qi", "age", "--strata", "w"], "--small-strata merge"),
    ],
)
def test_what_is_refused(microagg, mixed, options, message):
    said = microagg("protect", mixed, "-k", "7", *options, "-o", "one.csv")
    assert said.code == 1
    assert message in said.err
    assert not Path("one.csv").exists()


def test_a_code_for_blanks_among_categories_is_said(microagg, mixed):
    said = microagg("protect", mixed, "-k", "7", "--qi", "sex", "-o", "one.csv")
    assert "CAUTION: Column 'sex' has a category that looks like a code" in said.err


def test_entries():
    assert by_column(["a=1,b=2", "c=x=y"], "o", []) == {"a": "1", "b": "2", "c": "x=y"}
    assert by_column(["grade=low,mid"], "orders", []) == {"grade": "low,mid"}


def test_dates_of_a_text_file(microagg, mixed):
    rows = [f"{20 + i},{'' if i == 3 else f'1980-{1 + i % 12:02}-11'}" for i in range(24)]
    Path("born.csv").write_text("\n".join(["age,born", *rows]) + "\n")
    options = ("-k", "3", "--qi", "age,born", "--kinds", "born=continuous", "--missing", "group")
    assert microagg("protect", "born.csv", *options, "-o", "out.csv").code == 0
    released = [line.split(",")[1] for line in Path("out.csv").read_text().splitlines()[1:]]
    assert all(len(date) == 10 and date.startswith("1980-") for date in released)
    plain = microagg("protect", "born.csv", *options[:4], "--missing", "group", "-o", "names.csv")
    assert plain.code == 0
    assert "look like dates: born" in plain.err


def test_confidential_amounts_are_compared_by_order_and_codes_by_equality(microagg, mixed):
    rows = [f"{20 + i},{1000 + 37 * i},{[250, 401, 410][i % 3]}" for i in range(60)]
    Path("pay.csv").write_text("\n".join(["age,pay,code", *rows]) + "\n")
    options = ("-k", "3", "--qi", "age", "--confidential", "pay,code", "--t-closeness", "0.4")
    assert microagg("protect", "pay.csv", *options, "-o", "out.csv").code == 0
    kept = json.loads(Path("out.provenance.json").read_text())["result"]["beyond_k"]
    assert kept[0]["nominal"] == ["code"]
    written = [line.split(",")[1:] for line in Path("out.csv").read_text().splitlines()[1:]]
    assert written == [row.split(",")[1:] for row in rows]


@pytest.mark.parametrize(("column", "code"), [("pay", "N"), ("job", "?")])
def test_messages_about_codes_for_missing_values_name_the_option(microagg, tmp_path, column, code):
    values = [str(i) if column == "pay" else "ab"[i % 2] for i in range(20)]
    values[3:9] = [code] * 6
    path = tmp_path / "p.csv"
    path.write_text(f"{column}\n" + "".join(f"{value}\n" for value in values))
    assert (
        "--blank"
        in microagg("protect", path, "-k", 3, "--qi", column, "-o", tmp_path / "r.csv").err
    )


def test_the_help_of_verify_mentions_units(microagg):
    assert b"units" in microagg("verify", "--help").out
