"""Microaggregation: release records about people in groups of at least k.

A public name is imported when it is first used, so `import microagg` is quick and loads no library.
Type checkers read `__init__.pyi`, which `make docs` writes: there every option is a parameter.
"""

import sys as _sys

if _sys.argv[:1] == ["-m"]:  # while Python looks for what `python -m` shall run
    import microagg_command as _command

    if _command.is_command(_sys.orig_argv):
        _command.take_over()

from importlib import import_module as _import_module
from types import ModuleType as _ModuleType
from typing import Any as _Any

_HOMES = {
    "Anonymity": "microagg.measure.anonymity",
    "AnonymityError": "microagg.errors",
    "Assessment": "microagg.assessment",
    "Comparison": "microagg.comparison.table",
    "DataError": "microagg.errors",
    "FileError": "microagg.errors",
    "FileRelease": "microagg.large.file_release",
    "InformationLoss": "microagg.measure.loss.information_loss",
    "LowerBound": "microagg.partition.bounds.lower_bound",
    "MicroaggError": "microagg.errors",
    "MicroaggWarning": "microagg.errors",
    "Microaggregator": "microagg.estimator",
    "ParameterError": "microagg.errors",
    "Partition": "microagg.partition.partition",
    "Release": "microagg.release",
    "Reporter": "microagg.reporter",
    "Schema": "microagg.schema",
    "SchemaSuggestion": "microagg.suggest.suggestion",
    "Selection": "microagg.select",
    "Settings": "microagg.settings",
    "Verification": "microagg.verify",
    "anonymity": "microagg.measure.anonymity",
    "assess": "microagg.assess",
    "assess_file": "microagg.large.assess.assess_file",
    "compare": "microagg.compare",
    "datasets": "microagg.data",
    "generate": "microagg.data",
    "information_loss": "microagg.measure.loss.information_loss",
    "lower_bound": "microagg.partition.bounds.lower_bound",
    "maskings": "microagg.mask.registry",
    "measures": "microagg.measure.registry",
    "method": "microagg.partition.registry",
    "methods": "microagg.partition.registry",
    "partition": "microagg.partition.driver",
    "protect": "microagg.protect",
    "protect_file": "microagg.large.protect_file",
    "read_arguments": "microagg.provenance",
    "read_file": "microagg.data.files",
    "read_source": "microagg.data.source",
    "refinements": "microagg.partition.refine.registry",
    "select_columns": "microagg.select",
    "suggest_schema": "microagg.suggest.suggest",
    "verify": "microagg.verify",
    "write_file": "microagg.data.files",
}
"""Each public name and the module or package that has it."""

__all__ = sorted(["__version__", *_HOMES])


def __getattr__(name: str) -> _Any:
    if name == "__version__":
        value = _import_module("importlib.metadata").version("microagg")
    elif name not in _HOMES:
        raise _import_module("microagg.renamed").renamed_attribute("microagg", name)
    else:
        home = _import_module(_HOMES[name])
        value = getattr(home, name, None) or _import_module(f"{_HOMES[name]}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


class _Package(_ModuleType):
    """A package whose public functions are not hidden by its modules of the same name.

    Python sets `microagg.protect` to the module when `microagg/protect.py` is imported; the public
    name stays the function.
    """

    def __setattr__(self, name: str, value: _Any) -> None:
        module = isinstance(value, _ModuleType) and value.__name__ == f"microagg.{name}"
        if not (module and name in _HOMES):
            super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Package
