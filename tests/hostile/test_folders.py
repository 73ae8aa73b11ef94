"""Folders as input: only the files that are really in them are read, and none is left out silently."""

import os

import pytest

import microagg as ma
from microagg.errors import FileError

RECORDS = "age,v\n" + "".join(f"{20 + i},{i % 3}\n" for i in range(30))


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "in"
    path.mkdir()
    (path / "a.csv").write_text(RECORDS)
    return path


def to_another_file(folder):
    other = folder.parent / "private.csv"
    other.write_text(RECORDS)
    (folder / "b.csv").symlink_to(other)


def to_another_folder(folder):
    other = folder.parent / "private"
    other.mkdir()
    (other / "b.csv").write_text(RECORDS)
    (folder / "more").symlink_to(other)


SPECIAL = {
    "a link to another file": to_another_file,
    "a link to another folder": to_another_folder,
    "a link to a part": lambda folder: (folder / "b.csv").symlink_to(folder / "a.csv"),
    "a broken link": lambda folder: (folder / "b.csv").symlink_to(folder / "none.csv"),
    "a pipe": lambda folder: os.mkfifo(folder / "b.csv"),
}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes in folders")
@pytest.mark.parametrize("add", SPECIAL.values(), ids=SPECIAL)
def test_links_and_pipes_in_a_folder_are_refused(folder, tmp_path, add):
    add(folder)
    with pytest.raises(FileError, match=r"is a (symbolic link|pipe)"):
        ma.protect_file(folder, tmp_path / "out", k=3, quasi_identifiers=["age"])
    assert not (tmp_path / "out" / "release").exists()


@pytest.mark.skipif(os.name == "nt", reason="links need a right on Windows")
def test_the_folder_itself_may_be_a_link(folder, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    release = ma.protect_file(tmp_path / "link", tmp_path / "out", k=3, quasi_identifiers=["age"])
    assert release.outcome.records == 30


def test_a_folder_that_is_not_of_a_release_is_not_replaced(folder, tmp_path):
    """With `overwrite`, a folder that happened to be called release went with all that was in it."""
    other = tmp_path / "out" / "release" / "notes.txt"
    other.parent.mkdir(parents=True)
    other.write_text("mine")
    options = {"k": 3, "quasi_identifiers": ["age"], "memory": "500MB", "overwrite": True}
    with pytest.raises(FileError, match="not part of a release"):
        ma.protect_file(folder, tmp_path / "out", **options)
    assert other.read_text() == "mine"
    for _ in range(2):  # the second replaces the first
        ma.protect_file(folder, tmp_path / "new", **options)
