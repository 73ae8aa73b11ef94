"""Killed anywhere and started again: the same bytes, and what was done is not done again."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

import microagg as ma
from microagg.data.files import write_file
from microagg.errors import DataError, FileError, MicroaggWarning
from microagg.large import group, manifest, memory, stages
from microagg.large.job import Job
from microagg.large.work import Work, record_type
from microagg.reporter import Reporter
from tests.examples import sample

GIVEN = {
    "k": 5,
    "quasi_identifiers": ["x0", "x1", "x2"],
    "identifiers": ["name"],
    "parameters": {"block_size": 150},
}
FILES = ("release.parquet", "groups.parquet", "summary.txt")


class Killed(BaseException):
    """An error that none of our handlers may catch."""


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    monkeypatch.setattr(memory, "LARGEST_PIECE", 250)


@pytest.fixture(scope="module")
def whole(people, tmp_path_factory):
    """Return the release of a run that nothing disturbs."""
    folder = tmp_path_factory.mktemp("undisturbed")
    write_file(people, folder / "people.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "LARGEST_PIECE", 250)
        ma.protect_file(folder / "people.parquet", folder / "whole", **GIVEN)
    return folder / "whole"


def same(one, other):
    plain = [json.loads((folder / "provenance.json").read_text()) for folder in (one, other)]
    for content in plain:
        del content["created"], content["seconds"]
    bytes_of = [[(folder / name).read_bytes() for name in FILES] for folder in (one, other)]
    return plain[0] == plain[1] and bytes_of[0] == bytes_of[1]


@pytest.mark.parametrize("table", sample([memory.LARGEST_TABLE, 1000]))
def test_killed_after_every_few_steps(source, tmp_path, monkeypatch, table):
    monkeypatch.setattr(memory, "LARGEST_TABLE", table)
    path, plain, left = source(), Work.save, 0
    ma.protect_file(path, tmp_path / "whole", **GIVEN)

    def save(self, name, *records, **arrays):
        nonlocal left
        plain(self, name, *records, **arrays)
        left -= 1
        if left == 0:
            raise Killed

    monkeypatch.setattr(Work, "save", save)
    kills = 0
    while not (tmp_path / "out" / "release.parquet").exists():
        left = 4  # steps are many, and each run reads the input again
        with suppress(Killed):
            ma.protect_file(path, tmp_path / "out", **GIVEN)
        kills += 1
    assert kills > 2  # how many depends on the threads, which go on for a moment
    assert same(tmp_path / "out", tmp_path / "whole")


def test_finished_blocks_are_not_grouped_again(source, tmp_path, monkeypatch):
    grouped, left = [], 0
    plain = group.group_block

    def group_block(*arguments):
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed
        grouped.append(arguments[1].size)
        return plain(*arguments)

    monkeypatch.setattr(group, "group_block", group_block)
    monkeypatch.setattr(memory, "workers", lambda: 1)  # else one is lost while another is killed
    while not (tmp_path / "out" / "release.parquet").exists():
        left = 2
        with suppress(Killed):
            ma.protect_file(source(), tmp_path / "out", **GIVEN)
    assert sum(grouped) == 600


SCRIPT = """
import json, os, signal, sys
import microagg as ma
from microagg.large import memory, work

memory.LARGEST_PIECE = 250
plain, left = work.Work.save, 6

def save(self, name, *records, **arrays):
    global left
    plain(self, name, *records, **arrays)
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

work.Work.save = save
ma.protect_file(sys.argv[1], sys.argv[2], **json.loads(sys.argv[3]))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
def test_a_process_that_was_killed(source, whole, tmp_path):
    arguments = [str(source()), str(tmp_path / "out"), json.dumps(GIVEN)]
    command = [sys.executable, "-c", SCRIPT, *arguments]
    killed = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert (tmp_path / "out" / ".microagg-work" / "manifest.json").exists()
    ma.protect_file(tmp_path / "people.parquet", tmp_path / "out", **GIVEN)
    assert same(tmp_path / "out", whole)
    assert not (tmp_path / "out" / ".microagg-work").exists()


def killed(*_):
    raise Killed


