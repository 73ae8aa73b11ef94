"""protect --memory: a folder, its refusals, and what Ctrl-C keeps."""

import json

import pytest

import microagg as ma

QI = ("-k", "2", "--qi", "age,income")


def test_a_folder_comes_out(microagg, people, tmp_path):
    said = microagg(
        "protect", people, *QI, "--id", "name", "-o", tmp_path / "out", "--memory", "1GB"
    )
    assert said.code == 0, said.err
    assert "groups, formed by blocks (mdav-nc)" in said.err
    assert str(tmp_path / "out" / "release.csv") in said.err
    assert (said.out, "name" in (tmp_path / "out" / "release.csv").read_text()) == (b"", False)


def test_roles_from_a_schema_file(microagg, people, tmp_path):
    roles = tmp_path / "roles.toml"
    roles.write_text('quasi_identifiers = ["age", "income"]\nidentifiers = ["name"]\n')
    arguments = ("-k", "2", "--schema", roles, "-o", tmp_path / "out", "--memory", "1GB")
    assert microagg("protect", people, *arguments).code == 0
    twice = microagg("protect", people, *arguments, "--qi", "age")
    assert "Roles are specified twice" in twice.err


def test_numbers_for_programs_and_the_same_again_in_memory(microagg, people, tmp_path):
    out = tmp_path / "out"
    said = microagg(
        "protect", people, *QI, "-o", out, "--memory", "1GB", "--set", "block_size=8", "--json"
    )
    found = json.loads(said.out)
    assert found["files"]["data"] == str(out / "release.csv")
    assert found["arguments"]["parameters"] == {"within": "mdav-nc", "block_size": 8}
    provenance = out / "provenance.json"
    again = microagg("protect", people, "--repeat", provenance, "-o", tmp_path / "again.csv")
    assert again.code == 0, again.err
    assert (tmp_path / "again.csv").read_bytes() == (out / "release.csv").read_bytes()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--refine", "swap-shift"], "'--refine' option cannot be used with --memory"),
        (["--l-diversity", "2"], "applies to confidential columns, but none is named"),
        (["--repeat", "p.json"], "takes every option from the provenance file, but -k is also set"),
        (["--unit", "nam"], "The '--unit' option names a column 'nam' that is not in the data"),
        (["--set", "gamma=1"], "has no parameter 'gamma'. It takes: within, block_size"),
        (["--set", "block_size=x"], "must be an integer"),
        (["--missing", "impute"], "'--missing' option cannot be 'impute'"),
        (["--cluster", "nowhere", "--workers", "2"], "options cannot be combined"),
        (["--set", "within=blocks"], "cannot be 'blocks'"),
        (["--method", "mdav"], "Leave it out; --set within=mdav groups each block"),
    ],
)
def test_what_cannot_be_had_with_it(microagg, people, tmp_path, options, words):
    out = tmp_path / "out"
    said = microagg("protect", people, *QI, "-o", out, "--memory", "1GB", *options)
    assert said.code == 1
    assert words in said.err
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([*QI, "--memory", "1GB"], "'--memory' option needs --output"),
        (["--qi", "age", "-o", "out", "--memory", "1GB"], "'-k' option is missing"),
        ([*QI, "-o", "out", "--memory", "9MB"], "Hint: Set --memory 4"),
        ([*QI, "-o", "out.csv", "--memory", "1GB"], "'--output' option must be a folder"),
    ],
)
def test_what_it_needs(microagg, people, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    said = microagg("protect", people, *arguments)
    assert (said.code, words in said.err) == (1, True), said.err


def test_an_interrupt_says_what_is_kept(microagg, people, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("microagg.large.stages.release_one", interrupted)
    arguments = ("protect", people, *QI, "-o", tmp_path / "out", "--memory", "1GB")
    said = microagg(*arguments)
    assert f"kept in '{tmp_path / 'out' / '.microagg-work'}'" in said.err
    monkeypatch.undo()
    assert microagg(*arguments).code == 0
    assert ma.read_file(tmp_path / "out" / "release.csv").num_rows > 0


@pytest.fixture
def folder(people, tmp_path):
    """Return a folder of two files."""
    table = ma.read_file(people)
    parts = tmp_path / "parts"
    for number in range(2):
        (parts / f"year={number}").mkdir(parents=True)
        ma.write_file(table, parts / f"year={number}" / "people.csv")
    return parts


def test_a_folder_is_repeated_byte_for_byte(microagg, folder, tmp_path):
    first, again = tmp_path / "first", tmp_path / "again"
    large = ("--memory", "1GB")
    assert microagg("protect", folder, *QI, "--id", "name", "-o", first, *large).code == 0
    repeat = ("--repeat", first / "provenance.json")
    said = microagg("protect", folder, *repeat, "-o", again, *large)
    assert (said.code, "CAUTION: The" in said.err) == (0, False), said.err
    for part in ("release", "groups"):
        written = [sorted((at / part).rglob("*.csv")) for at in (first, again)]
        assert len(written[0]) == 2
        assert [p.read_bytes() for p in written[0]] == [p.read_bytes() for p in written[1]]


def test_other_files_are_not_taken_for_those_of_the_release(microagg, folder, tmp_path):
    first, again = tmp_path / "first", tmp_path / "again"
    assert microagg("protect", folder, *QI, "-o", first, "--memory", "1GB").code == 0
    next(folder.rglob("*.csv")).rename(folder / "other.csv")
    repeat = ("--repeat", first / "provenance.json", "--memory", "1GB")
    said = microagg("protect", folder, *repeat, "-o", again)
    assert said.code == 1
    assert "are not those that" in said.err
    assert not again.exists()


def test_a_release_without_the_hash_of_its_file_is_not_repeated(microagg, people, tmp_path):
    frame = ma.read_file(people, parse=["age", "income"])
    paths = ma.protect(frame, 2, quasi_identifiers=["age", "income"]).save(tmp_path / "first")
    repeat = ("--repeat", paths["provenance"], "--memory", "1GB")
    said = microagg("protect", people, *repeat, "-o", tmp_path / "again")
    assert (said.code, "contains no SHA-256 of the input" in said.err) == (1, True), said.err
    assert "without --memory" in said.err
    assert not (tmp_path / "again").exists()


def test_other_bytes_than_those_recorded_are_a_caution(microagg, people, tmp_path):
    first = tmp_path / "first"
    assert microagg("protect", people, *QI, "-o", first, "--memory", "1GB").code == 0
    recorded = json.loads((first / "provenance.json").read_text())
    recorded["release"]["sha256"] = "0" * 64
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(recorded))
    said = microagg(
        "protect", people, "--repeat", changed, "--memory", "1GB", "-o", tmp_path / "again"
    )
    assert "CAUTION: The bytes differ from those of the recorded release." in said.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("protect", "parts", *QI, "-o", "out.csv"),
        ("protect", "parts", "--repeat", "provenance.json", "-o", "out.csv"),
        ("assess", "parts", "parts", "--blank", "?"),
    ],
)
def test_a_folder_needs_a_memory(microagg, folder, monkeypatch, arguments):
    monkeypatch.chdir(folder.parent)
    said = microagg(*arguments)
    assert said.code == 1
    assert "'parts' is a folder, and folders are read piece by piece." in said.err
    assert "Set --memory 2GB, for example" in said.err
