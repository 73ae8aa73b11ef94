"""The process of a command takes as little memory as it can for small files."""

import subprocess
import sys

import pytest

POOL = """
import sys
from pathlib import Path
from microagg.cli import lean_pyarrow
lean_pyarrow.SMALL = 100
if sys.argv[1] == "own":
    lean_pyarrow.own_this_process()
lean_pyarrow.import_lean(map(Path, sys.argv[2:]))
import pyarrow as pa
print(pa.default_memory_pool().backend_name)
"""


HEAPS = """
import ctypes, sys
from microagg.cli import lean_pyarrow

calls = []
class Library:
    def __init__(self, name):
        self.mallopt = lambda *call: calls.append(call)

ctypes.CDLL = Library
lean_pyarrow._share_heap()
print(calls)
"""


def pool_of(*arguments):
    command = [sys.executable, "-c", POOL, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize(
    ("owner", "size", "folder", "lean"),
    [
        ("own", 100, False, True),
        ("own", 101, False, False),
        ("own", 5, True, False),
        ("", 5, False, False),
    ],
)
def test_small_files_use_the_allocator_of_the_system(
    tmp_path, monkeypatch, owner, size, folder, lean
):
    monkeypatch.delenv("ARROW_DEFAULT_MEMORY_POOL", raising=False)
    (tmp_path / "people.csv").write_bytes(b"x" * size)
    files = [
        tmp_path / "people.csv",
        tmp_path / "to-be-written.csv",
        *([tmp_path] if folder else []),
    ]
    assert (pool_of(owner, *files) == "system") is lean


@pytest.mark.parametrize("chosen", [None, "4"])
def test_threads_share_a_heap_unless_the_user_has_said_how_many(monkeypatch, chosen):
    monkeypatch.delenv("MALLOC_ARENA_MAX", raising=False)
    if chosen:
        monkeypatch.setenv("MALLOC_ARENA_MAX", chosen)
    done = subprocess.run([sys.executable, "-c", HEAPS], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([] if chosen else [(-8, 1)])