def begun(source, tmp_path, monkeypatch):
    """Leave unfinished work behind."""

    with monkeypatch.context() as patch:
        patch.setattr(stages, "repair_one", killed)
        with pytest.raises(Killed):
            ma.protect_file(source(), tmp_path / "out", **GIVEN)


@pytest.mark.parametrize(
    ("change", "words"),
    sample(
        [
            ({"k": 6}, r"other options \(k\)"),
            ({"seed": 1, "scale": "range"}, r"other options \(seed, scale\)"),
            ({"memory": "1GB"}, None),
            ({"parameters": {"block_size": 120}}, r"other options \(block_size\)"),
            ({"confidential": ["ill"]}, r"other options \(confidential\)"),
            ({"parameters": {"within": "mdav", "block_size": 150}}, r"other options \(within\)"),
        ],
        quick=(0, 2),
    ),
)
def test_other_options_are_refused(source, whole, tmp_path, monkeypatch, change, words):
    begun(source, tmp_path, monkeypatch)
    if words is None:  # the same sizes follow
        ma.protect_file(source(), tmp_path / "out", **(GIVEN | change))
        return
    with pytest.raises(FileError, match=f"unfinished work .* {words}"):
        ma.protect_file(source(), tmp_path / "out", **(GIVEN | change))
    ma.protect_file(source(), tmp_path / "out", **GIVEN)
    assert same(tmp_path / "out", whole)


def test_another_input_is_refused_and_another_time_is_not(
    people, source, whole, tmp_path, monkeypatch
):
    begun(source, tmp_path, monkeypatch)
    source(table=people.slice(1))
    with pytest.raises(FileError, match="other input"):
        ma.protect_file(tmp_path / "people.parquet", tmp_path / "out", **GIVEN)
    os.utime(source(), ns=(1, 1))
    ma.protect_file(tmp_path / "people.parquet", tmp_path / "out", **GIVEN)
    assert same(tmp_path / "out", whole)


def replaced_unnoticed(path):
    """Replace a file by another of the same size, and set its time back, as a copying program does."""
    content, about = bytearray(path.read_bytes()), path.stat()
    place = content.index(b"PAR1", 4) - 1
    content[place // 2] ^= 1
    path.write_bytes(bytes(content))
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (about.st_size, about.st_mtime_ns)


def test_another_input_of_the_same_size_and_time_is_refused(source, tmp_path, monkeypatch):
    begun(source, tmp_path, monkeypatch)
    time.sleep(0.02)  # the clock of the file system may tick slowly
    replaced_unnoticed(tmp_path / "people.parquet")
    with pytest.raises(FileError, match="other input"):
        ma.protect_file(tmp_path / "people.parquet", tmp_path / "out", **GIVEN)


def test_an_input_that_changed_before_it_was_hashed_is_refused(source, tmp_path, monkeypatch):
    begun(source, tmp_path, monkeypatch)
    for path in (tmp_path / "out" / ".microagg-work" / "hashed").iterdir():
        path.unlink()
    os.utime(tmp_path / "people.parquet", ns=(1, 1))
    with pytest.raises(FileError, match="other input"):
        ma.protect_file(tmp_path / "people.parquet", tmp_path / "out", **GIVEN)


@pytest.mark.parametrize("same_content", [True, False])
def test_an_input_that_is_touched_while_it_is_read(source, tmp_path, monkeypatch, same_content):
    path, plain = source(), Job._release

    def late(self, *arguments):
        release = plain(self, *arguments)
        time.sleep(0.02)
        path.chmod(0o640) if same_content else replaced_unnoticed(path)
        return release

    monkeypatch.setattr(Job, "_release", late)
    if same_content:
        ma.protect_file(path, tmp_path / "out", **GIVEN)
        return
    with pytest.raises(DataError, match="changed while it was being read"):
        ma.protect_file(path, tmp_path / "out", **GIVEN)
    assert not (tmp_path / "out").exists()


def test_overwrite_gives_up_other_work(source, tmp_path, monkeypatch):
    begun(source, tmp_path, monkeypatch)
    release = ma.protect_file(source(), tmp_path / "out", overwrite=True, **(GIVEN | {"k": 6}))
    assert release.measures["k"] >= 6
    assert not (tmp_path / "out" / ".microagg-work").exists()


def test_a_folder_that_is_not_ours_stays(source, tmp_path):
    theirs = tmp_path / "out" / ".microagg-work" / "thesis.txt"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("years of work")
    with pytest.raises(FileError, match="not the unfinished work of a"):
        ma.protect_file(source(), tmp_path / "out", **GIVEN)
    assert theirs.read_text() == "years of work"


@pytest.mark.parametrize(
    "name",
    sample(["surveyed/0.npz", "routed/0.1.records.*", "grouped/0.npz", "grouped/1.borders.*"]),
)
def test_files_that_are_not_whole_are_made_again(source, whole, tmp_path, monkeypatch, name):
    begun(source, tmp_path, monkeypatch)
    (path,) = (tmp_path / "out" / ".microagg-work").glob(name)
    path.write_bytes(path.read_bytes()[:-8])
    ma.protect_file(source(), tmp_path / "out", **GIVEN)
    assert same(tmp_path / "out", whole)


LATER = {
    "routed": ("grouped", "repaired", "released"),
    "grouped": ("repaired", "released"),
    "repaired": ("released",),
}
"""The steps that take what a folder holds."""


@pytest.mark.parametrize(
    "name",
    sample([
        "surveyed/0.npz", "routed/0.1.npz", "grouped/0.npz", "repaired/0.npz", "released/0.npz",
        "routed/0.1.records.*", "grouped/0.records.*", "grouped/1.borders.*",
        "repaired/0.records.*", "released/1.records.*",
    ], quick=(2, 5)),
)  # fmt: skip
@pytest.mark.parametrize("zeroed", sample([True, False]))
def test_files_of_the_right_length_with_other_bytes_are_made_again(
    source, whole, tmp_path, monkeypatch, name, zeroed
):
    with monkeypatch.context() as patch:
        patch.setattr(stages, "write_file", killed)
        with pytest.raises(Killed):
            ma.protect_file(source(), tmp_path / "out", **GIVEN)
    work = tmp_path / "out" / ".microagg-work"
    (path,) = work.glob(name)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(len(content)) if zeroed else content)
    for later in LATER.get(name.partition("/")[0], ()):
        shutil.rmtree(work / later)  # else nobody would read what is damaged
    ma.protect_file(source(), tmp_path / "out", **GIVEN)
    assert same(tmp_path / "out", whole)


