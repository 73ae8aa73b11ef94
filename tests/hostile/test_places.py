"""Links in the way of outputs, and who may read what is written.

Somebody else may have put the links there: no file behind one is changed unless its owner asked to
overwrite that very output.
"""

import os

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.errors import FileError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and permissions as Unix has them")
OUTPUTS = ["release.csv", "groups.csv", "provenance.json", "summary.txt"]
LOCK = ".microagg-lock"
PRIVATE = {"groups.csv", "provenance.json"}
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
    with pytest.raises(FileError, match=r"exists already|in the way"):
        release.save(place)
    assert (place.parent / "people.csv").read_text() == PRECIOUS
    assert how != "dangling" or not target.exists()
    assert {path.name for path in place.iterdir()} == {name}


@pytest.mark.parametrize("how", ["symbolic", "hard", "dangling"])
def test_a_link_in_place_of_the_lock_is_refused_when_files_are_replaced(release, place, how):
    release.save(place)
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    put_link(place, LOCK, how)
    with pytest.raises(FileError, match="in the way"):
        release.save(place, overwrite=True)
    assert (place.parent / "people.csv").read_text() == PRECIOUS
    assert {name: (place / name).read_bytes() for name in before} == before


def test_a_hard_link_that_is_replaced_leaves_the_other_name_alone(release, place):
    put_link(place, "release.csv", "hard")
    release.save(place, overwrite=True)
    assert (place.parent / "people.csv").read_text() == PRECIOUS
    assert (place / "release.csv").read_text() != PRECIOUS


@pytest.mark.parametrize("mask", [0o000, 0o002, 0o022, 0o027, 0o077])
@pytest.mark.parametrize("existing", [None, 0o600, 0o644, 0o666])
def test_what_only_its_owner_should_see(release, place, mask, existing):
    """Groups and provenance are private whatever the umask and whatever was there before."""
    if existing is not None:
        for name in OUTPUTS:
            (place / name).touch()
            (place / name).chmod(existing)
    before = os.umask(mask)
    try:
        release.save(place, overwrite=True)
    finally:
        os.umask(before)
    for name in OUTPUTS:
        usual = 0o666 & ~mask if existing is None else existing
        assert (place / name).stat().st_mode & 0o777 == (0o600 if name in PRIVATE else usual), name
