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
