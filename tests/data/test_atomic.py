"""Files are replaced whole or not at all."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from microagg.data import lock
from microagg.data.atomic import refuse_overwrite, refuse_same_file, replacing, same_file
from microagg.data.lock import alone_in
from microagg.data.open_folder import OpenFolder
from microagg.errors import DataError, FileError, ParameterError


def names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def write(paths, text: str, error: BaseException | None = None) -> None:
    with replacing(*paths) as beside:
        for path in beside:
            path.write_text(text)
        if error is not None:
            raise error


@pytest.fixture
def pair(tmp_path) -> tuple[Path, Path]:
    """Return two targets: the first exists, the second does not."""
    (tmp_path / "a.csv").write_text("old")
    return tmp_path / "a.csv", tmp_path / "b.csv.gz"


def test_all_targets_appear_at_the_end_and_not_before(pair, tmp_path):
    with replacing(*pair) as beside:
        for path, text in zip(beside, ("new a", "new b"), strict=True):
            assert path.resolve().parent.parent == tmp_path  # on the same disk
            path.write_text(text)
        assert beside[0].name.endswith(".csv")
        assert beside[1].name.endswith(".csv.gz")
        assert pair[0].read_text() == "old"
        assert not pair[1].exists()
    assert [path.read_text() for path in pair] == ["new a", "new b"]
    assert names(tmp_path) == {"a.csv", "b.csv.gz"}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
def test_an_exception_leaves_everything_as_it_was(pair, tmp_path, error):
    with pytest.raises(error):
        write(pair, "half", error())
    assert pair[0].read_text() == "old"
    assert names(tmp_path) == {"a.csv"}


@pytest.mark.parametrize("failing", [1, 2, 3])
@pytest.mark.parametrize("error", [PermissionError(13, "denied"), KeyboardInterrupt()])
def test_when_one_renaming_fails_the_others_are_undone(pair, tmp_path, monkeypatch, failing, error):
    third = tmp_path / "c.csv"
    third.write_text("old c")
    real, calls = os.replace, []

    def replace(source, target):
        calls.append(target)
        if len(calls) == failing:
            raise error
        real(source, target)

    expected = FileError if isinstance(error, OSError) else KeyboardInterrupt
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        with pytest.raises(expected):
            write([*pair, third], "new")
    assert (pair[0].read_text(), third.read_text()) == ("old", "old c")
    assert names(tmp_path) == {"a.csv", "c.csv"}


def test_without_hard_links_nothing_is_lost(pair, tmp_path, monkeypatch):
    def no_links(*_):
        raise OSError(errno.EPERM, "not here")

    def no_second(source, target, real=os.replace):
        if Path(target).name == "b.csv.gz":
            raise PermissionError(13, "denied")
        real(source, target)

    monkeypatch.setattr(os, "link", no_links)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", no_second)
        with pytest.raises(FileError):
            write(pair, "new")
    assert pair[0].read_text() == "new"  # no way back, but whole
    assert names(tmp_path) == {"a.csv"}


def test_modes(tmp_path):
    old = os.umask(0o027)
    try:
        with replacing(tmp_path / "new.csv") as (beside,):
            beside.write_text("x")
        assert stat.S_IMODE((tmp_path / "new.csv").stat().st_mode) == 0o640
        (tmp_path / "new.csv").chmod(0o600)  # closed to others: must not open up
        with replacing(tmp_path / "new.csv") as (beside,):
            beside.write_text("y")
        assert stat.S_IMODE((tmp_path / "new.csv").stat().st_mode) == 0o600
    finally:
        os.umask(old)


def test_private_files_are_closed_to_others(tmp_path):
    open_to_all, closed = tmp_path / "release.csv", tmp_path / "groups.csv"
    closed.write_text("old")
    closed.chmod(0o644)
    old = os.umask(0o022)
    try:
        with replacing(open_to_all, closed, private=[closed]) as beside:
            assert stat.S_IMODE(beside[1].stat().st_mode) == 0o600  # from the start
            for path in beside:
                path.write_text("x")
    finally:
        os.umask(old)
    assert stat.S_IMODE(open_to_all.stat().st_mode) == 0o644
    assert stat.S_IMODE(closed.stat().st_mode) == 0o600


def test_what_appears_meanwhile_is_not_overwritten(pair, tmp_path):
    third = tmp_path / "c.csv"

    def late() -> None:
        with replacing(pair[1], third, overwrite=False) as beside:
            for path in beside:
                path.write_text("ours")
            third.write_text("theirs")

    with pytest.raises(FileError, match=r"c\.csv' exists already"):
        late()
    assert third.read_text() == "theirs"
    assert names(tmp_path) == {"a.csv", "c.csv"}
    with pytest.raises(FileError, match=r"a\.csv' exists"), replacing(pair[0], overwrite=False):
        pytest.fail("the block must not run")


def test_a_commit_waits_for_another_one(pair, tmp_path, monkeypatch):
    monkeypatch.setattr(lock, "PATIENCE", 0.05)
    with alone_in(tmp_path), pytest.raises(FileError, match="Another run is using"):
        write(pair, "new")
    assert names(tmp_path) == {"a.csv"}
    assert pair[0].read_text() == "old"
    write(pair, "new")
    assert names(tmp_path) == {"a.csv", "b.csv.gz"}


WRITER = """
import sys
from pathlib import Path
from microagg.data import lock
from microagg.data.atomic import replacing
from microagg.data.lock import alone_in
from microagg.errors import FileError

