"""The data goes one way: a stage never imports a later one."""

import ast
import sys
from pathlib import Path

import pytest

import microagg

ROOT = Path(microagg.__file__).parent

# The stages in order; a module may import its own stage and those before it.
ORDER = [
    {"errors", "constraints", "progress"},
    {"kernels"},
    {"data"},
    {"schema", "suggest"},
    {"prepare"},
    {"partition"},
    {"aggregate"},
    {"measure"},
    {"mask"},
    {"report"},
    {"provenance", "release"},
    {"arguments", "finish"},
    {"protect", "assess", "estimator", "select", "testing"},
    {"large"},
    {"trials", "compared", "compare"},
    {"cli", "__main__"},
]
STAGE = {name: stage for stage, names in enumerate(ORDER) for name in names}
MODULES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module == "microagg":
                names = [f"microagg.{alias.name}" for alias in node.names]
            yield from names
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def stage_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def test_every_module_has_a_stage():
    assert {stage_of(path) for path in MODULES} == set(STAGE)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_stage_imports_a_later_one(path):
    own = STAGE[stage_of(path)]
    for name in imported(path):
        parts = name.split(".")
        if parts[0] == "microagg" and len(parts) > 1:
            assert STAGE[parts[1]] <= own, f"{name} comes after {stage_of(path)}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_numba_is_imported_in_kernels_only(path):
    if stage_of(path) != "kernels":
        assert not [name for name in imported(path) if name.split(".")[0] == "numba"]


def test_importing_microagg_is_light():
    import subprocess

    code = "import sys, microagg; print(*[m for m in sys.modules if '.' not in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"numba", "pyarrow", "pandas", "polars", "sklearn", "scipy", "pooch", "typer", "rich"}
    assert not heavy & set(done.stdout.split())