@pytest.mark.parametrize("cut", sample([True, False]))
@pytest.mark.parametrize("name", ["grouped/0.borders", "grouped/0.npz"])
def test_a_file_that_is_damaged_meanwhile(source, whole, tmp_path, monkeypatch, name, cut):
    plain = stages.repair_one

    def repair(*arguments):
        (path,) = (tmp_path / "out" / ".microagg-work").glob(f"{name}*")
        content = path.read_bytes()
        path.write_bytes(content[:-8] if cut else bytes(len(content)))
        return plain(*arguments)

    monkeypatch.setattr(memory, "workers", lambda: 1)
    with monkeypatch.context() as patch:
        patch.setattr(stages, "repair_one", repair)
        with pytest.raises(FileError, match=rf"{name}.*' is damaged"):
            ma.protect_file(source(), tmp_path / "out", **GIVEN)
    ma.protect_file(source(), tmp_path / "out", **GIVEN)
    assert same(tmp_path / "out", whole)


def test_other_software_is_refused(source, tmp_path, monkeypatch):
    begun(source, tmp_path, monkeypatch)
    assert {"pyarrow", "source", "numba"} <= set(manifest.software())
    monkeypatch.setattr(manifest, "_source_hash", lambda: "of other code")
    with pytest.raises(FileError, match="other software"):
        ma.protect_file(source(), tmp_path / "out", **GIVEN)


@pytest.mark.parametrize("content", sample(["", '{"input": {"byt', "[]"], quick=(1,)))
def test_a_damaged_manifest_is_told_and_work_begins_anew_when_asked(
    source, whole, tmp_path, monkeypatch, content
):
    begun(source, tmp_path, monkeypatch)
    (tmp_path / "out" / ".microagg-work" / "manifest.json").write_text(content)
    with pytest.raises(FileError, match=r"manifest\.json' is damaged") as told:
        ma.protect_file(source(), tmp_path / "out", **GIVEN)
    assert "delete the folder" in str(told.value)
    ma.protect_file(source(), tmp_path / "out", **GIVEN, overwrite=True)
    assert same(tmp_path / "out", whole)


