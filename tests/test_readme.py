"""The code and the commands in the documentation run, and print what the pages say."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import NO_DATA

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SEARCHES = {"auto", "best", "fuzzy", "genetic", "lns", "quickstart", "from-sdcmicro"}
"""Pages whose examples take seconds, of search or of real data."""
COMMANDS = [ROOT / "README.md", ROOT / "docs" / "quickstart.md"]
LONG = {"adult", "nist-acs", "from-sdcmicro"}
"""Guides whose commands take minutes, on data that not everyone has."""
GUIDES = [
    page
    for page in sorted((ROOT / "docs" / "guides").glob("*.md"))
    if page.stem not in LONG and "```sh" in page.read_text(encoding="utf-8")
]
PEOPLE = "name,age,income\nann,30,1000\nbob,31,1100\ncat,60,2000\ndan,61,2100\n"


def blocks(page, *languages):
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(language, code) for language, code in found if language in languages]


def shown(page):
    return str(page.relative_to(ROOT))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to run in, but for a small file that pages speak of."""
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] if page.stem in SEARCHES else [])
        for page in PAGES
        if blocks(page, "python", "pycon")
    ],
    ids=shown,
)
def test_python_blocks_run(page, folder, capsys):
    code = blocks(page, "python", "pycon")
    if re.search(r'load(_image)?\("(?!diabetes)', str(code)) and "MICROAGG_DATA" not in os.environ:
        pytest.skip(NO_DATA)
    names = {"__name__": "page"}
    runner = doctest.DocTestRunner(verbose=False)
    for language, text in code:
        if language == "python":
            exec(compile(text, shown(page), "exec"), names)
        else:
            test = doctest.DocTestParser().get_doctest(text, names, shown(page), None, 0)
            runner.run(test, clear_globs=False)
            names.update(test.globs)
    assert runner.summarize(verbose=False).failed == 0, capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", COMMANDS, ids=shown)
def test_commands_run_and_print_what_the_page_says(page, folder):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    said = ""
    for language, text in blocks(page, "sh", "text"):
        if language == "sh":
            done = subprocess.run(
                ["sh", "-e", "-c", text],
                capture_output=True,
                text=True,
                env={**os.environ, "PATH": path, "COLUMNS": "200"},
                check=False,
            )
            said = done.stdout + done.stderr
            assert done.returncode == 0, said
        else:
            assert text in said
    if page.stem == "quickstart":  # which repeats a release
        assert (folder / "again.csv").read_bytes() == (folder / "study5.csv").read_bytes()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_readme_and_then_the_quickstart_run_in_one_folder(folder, capsys):
    for page in COMMANDS:
        test_commands_run_and_print_what_the_page_says(page, folder)
        test_python_blocks_run(page, folder, capsys)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", GUIDES, ids=shown)
def test_the_guides_run_as_printed(page, folder):
    (folder / "people.csv").unlink()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for language, text in blocks(page, "python", "sh"):
        if not any(word in text for word in ("scheduler", "docker")):
            command = ["sh", "-e", "-c"] if language == "sh" else [sys.executable, "-c"]
            environment = {**os.environ, "PATH": path}
            done = subprocess.run([*command, text], capture_output=True, text=True, env=environment)
            assert done.returncode == 0, done.stdout + done.stderr


def test_the_method_of_contributing_passes_every_check_and_is_ranked(folder):
    """In a process of its own, so that the example does not stay in the registry."""
    ((_, code),) = blocks(ROOT / "CONTRIBUTING.md", "python")
    (folder / "projection.py").write_text(code, encoding="utf-8")
    check = (
        "import importlib.util, sys\n"
        "name = 'microagg.partition.methods.fixed.projection'\n"
        "spec = importlib.util.spec_from_file_location(name, 'projection.py')\n"
        "sys.modules[name] = module = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(module)\n"
        "from microagg.testing import check_method\n"
        "check_method('projection')\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "from benchmarks.quality.methods import measured\n"
        "assert 0 < float(measured('projection', 'diabetes')['il']) < 100\n"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