folder, word, overwrite = Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "True"
done = 0
for turn in range(100):
    paths = [folder / f"{0 if overwrite else turn}{name}" for name in ("data", "groups", "report")]
    try:
        with replacing(*paths, overwrite=overwrite) as beside:
            for path in beside:
                path.write_text(f"{word}{turn}")
        done += 1
    except FileError:  # the other writer's files may still be getting their names
        pass
print(done)
"""


@pytest.mark.parametrize("overwrite", [True, False])
def test_two_writers_never_mix_their_files(tmp_path, overwrite):
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    running = [
        subprocess.Popen([*command, word, str(overwrite)], stdout=subprocess.PIPE, text=True)
        for word in ("a", "b")
    ]
    counts = [int(process.communicate(timeout=120)[0]) for process in running]
    assert sum(counts) == (200 if overwrite else 100)
    for turn in range(1 if overwrite else 100):
        names = [f"{turn}{name}" for name in ("data", "groups", "report")]
        assert len({(tmp_path / name).read_text() for name in names}) == 1
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("kind", ["symbolic", "hard", "folder", "fifo", "file"])
def test_a_lock_never_touches_what_is_not_its_own(pair, tmp_path, kind):
    source = tmp_path / "input.csv"
    source.write_text("records")
    in_the_way = tmp_path / lock.LOCK
    if kind == "symbolic":
        in_the_way.symlink_to(source)
    elif kind == "hard":
        os.link(source, in_the_way)
    elif kind == "folder":
        in_the_way.mkdir()
    elif kind == "fifo":
        os.mkfifo(in_the_way)
    else:
        in_the_way.write_text("mine")
    with pytest.raises(FileError, match="is not a lock file of microagg"):
        write(pair, "new")
    assert source.read_text() == "records"
    assert pair[0].read_text() == "old"
    assert os.path.lexists(in_the_way)


def test_names_that_are_too_long_are_an_error_of_ours(tmp_path):
    path = tmp_path / ("x" * 300 + ".csv")
    for overwrite in (True, False):
        with (
            pytest.raises(FileError, match="File name too long"),
            replacing(path, overwrite=overwrite),
        ):
            pytest.fail("the block must not run")
    with pytest.raises(FileError, match="File name too long"):
        refuse_overwrite([path], overwrite=False)
    assert names(tmp_path) == set()


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    with replacing(tmp_path / "link.csv") as (beside,):
        beside.write_text("new")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "new"


def test_a_link_of_another_user_is_not_followed(tmp_path, monkeypatch):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    if os.geteuid() == 0:
        os.lchown(tmp_path / "link.csv", 54321, -1)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with (
        pytest.raises(FileError, match="belongs to another user"),
        replacing(tmp_path / "link.csv"),
    ):
        pytest.fail("the block must not run")
    assert (tmp_path / "real.csv").read_text() == "old"


@pytest.mark.skipif(os.name != "posix", reason="there are no such owners")
def test_files_on_a_share_that_maps_users(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    with replacing(tmp_path / "a.csv") as (beside,):
        beside.write_text("new")
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders away")
def test_a_folder_of_another_user_is_not_ours(tmp_path):
    other = tmp_path / "other"
    other.mkdir(mode=0o777)
    os.chown(other, 54321, -1)
    with pytest.raises(FileError, match="a folder of another user"):
        OpenFolder(other, own=True)
    assert not any(other.iterdir())


def test_the_number_of_the_process_may_be_that_of_another_one(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "getpid", lambda: 1)  # as in a namespace with the /proc of the host
    with replacing(tmp_path / "a.csv") as (beside,):
        beside.write_text("new")
    assert (tmp_path / "a.csv").read_text() == "new"


def test_files_are_reached_by_name_where_descriptors_have_no_path(tmp_path, monkeypatch):
    monkeypatch.setattr("microagg.data.open_folder._leads_to", lambda *_: False)
    with replacing(tmp_path / "a.csv") as (beside,):
        assert beside.parent.parent == tmp_path
        beside.write_text("new")
    assert (tmp_path / "a.csv").read_text() == "new"


def test_a_link_that_comes_meanwhile_is_replaced_itself(pair, tmp_path):
    (tmp_path / "precious").write_text("precious")
    with replacing(pair[1]) as (beside,):
        beside.write_text("new")
        pair[1].symlink_to(tmp_path / "precious")
    assert not pair[1].is_symlink()
    assert pair[1].read_text() == "new"
    assert (tmp_path / "precious").read_text() == "precious"


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no paths by descriptor")
@pytest.mark.parametrize("overwrite", [True, False])
def test_a_folder_that_is_swapped_meanwhile_leads_nowhere_else(tmp_path, overwrite):
    folder, other = tmp_path / "out", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    (other / "a.csv").write_text("precious")
    with replacing(folder / "a.csv", overwrite=overwrite) as (beside,):
        folder.rename(tmp_path / "moved")
        folder.symlink_to(other)
        (stage,) = (tmp_path / "moved").iterdir()
        stage.rename(tmp_path / "stage")
        stage.symlink_to(other)
        beside.write_text("new")
    assert (tmp_path / "moved" / "a.csv").read_text() == "new"
    assert {path.name: path.read_text() for path in other.iterdir()} == {"a.csv": "precious"}


def test_a_pipe_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="device or a pipe"), replacing(tmp_path / "pipe"):
        pytest.fail("the block must not run")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_errors_name_folders_and_not_descriptors(tmp_path):
    (tmp_path / lock.LOCK).mkdir()
    with pytest.raises(FileError) as caught:
        write([tmp_path / "a.csv"], "new")
    assert str(tmp_path / lock.LOCK) in str(caught.value)
    assert "/proc/" not in str(caught.value)


def test_names_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("x" * 251 + ".csv")
    with replacing(path) as (beside,):
        beside.write_text("x")
    assert path.read_text() == "x"


def test_places_where_nothing_can_be_written(tmp_path, monkeypatch):
    for path, says in [(tmp_path / "none" / "a.csv", "no folder"), (tmp_path, "is a folder")]:
        with pytest.raises(FileError, match=says) as caught, replacing(path):
            pytest.fail("the block must not run")
        assert caught.value.hint
    with (
        pytest.raises(ParameterError, match="same path"),
        replacing(tmp_path / "a", tmp_path / "a"),
    ):
        pytest.fail("the block must not run")

    def closed(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", closed)
    with pytest.raises(FileError, match="no permission to write") as caught:
        write([tmp_path / "a.csv"], "new")
    assert str(tmp_path / "a.csv") in caught.value.message
    assert caught.value.hint


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_closed_folder(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(FileError, match="no permission to write"):
        write([tmp_path / "a.csv"], "new")


def test_a_full_disk(pair, tmp_path):
    with pytest.raises(FileError, match="disk is full") as caught:
        write(pair, "half", OSError(errno.ENOSPC, "No space left on device"))
    assert str(pair[0]) in caught.value.message
    assert pair[0].read_text() == "old"
    assert names(tmp_path) == {"a.csv"}


def test_errors_of_the_block_speak_of_the_target(pair):
    with pytest.raises(DataError) as caught, replacing(*pair) as beside:
        raise DataError(f"'{beside[1]}' is wrong.", hint="Correct it.")
    assert str(caught.value) == f"'{pair[1]}' is wrong.\nHint: Correct it."
    with (
        pytest.raises(FileError, match="could not be written") as caught,
        replacing(*pair) as beside,
    ):
        raise OSError(errno.EIO, "Input/output error", str(beside[0]))
    assert str(pair[0]) in caught.value.message


def test_errors_about_other_files_are_left_alone(pair, tmp_path):
    with pytest.raises(FileNotFoundError), replacing(*pair):
        (tmp_path / "other.csv").read_text()
    assert names(tmp_path) == {"a.csv"}


def test_overwriting_must_be_asked_for(pair):
    with pytest.raises(FileError, match=r"a\.csv' exists") as caught:
        refuse_overwrite(pair, overwrite=False)
    assert "overwrite=True" in caught.value.hint
    assert "overwrite=True" in caught.value.hint
    refuse_overwrite(pair, overwrite=True)
    refuse_overwrite([pair[1]], overwrite=False)


def test_the_input_is_found_behind_any_name(tmp_path, monkeypatch):
    source = tmp_path / "a.csv"
    source.write_text("x")
    (tmp_path / "soft.csv").symlink_to(source)
    os.link(source, tmp_path / "hard.csv")
    (tmp_path / "copy.csv").write_text("x")
    monkeypatch.chdir(tmp_path)
    for other in ("a.csv", "./a.csv", source, "soft.csv", "hard.csv", f"../{tmp_path.name}/a.csv"):
        assert same_file(source, other)
        with pytest.raises(FileError, match="is the input itself"):
            refuse_same_file(source, other)
    for other in ("copy.csv", "none.csv"):
        assert not same_file(source, other)
        refuse_same_file(source, other)


@pytest.mark.parametrize("call", ["open", "link", "mkdir"])
def test_a_signal_right_after_a_file_is_created_leaves_none_behind(tmp_path, monkeypatch, call):
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path in paths:
        path.write_text("old")
    real = getattr(os, call)

    def struck(*arguments, **options):
        made = real(*arguments, **options)
        if call != "open" or arguments[1] & os.O_CREAT:
            monkeypatch.undo()
            raise KeyboardInterrupt
        return made

    def write():
        with replacing(*paths) as beside:
            for path in beside:
                path.write_text("new")
            if call == "link":
                monkeypatch.setattr(os, call, struck)

    if call != "link":
        monkeypatch.setattr(os, call, struck)
    with pytest.raises(KeyboardInterrupt):
        write()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "a.csv": "old",
        "b.csv": "old",
    }