def test_records_of_a_run_killed_at_its_end_are_swept_away(source, tmp_path):
    ma.protect_file(source(), tmp_path / "out", **GIVEN)
    gone = tmp_path / "out" / ".microagg-work.gone"
    gone.mkdir()
    (gone / "0.records").write_text("records")
    with pytest.raises(FileError, match="exists already"):
        ma.protect_file(source(), tmp_path / "out", **GIVEN)
    assert not gone.exists()


def test_records_that_cannot_be_removed_are_told(source, tmp_path, monkeypatch):
    monkeypatch.setattr("microagg.large.work.shutil.rmtree", lambda *_, **__: None)
    with pytest.warns(MicroaggWarning, match=r"\.gone' cannot be removed"):
        release = ma.protect_file(source(), tmp_path / "out", **GIVEN)
    assert release.measures["k"] >= 5


def test_a_folder_that_stays_does_not_turn_a_release_into_an_error(source, tmp_path, monkeypatch):
    remove = os.rmdir

    def keep(path, *args, **kwargs):  # as where another process has a file open on a network drive
        if str(path).endswith("hashed"):
            raise OSError(errno.ENOTEMPTY, "Directory not empty", str(path))
        remove(path, *args, **kwargs)

    monkeypatch.setattr(os, "rmdir", keep)
    with pytest.warns(MicroaggWarning, match="remove it yourself"):
        release = ma.protect_file(source(), tmp_path / "out", **GIVEN)
    monkeypatch.setattr(os, "rmdir", remove)
    assert release.paths["data"].exists()
    rest = [path.name for path in (tmp_path / "out").rglob("*") if "work" in str(path)]
    assert rest == [".microagg-work.gone", "hashed"]
    with pytest.raises(FileError, match="exists already"):
        ma.protect_file(source(), tmp_path / "out", **GIVEN)
    assert not (tmp_path / "out" / ".microagg-work.gone").exists()


def test_killed_while_it_begins(source, whole, tmp_path):
    fresh = tmp_path / "out" / ".microagg-work.new"
    fresh.mkdir(parents=True)
    (fresh / "manifest.json").write_text("{")
    ma.protect_file(source(), tmp_path / "out", **GIVEN)
    assert same(tmp_path / "out", whole)
    assert not fresh.exists()


def test_asking_makes_no_folders(tmp_path):
    work = Work(tmp_path / "work", record_type(1))
    assert not work.has("grouped/0")
    assert not (tmp_path / "work").exists()


def test_a_task_that_outlives_its_run_leaves_no_records(tmp_path):
    """Its client may have been killed, and the folder removed or the release finished since."""
    work = Work(tmp_path / "out" / ".microagg-work", record_type(1))
    with pytest.raises(FileError, match="was removed while a task was running"):
        work.save("grouped/0", {"records": work.empty(3)})
    assert not (tmp_path / "out").exists()


def test_a_task_that_outlives_its_run_does_not_write_into_the_next(tmp_path):
    """A cancelled task of a cluster runs on, and its run may be followed by one with other options."""

    def claimed(k):
        manifest = {"modified": [], "input": [], "options": {"k": k}, "software": {}}
        work = Work(tmp_path / "out" / ".microagg-work", record_type(1))
        work.claim(manifest, None, overwrite=True)
        work.close()
        return work

    first, again, other = claimed(2), claimed(2), claimed(3)
    for late in (first, again, first.below("counted", record_type(2))):
        with pytest.raises(FileError, match="was removed while a task was running"):
            late.save("grouped/0", {"records": late.empty(3)})
    assert not other.has("grouped/0")
    other.save("grouped/0", {"records": other.empty(3)})
    assert other.has("grouped/0")


def test_a_run_that_goes_on_takes_what_a_late_task_of_it_made(tmp_path):
    manifest = {"modified": [], "input": [], "options": {"k": 2}, "software": {}}
    runs = []
    for _ in range(2):
        work = Work(tmp_path / "out" / ".microagg-work", record_type(1))
        work.claim(manifest, None, overwrite=False)
        work.close()
        runs.append(work)
    runs[0].save("grouped/0", {"records": runs[0].empty(3)})
    assert runs[1].read("grouped/0", "records").size == 3


