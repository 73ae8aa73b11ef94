"""The package holds what users run, and nothing that only tests or benchmarks use; its papers agree."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import microagg

PACKAGE = Path(microagg.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
ENTRY_POINTS = {"__main__", "testing", "kernels.warm", "data.generate"}
"""What users import or run themselves; `data.generate` is `microagg.generate`."""

ONLY_IN_DEVELOPMENT = {"tests", "benchmarks", "pytest", "hypothesis", "_pytest"}


def name_of(path):
    """Return the dotted name of a module of the package, without that of the package."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


@cache
def imported_by(path):
    """Return the names of all modules that a file imports: at its top, in a function or by name."""
    return tuple(imports(ast.parse(path.read_text(encoding="utf-8"))))


def imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield f"{node.module}"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and str(node.value).startswith("microagg."):
            yield node.value


def test_the_citation_and_the_policy_agree_with_the_package():
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (root / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert {f"version: {project['version']}", f"license: {project['license']}"} <= set(citation)
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert project["requires-python"] == f">={pythons[0]}"
    policy = (root / "docs" / "project" / "policy.md").read_text(encoding="utf-8")
    assert f"Python {pythons[0]} to {pythons[-1]} are supported" in policy
    minor = project["version"].rsplit(".", 2 if "dev" in project["version"] else 1)[0]
    assert f"| {minor} | yes |" in (root / "SECURITY.md").read_text(encoding="utf-8")


def test_there_are_no_twins_and_no_reproduction():
    words = {word for path in MODULES for word in name_of(path).replace("_", ".").split(".")}
    assert not words & {"twin", "twins", "reference", "reproduce", "golden"}


def test_nothing_is_imported_from_tests_or_benchmarks():
    for path in MODULES:
        roots = {name.split(".")[0] for name in imported_by(path)}
        assert not roots & ONLY_IN_DEVELOPMENT, path


def test_every_module_is_used_by_another_or_found_by_a_registry():
    """A module that nothing imports and no registry loads is there for tests alone."""
    used = {name.removeprefix("microagg.") for path in MODULES for name in imported_by(path)}
    loaded = ("partition.methods.", "partition.search.", "partition.refine.", "mask.", "measure.",
              "data.formats.", "cli.commands.", "report.sections.")  # fmt: skip
    unused = {
        name
        for name in map(name_of, MODULES)
        if not name.endswith("__init__")
        and name not in used
        and not name.startswith(loaded)
        and name not in ENTRY_POINTS
    }
    assert not unused
