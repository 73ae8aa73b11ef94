"""Commands are imported when they are used, and their process does without pandas."""

import json
import subprocess
import sys

import pytest

from microagg.cli.app import app
from microagg.cli.group import load, summary_of

COMMANDS = list(app.commands)

LOADED = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
from microagg.cli import main
main()
"""


def modules_after(*arguments, cwd=None):
    """Return the modules that a command has imported when it ends."""
    command = [sys.executable, "-c", LOADED, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=100)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_shows_the_first_line_of_each_help(name):
    assert load(name).help.split("\n\n")[0].replace("\n", " ") == summary_of(name)


def test_the_list_of_commands_imports_no_command():
    modules = modules_after("--help")
    assert "microagg.cli.commands.protect" not in modules
    assert "numpy" not in modules


def test_a_command_imports_no_other_and_no_pandas(tmp_path):
    rows = "".join(f"{20 + i},{300 + i * i}\n" for i in range(12))
    (tmp_path / "people.csv").write_text(f"age,pay\n{rows}", encoding="utf-8")
    modules = modules_after(
        *("protect", "people.csv", "-k", 3, "--method", "mdav", "-q", "-o", "out.csv"),
        *("--qi", "age,pay"),
        cwd=tmp_path,
    )
    assert {m for m in modules if m.startswith("microagg.cli.commands.")} == {
        "microagg.cli.commands.protect"
    }
    unused = {"pandas", "sklearn", "matplotlib", "highspy", "rich", "microagg.server.app"}
    assert not modules & unused
    methods = {m for m in modules if m.startswith("microagg.partition.methods.fixed.")}
    assert methods == {"microagg.partition.methods.fixed.mdav"}
    assert "numba.np.arrayobj" not in modules  # all kernels are in the cache


def test_a_search_without_a_proof_imports_no_solvers(tmp_path):
    rows = "".join(f"{20 + i},{300 + i * i}\n" for i in range(12))
    (tmp_path / "people.csv").write_text(f"age,pay\n{rows}", encoding="utf-8")
    options = ("-k", 3, "--qi", "age,pay", "-q", "-o", "out.csv")
    modules = modules_after("protect", "people.csv", *options, cwd=tmp_path)
    assert "microagg.partition.search.lns.run" in modules
    proving = {"bounds.lower_bound", "bounds.bound_search", "search.best.portfolio"}
    assert not {f"microagg.partition.{name}" for name in proving} & modules