@pytest.mark.parametrize("content", sample(["flipped", "empty", "gone"]))
@pytest.mark.parametrize("name", sample(["data", "groups"]))
def test_a_written_file_that_changed_before_it_was_released(
    source, whole, tmp_path, monkeypatch, name, content
):
    """It was counted already, so nothing would read it again."""
    with monkeypatch.context() as patch:
        patch.setattr(Job, "_release", killed)
        with pytest.raises(Killed):
            ma.protect_file(source(), tmp_path / "out", **GIVEN)
    path = tmp_path / "out" / ".microagg-work" / "out" / name / "people.parquet"
    written = bytearray(path.read_bytes())
    written[len(written) // 2] ^= 1
    path.write_bytes(written if content == "flipped" else b"")
    if content == "gone":
        path.unlink()
    ma.protect_file(source(), tmp_path / "out", **GIVEN)
    assert same(tmp_path / "out", whole)


def test_the_hash_of_the_input_is_made_again(source, whole, tmp_path, monkeypatch):
    begun(source, tmp_path, monkeypatch)
    path = tmp_path / "out" / ".microagg-work" / "hashed" / "0.npz"
    path.write_bytes(path.read_bytes()[:-8])
    people = tmp_path / "people.parquet"
    times = people.stat()
    os.utime(people, ns=(1, 1))
    with pytest.raises(FileError, match="other input"):  # nothing tells whether it is the same
        ma.protect_file(people, tmp_path / "out", **GIVEN)
    work = tmp_path / "out" / ".microagg-work" / "manifest.json"
    os.utime(people, ns=(times.st_atime_ns, times.st_mtime_ns))
    now, content = people.stat(), json.loads(work.read_text())
    content["modified"] = [[now.st_mtime_ns, now.st_ctime_ns]]
    work.write_text(json.dumps(content))
    ma.protect_file(people, tmp_path / "out", **GIVEN)
    assert same(tmp_path / "out", whole)


def test_another_memory_counts_all_records_again(source, whole, tmp_path, monkeypatch):
    """It has other bins; some of the old ones would not be counted."""
    monkeypatch.setattr(memory.Sizes, "bins", lambda self, n: 7)
    with monkeypatch.context() as patch:
        patch.setattr(Job, "_release", killed)
        with pytest.raises(Killed):
            ma.protect_file(source(), tmp_path / "out", **GIVEN)
    monkeypatch.setattr(memory.Sizes, "bins", lambda self, n: 3)
    release = ma.protect_file(source(), tmp_path / "out", **GIVEN)
    assert release.outcome.anonymity.records == 600
    assert same(tmp_path / "out", whole)


def test_another_size_of_tables_is_refused(source, tmp_path, monkeypatch):
    """The row groups of the release follow from it, and the pieces that are counted."""
    begun(source, tmp_path, monkeypatch)
    monkeypatch.setattr(memory, "LARGEST_TABLE", 1000)
    with pytest.raises(FileError, match=r"other options \(memory\)"):
        ma.protect_file(source(), tmp_path / "out", **GIVEN)


def test_a_system_without_paths_by_descriptor(source, whole, tmp_path, monkeypatch):
    monkeypatch.delattr(os, "O_PATH", raising=False)
    begun(source, tmp_path, monkeypatch)
    ma.protect_file(source(), tmp_path / "out", **GIVEN)
    assert same(tmp_path / "out", whole)


def test_no_thread_outlives_a_run_that_its_reporter_ends(source, tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "workers", lambda: 2)
    ended, slow = [], threading.Event()
    plain = stages.group_one

    def grouped(*arguments):
        result = plain(*arguments)
        if ended:
            slow.wait(0.2)
        ended.append(arguments)
        return result

    class Ending(Reporter):
        def begin(self, what, total):
            self.stage = what

        def reach(self, done):
            if self.stage == "Grouping blocks":
                raise Killed

    monkeypatch.setattr(stages, "group_one", grouped)
    with pytest.raises(Killed) as raised:
        ma.protect_file(source(), tmp_path / "out", **GIVEN, progress=Ending())
    assert raised.tb is not None  # which keeps the frames of the run
    before = len(ended)
    time.sleep(0.3)
    assert len(ended) == before
