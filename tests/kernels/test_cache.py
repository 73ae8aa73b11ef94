"""The cache of compiled kernels: never stale, never trusted blindly, safe for many processes."""

import os
import shutil
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from microagg.kernels import cache
from microagg.kernels import cache_folder as folders
from tests.examples import sample

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes of POSIX")

TINY = """
from microagg.kernels.compiling import compile_seconds, on_compile
from microagg.kernels.splitmix import shuffle
import numpy as np, warnings
calls = []
with warnings.catch_warnings(record=True) as seen, on_compile(lambda *call: calls.append(call)):
    warnings.simplefilter("always")
    items = np.arange(5)
    shuffle(np.zeros(1, dtype=np.uint64), items)
compiled = any(done for _, done, _ in calls)
print("compiled" if compiled else "loaded", len(seen), items.tolist())
for warning in seen:
    print(warning.category.__name__, warning.message)
"""


def start(cache, code=TINY, **environment):
    """Start a process with a cache folder of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache), **environment},
    )


def lines_of(process):
    """Return what a process printed, once it has ended well."""
    out, errors = process.communicate(timeout=240)
    assert process.returncode == 0, errors
    return out.splitlines()


def files_in(cache):
    """Return the compiled kernels of a cache folder."""
    return sorted(Path(cache).rglob("*.bin"))


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """Return a cache folder with one kernel, and what its process printed."""
    cache = tmp_path_factory.mktemp("cache")
    lines = lines_of(start(cache))
    return cache, lines


@pytest.fixture
def copied(filled, tmp_path):
    """Return the file of a kernel in a cache folder that a test may spoil."""
    (source,) = files_in(filled[0])
    own = tmp_path / source.parent.name
    own.mkdir(mode=0o700)
    file = own / source.name
    file.write_bytes(source.read_bytes())
    file.chmod(0o600)
    return file


def test_the_first_process_compiles_and_the_second_loads_the_same(filled):
    cache, first = filled
    assert first[0].startswith("compiled 0 ")
    second = lines_of(start(cache))
    assert second[0] == first[0].replace("compiled", "loaded")


def test_the_folder_is_private(filled):
    (file,) = files_in(filled[0])
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert not list(file.parent.glob(".new-*"))
    assert not list(file.parent.glob("*.lock"))


@pytest.mark.parametrize(
    "content", sample([b"", b"garbage", None], quick=(1,)), ids=["empty", "garbage", "cut short"]
)
def test_a_damaged_file_is_replaced_with_one_warning(copied, content):
    whole = copied.read_bytes()
    copied.write_bytes(whole[:-100] if content is None else content)
    lines = lines_of(start(copied.parents[1]))
    assert lines[0].startswith("compiled 1 ")
    assert lines[1].startswith("MicroaggWarning")
    assert "damaged. It is compiled again." in lines[1]
    assert lines_of(start(copied.parents[1]))[0].startswith("loaded 0 ")


def test_code_that_others_could_have_written_is_not_run(copied):
    copied.chmod(0o666)
    lines = lines_of(start(copied.parents[1]))
    assert lines[0].startswith("compiled 1 ")
    assert "belongs to another user" in lines[1]


def test_code_of_another_user_is_not_run(copied, monkeypatch):
    assert cache._own_content(copied) == copied.read_bytes()
    other = copied.stat().st_uid + 1
    monkeypatch.setattr(cache.os, "getuid", lambda: other)
    if other == 1:
        os.chown(copied, 2, -1)
    assert cache._own_content(copied) is None


def test_a_link_in_place_of_the_lock_is_not_followed(copied):
    precious = copied.parents[1] / "precious"
    precious.write_text("precious")
    copied.with_suffix(".lock").symlink_to(precious)
    copied.unlink()
    assert lines_of(start(copied.parents[1]))[0].startswith("compiled 0 ")
    assert precious.read_text() == "precious"


def test_a_private_folder_of_root_is_no_error_for_others(fresh, monkeypatch):
    own = fresh.cache_root() / (fresh.PREFIX + fresh.content_key())
    own.mkdir(mode=0o700)
    monkeypatch.setattr(fresh.os, "access", lambda folder, mode: not mode & os.R_OK)
    with pytest.warns(match="only its owner can read it"):
        assert fresh.cache_folder() is None


@pytest.mark.parametrize("fails", [True, False])
def test_a_user_without_a_home_folder_gets_one_warning(fresh, monkeypatch, fails):
    def folder(*_):
        if fails:  # as older versions of platformdirs do not
            raise RuntimeError("could not determine the home directory")
        return "~/.cache/microagg"

    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setattr(fresh.platformdirs, "user_cache_dir", folder)
    with pytest.warns(match="no home folder. Kernels are compiled again"):
        assert fresh.cache_folder() is None


def test_a_file_system_without_locks_does_not_make_a_process_wait(copied, monkeypatch):
    import fcntl

    def refuse(*_):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    copied.unlink()
    calls = []
    with copied.with_suffix(".lock").open("wb") as lock:
        cache._wait_for(lock, copied, lambda: calls.append("waiting"))
    assert not calls


def test_code_for_a_library_of_vector_functions_has_another_file(monkeypatch):
    from numba import types
    from numba.core.registry import cpu_target

    from microagg.kernels.splitmix import shuffle

    def file():
        return shuffle._cache.file_of((types.int64,), cpu_target.target_context)

    monkeypatch.setattr(cache.config, "USING_SVML", False)
    without = file()
    monkeypatch.setattr(cache.config, "USING_SVML", True)
    assert file() != without


@pytest.mark.slow
def test_without_a_place_for_it_the_kernel_is_compiled_with_one_warning(tmp_path):
    (tmp_path / "file").write_text("no folder")
    lines = lines_of(start(tmp_path / "file" / "cache"))
    assert lines[0].startswith("compiled 1 ")
    assert lines[1].startswith("MicroaggWarning Compiled kernels cannot be stored")


@pytest.mark.slow
def test_a_full_disk_is_one_warning(tmp_path):
    full = """
    import pathlib
    from microagg.kernels import cache
    def put(file, content):
        raise OSError(28, "No space left on device")
    cache._put = put
    """
    lines = lines_of(start(tmp_path, textwrap.dedent(full) + TINY))
    assert lines[0].startswith("compiled 1 ")
    assert "No space left on device" in lines[1]


@pytest.mark.slow
def test_processes_that_start_at_once_compile_a_kernel_once(tmp_path):
    processes = [start(tmp_path) for _ in range(3)]
    words = sorted(lines_of(each)[0].split()[0] for each in processes)
    assert words == ["compiled", "loaded", "loaded"]


@pytest.mark.slow
def test_a_lock_that_is_never_released_does_not_stop_a_process(filled, tmp_path):
    import fcntl

    (source,) = files_in(filled[0])
    own = tmp_path / source.parent.name
    own.mkdir(mode=0o700)
    with (own / source.with_suffix(".lock").name).open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        impatient = "from microagg.kernels import cache\ncache.PATIENCE = 0.2\n"
        told = "print([done for _, done, _ in calls])"  # while it waits, and when it begins
        lines = lines_of(start(tmp_path, impatient + TINY + told))
    assert lines[0].startswith("compiled 0 ")
    assert lines[1].startswith("[0, 0, ")


def test_a_changed_kernel_has_another_key(tmp_path):
    package = Path(folders.__file__).parents[1]
    copy = tmp_path / "microagg"
    code = "from microagg.kernels.cache_folder import content_key; print(content_key())"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = lines_of(start(tmp_path, code, PYTHONPATH=str(tmp_path)))
    with (copy / "kernels" / "splitmix.py").open("a") as source:
        source.write("# changed\n")
    after = lines_of(start(tmp_path, code, PYTHONPATH=str(tmp_path)))
    assert before == [folders.content_key()]
    assert after != before


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """Return the cache's functions as in a new process, with a root of their own."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(folders, "_warned", set())
    monkeypatch.setattr(folders, "cache_folder", folders.cache_folder.__wrapped__)
    return folders


