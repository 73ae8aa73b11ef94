"""The data goes one way: a stage never imports a later one, nor anything behind one's back."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import microagg

ROOT = Path(microagg.__file__).parent

# The stages in order; a module may import its own stage and those before it.
ORDER = [
    {
        "errors",
        "renamed",
        "constraints",
        "reporter",
        "budget",
        "context",
        "lazy",
        "json_text",
        "typing",
        "engine",
        "notebook",
    },
    {"kernels", "cuda"},
    {"data"},
    {"schema"},
    {"values", "values_by_name", "declare", "option_rules", "settings", "reading"},
    {"prepare"},
    {"partition"},
    {"aggregate"},
    {"measure"},
    {"mask", "suggest"},
    {"pipeline"},
    {"provenance"},
    {"comparison"},
    {"report"},
    {"release"},
    {"signatures"},
    {"protect", "assess", "assessment", "estimator", "select", "testing"},
    {"large"},
    {"compare", "verify"},
    {"server"},
    {"cli", "__main__"},
]
STAGE = {name: stage for stage, names in enumerate(ORDER) for name in names}
MODULES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")

LATE = {
    *("highspy", "matplotlib", "narwhals", "numpy", "pandas", "PIL", "polars", "pooch"),
    *(
        "distributed",
        "pyarrow",
        "pyreadstat",
        "rdata",
        "scipy",
        "sklearn",
        "threadpoolctl",
        "typer",
        "rich",
    ),
}
"""Libraries that a function may import when it runs: slow to import, or needed by few users."""

EXEMPT = {"cli/__init__.py"}
"""The entry point, which must be able to answer an interrupt while everything else is imported."""


def of_node(node):
    """Yield the modules that an import statement names."""
    if isinstance(node, ast.ImportFrom) and node.module:
        names = [node.module]
        if node.module == "microagg":
            names = [f"microagg.{alias.name}" for alias in node.names]
        yield from names
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)


def is_for_types(node):
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def imported(node, *, inside=False):
    """Yield each module imported at run time, and whether that is inside a function."""
    for child in ast.iter_child_nodes(node):
        if is_for_types(child):
            continue
        yield from ((name, inside) for name in of_node(child))
        function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from imported(child, inside=inside or function)


def lazily(tree):
    """Yield the modules that are named in calls of `lazy`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "lazy":
            yield node.args[0].value


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def stage_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def name_of(path):
    return str(path.relative_to(ROOT))


EVERY_MODULE = pytest.mark.parametrize("path", MODULES, ids=name_of)


def test_every_module_has_a_stage():
    assert {stage_of(path) for path in MODULES} == set(STAGE)


@EVERY_MODULE
def test_no_stage_imports_a_later_one(path):
    own, tree = STAGE[stage_of(path)], parsed(path)
    for name in (*(name for name, _ in imported(tree)), *lazily(tree)):
        parts = name.split(".")
        if parts[0] == "microagg" and len(parts) > 1:
            assert STAGE[parts[1]] <= own, f"{name} comes after {stage_of(path)}"


@EVERY_MODULE
def test_functions_import_nothing_of_ours(path):
    if path.relative_to(ROOT).as_posix() not in EXEMPT:
        late = {name for name, inside in imported(parsed(path)) if inside}
        assert not [name for name in late if name.split(".")[0] == "microagg"]


@EVERY_MODULE
def test_few_libraries_are_imported_late(path):
    allowed = {*LATE, "microagg", *sys.stdlib_module_names}
    late = {name.split(".")[0] for name, inside in imported(parsed(path)) if inside}
    assert late <= allowed


@EVERY_MODULE
def test_lazy_modules_are_ours_and_exist(path):
    for name in lazily(parsed(path)):
        assert name.startswith("microagg."), name
        assert (ROOT.parent / Path(*name.split("."))).with_suffix(".py").is_file(), name


@EVERY_MODULE
def test_numba_is_imported_by_kernels_only(path):
    if stage_of(path) not in ("kernels", "lazy"):
        names = [name.split(".") for name, _ in imported(parsed(path))]
        assert not [parts for parts in names if parts[0] == "numba"]
        assert not [parts for parts in names if parts[:2] == ["microagg", "kernels"]]


def test_importing_microagg_is_light():
    code = "import sys, microagg; print(*[m for m in sys.modules if '.' not in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"numba", "pyarrow", "pandas", "polars", "sklearn", "scipy", "pooch", "typer", "rich"}
    assert not heavy & set(done.stdout.split())
