"""The data goes one way: a stage never imports a later one, nor anything behind one's back."""

import ast
import subprocess
import sys
from functools import cache
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
        "percent",
        "threads",
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
    {"provenance", "recorded_promises"},
    {"comparison"},
    {"report"},
    {"release"},
    {"signatures"},
    {"protect", "assess", "assessment", "fitted_records", "estimator", "select", "testing"},
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
        "dask",
        "distributed",
        "pyarrow",
        "pyreadstat",
        "rdata",
        "scipy",
        "sklearn",
        "threadpoolctl",
        "click",
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


@cache
def read(path):
    """Return what a module imports, and what it names in calls of `lazy`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return tuple(imported(tree)), tuple(lazily(tree))


def imports_of(path):
    return read(path)[0]


def imported_late(path):
    return {name for name, inside in imports_of(path) if inside}


def stage_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def test_every_module_has_a_stage():
    assert {stage_of(path) for path in MODULES} == set(STAGE)


def later_stages(path):
    """Yield the modules of a later stage that a module imports."""
    for name in (*(name for name, _ in imports_of(path)), *read(path)[1]):
        parts = name.split(".")
        if parts[0] == "microagg" and len(parts) > 1 and STAGE[parts[1]] > STAGE[stage_of(path)]:
            yield name


def ours_in_functions(path):
    """Yield our own modules that a function imports."""
    if name_of(path) not in EXEMPT:
        yield from (name for name in imported_late(path) if name.split(".")[0] == "microagg")


def others_in_functions(path):
    """Yield the libraries that a function imports and that are not on the list."""
    allowed = {*LATE, "microagg", *sys.stdlib_module_names}
    yield from {name.split(".")[0] for name in imported_late(path)} - allowed


def lazy_modules_that_do_not_exist(path):
    """Yield the names in calls of `lazy` that are not modules of this package."""
    for name in read(path)[1]:
        file = (ROOT.parent / Path(*name.split("."))).with_suffix(".py")
        if not name.startswith("microagg.") or not file.is_file():
            yield name


def kernels_outside(path):
    """Yield what imports numba or a kernel outside of the kernels."""
    if stage_of(path) not in ("kernels", "lazy"):
        for name, _ in imports_of(path):
            parts = name.split(".")
            if parts[0] == "numba" or parts[:2] == ["microagg", "kernels"]:
                yield name


@pytest.mark.parametrize(
    "rule",
    [
        later_stages,
        ours_in_functions,
        others_in_functions,
        lazy_modules_that_do_not_exist,
        kernels_outside,
    ],
    ids=lambda rule: rule.__name__,
)
def test_no_module_breaks_a_rule_of_imports(rule):
    broken = {name_of(path): names for path in MODULES if (names := sorted(rule(path)))}
    assert not broken


def test_importing_microagg_is_light():
    code = "import sys, microagg; print(*[m for m in sys.modules if '.' not in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"numba", "pyarrow", "pandas", "polars", "sklearn", "scipy", "pooch", "click", "rich"}
    assert not heavy & set(done.stdout.split())