def test_a_folder_of_another_user_is_refused(fresh, monkeypatch):
    monkeypatch.setattr(fresh.os, "getuid", lambda: 12345)
    own = fresh.cache_root() / (fresh.PREFIX + fresh.content_key())
    own.mkdir()
    if own.stat().st_uid == 0:
        os.chown(own, 54321, -1)
    with pytest.warns(match="belongs to another user"):
        assert fresh.cache_folder() is None


def test_a_folder_that_others_can_write_to_is_made_private(fresh):
    own = fresh.cache_root() / (fresh.PREFIX + fresh.content_key())
    own.mkdir()
    own.chmod(0o777)
    assert fresh.cache_folder() == own
    assert stat.S_IMODE(own.stat().st_mode) == 0o700


def test_a_link_is_refused(fresh, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / (fresh.PREFIX + fresh.content_key())).symlink_to(tmp_path / "elsewhere")
    with pytest.warns(match="not a folder"):
        assert fresh.cache_folder() is None


def test_old_versions_are_removed_but_the_latest_and_those_in_use(fresh, tmp_path):
    day = 86_400
    ages = {"a": 1, "b": 40, "c": 50, "d": 60}
    for name, days in ages.items():
        folder = tmp_path / (fresh.PREFIX + name * 32)
        folder.mkdir()
        os.utime(folder, (time.time() - days * day,) * 2)
    (tmp_path / "of another program").mkdir()
    (tmp_path / (fresh.PREFIX + "e" * 32)).symlink_to("removed meanwhile")
    current = fresh.cache_folder()
    left = {f.name.removeprefix(fresh.PREFIX)[0] for f in tmp_path.iterdir() if f != current}
    assert left == {"a", "b", "o", "e"}


def test_code_from_the_cache_runs_without_the_compiler(filled):
    """Numba's runtime is not compiled again, and its modules for compiling are not imported."""
    cache, _ = filled
    code = TINY + (
        "import sys\n"
        "from numba.core.runtime.nrt import rtsys\n"
        "print(rtsys._init, 'numba.np.arrayobj' in sys.modules)\n"
    )
    lines = lines_of(start(cache, code))
    assert lines[0].startswith("loaded 0")
    assert lines[-1] == "False False"
