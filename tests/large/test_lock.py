"""One run at a time in a folder: a second is refused, whenever it comes."""

import os
import stat
import sys

import pytest

import microagg as ma
from microagg.data import lock
from microagg.data.lock import LOCK, alone_in
from microagg.errors import DataError, FileError, MicroaggError
from microagg.large import stages
from microagg.large.work import Work

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no locks that go with the process")

GIVEN = {"k": 5, "quasi_identifiers": ["x0", "x1", "x2"]}


def test_two_runs_in_one_folder(source, tmp_path):
    with alone_in(tmp_path / "out"), pytest.raises(FileError, match="Another run"):
        ma.protect_file(source(), tmp_path / "out", **GIVEN)
    ma.protect_file(source(), tmp_path / "out", **GIVEN)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "groups.parquet", "provenance.json", "release.parquet", "summary.txt",
    ]  # fmt: skip


def test_a_lock_that_its_owner_removes_meanwhile_is_not_held(tmp_path, monkeypatch):
    (tmp_path / "kept").write_text("so that the folder stays")
    first, plain = alone_in(tmp_path), lock._locked
    first.__enter__()

    def late(held):  # the second has opened the file, and only now the first ends
        monkeypatch.setattr(lock, "_locked", plain)
        first.__exit__(None, None, None)
        return plain(held)

    monkeypatch.setattr(lock, "_locked", late)
    with alone_in(tmp_path), pytest.raises(FileError, match="Another run"), alone_in(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_work_is_removed_while_nobody_else_comes_in(source, tmp_path, monkeypatch):
    plain, refused = Work.remove, []

    def remove(self):
        with pytest.raises(FileError, match="Another run"), alone_in(tmp_path / "out"):
            pass
        refused.append(self.folder.exists())
        plain(self)

    def wrong(*_):
        raise DataError("wrong")

    monkeypatch.setattr(Work, "remove", remove)
    monkeypatch.setattr(stages, "write_file", wrong)
    with pytest.raises(DataError, match="wrong"):
        ma.protect_file(source(), tmp_path / "out", **GIVEN)
    assert refused[-1]
    assert not (tmp_path / "out").exists()


def test_a_folder_that_stays_empty_is_removed(tmp_path):
    with alone_in(tmp_path / "a" / "b"):
        assert (tmp_path / "a" / "b").is_dir()
    assert not (tmp_path / "a" / "b").exists()


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_lock_that_is_a_link_is_refused_and_its_target_stays(tmp_path, link):
    records = tmp_path / "people.csv"
    records.write_text("age\n40\n")
    folder = tmp_path / "release"
    folder.mkdir()
    link(records, folder / LOCK)
    with pytest.raises(FileError, match="not a lock file"), alone_in(folder):
        pass
    assert records.read_text() == "age\n40\n"


def test_an_empty_folder_of_the_owner_stays_after_a_refusal(tmp_path):
    (tmp_path / "people.csv").write_text("age\n40\n41\n")
    (tmp_path / "out").mkdir(mode=0o700)
    for name in ("out", "new"):
        with pytest.raises(MicroaggError):
            ma.protect_file(
                tmp_path / "people.csv",
                tmp_path / name,
                3,
                quasi_identifiers=["age"],
                memory="500MB",
            )
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700
    assert not (tmp_path / "new").exists()
