"""Links in the way of outputs, and who may read what is written.

Somebody else may have put the links there: no file behind one is changed unless its owner asked to
overwrite that very output.
"""

import os
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.errors import FileError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and permissions as Unix has them")
OUTPUTS = ["release.csv", "groups.csv", "provenance.json", "summary.txt"]
REPORT = "report.html"
LOCK = ".microagg-lock"
PRIVATE = {"groups.csv", "provenance.json", "summary.txt", REPORT}
PRECIOUS = "name,age\nAda,36\n"


@pytest.fixture(scope="module")
def release():
    frame = pd.DataFrame({"x": np.random.default_rng(0).normal(size=30)})
    return ma.protect(frame, 3, quasi_identifiers=["x"], method="mdav")


@pytest.fixture
def place(tmp_path):
    """Return an empty folder for a release, beside a file that must not change."""
    (tmp_path / "people.csv").write_text(PRECIOUS)
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def put_link(place, name, how):
    """Put a link of some sort at a name; return the file that it leads to."""
    target = place.parent / ("nowhere.csv" if how == "dangling" else "people.csv")
    if how == "hard":
        (place / name).hardlink_to(target)
    else:
        (place / name).symlink_to(target)
    return target


@pytest.mark.parametrize("name", [*OUTPUTS, LOCK])
@pytest.mark.parametrize("how", ["symbolic", "hard", "dangling"])
def test_a_link_is_not_written_through(release, place, name, how):
    target = put_link(place, name, how)
    with pytest.raises(FileError, match=r"exists already|not a lock file"):
        release.save(place)
    assert (place.parent / "people.csv").read_text() == PRECIOUS
    assert how != "dangling" or not target.exists()
    assert {path.name for path in place.iterdir()} == {name}


@pytest.mark.parametrize("how", ["symbolic", "hard", "dangling"])
def test_a_link_in_place_of_the_lock_is_refused_when_files_are_replaced(release, place, how):
    release.save(place)
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    put_link(place, LOCK, how)
    with pytest.raises(FileError, match="not a lock file"):
        release.save(place, overwrite=True)
    assert (place.parent / "people.csv").read_text() == PRECIOUS
    assert {name: (place / name).read_bytes() for name in before} == before


def test_a_hard_link_that_is_replaced_leaves_the_other_name_alone(release, place):
    put_link(place, "release.csv", "hard")
    release.save(place, overwrite=True)
    assert (place.parent / "people.csv").read_text() == PRECIOUS
    assert (place / "release.csv").read_text() != PRECIOUS


@contextmanager
def umask(mask):
    """Set the umask for a while."""
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize("mask", [0o000, 0o002, 0o022, 0o027, 0o077])
@pytest.mark.parametrize("existing", [None, 0o600, 0o644, 0o666])
def test_what_only_its_owner_should_see(release, place, mask, existing):
    """Groups and provenance are private whatever the umask and whatever was there before."""
    names = [*OUTPUTS, REPORT]
    if existing is not None:
        for name in names:
            (place / name).touch()
            (place / name).chmod(existing)
    with umask(mask):
        release.save(place, overwrite=True)
        release.write({"report": place / REPORT}, overwrite=True)
    for name in names:
        usual = 0o666 & ~mask if existing is None else existing
        assert (place / name).stat().st_mode & 0o777 == (0o600 if name in PRIVATE else usual), name


@pytest.mark.parametrize("mask", [0o000, 0o027])
@pytest.mark.parametrize("parts", [False, True])
@pytest.mark.parametrize("again", [False, True])
def test_what_only_its_owner_should_see_of_a_large_release(place, mask, parts, again):
    """In a folder of parts as in a file: folders 0700 and files 0600, but for the data."""
    source = write_parts(place.parent / "people") if parts else place.parent / "people.csv"
    if not parts:
        ma.write_file(people(), source, overwrite=True)
    with umask(mask):
        for _ in range(1 + again):
            ma.protect_file(
                source, place / "out", k=3, quasi_identifiers=["x", "t"], identifiers=["name"],
                memory="500MB", overwrite=again,
            )  # fmt: skip
    for path in (place / "out").rglob("*"):
        name = path.relative_to(place / "out").parts[0]
        private = name.startswith(("groups", "provenance", "summary"))
        usual = (0o777 if path.is_dir() else 0o666) & ~mask
        own = 0o700 if path.is_dir() else 0o600
        assert path.stat().st_mode & 0o777 == (own if private else usual), path.name


def people():
    """Return records of several kinds."""
    rng = np.random.default_rng(0)
    town = rng.choice(["a", "b", "c"], 90)
    return pd.DataFrame({"name": [f"p{i}" for i in range(90)], "x": rng.normal(size=90), "t": town})


def write_parts(folder):
    """Write the records as files in folders."""
    for number, part in enumerate(np.array_split(np.arange(90), 3)):
        inner = folder / f"part={number}"
        inner.mkdir(parents=True)
        ma.write_file(people().iloc[part], inner / "records.parquet")
    return folder
