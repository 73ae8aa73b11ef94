"""Microaggregation: release records about people in groups of at least k.

Type checkers read `__init__.pyi`, which `make docs` writes: there every option is a parameter.
"""

from importlib import import_module as _import_module
from typing import Any as _Any

from microagg.assess import Assessment, assess
from microagg.compare import compare
from microagg.comparison.table import Comparison
from microagg.errors import (
    AnonymityError,
    DataError,
    FileError,
    MicroaggError,
    MicroaggWarning,
    ParameterError,
)
from microagg.mask.registry import maskings
from microagg.measure.anonymity import Anonymity, anonymity
from microagg.measure.loss.information_loss import InformationLoss, information_loss
from microagg.measure.registry import measures
from microagg.partition.bounds.lower_bound import LowerBound, lower_bound
from microagg.partition.driver import partition
from microagg.partition.partition import Partition
from microagg.partition.refine.registry import refinements
from microagg.partition.registry import method, methods
from microagg.protect import protect
from microagg.provenance import read_arguments
from microagg.release import Release, write_report
from microagg.reporter import Reporter
from microagg.schema import Schema
from microagg.select import Selection, select_columns
from microagg.settings import Settings
from microagg.verify import Verification, verify

# These need scikit-learn, pyarrow or pooch, so they are imported when first used.
_LATE = {
    "FileRelease": "microagg.large.file_release",
    "Microaggregator": "microagg.estimator",
    "SchemaSuggestion": "microagg.suggest",
    "datasets": "microagg.data",
    "generate": "microagg.data",
    "protect_file": "microagg.large.protect_file",
    "read_file": "microagg.data.files",
    "read_source": "microagg.data.source",
    "suggest_schema": "microagg.suggest",
    "write_file": "microagg.data.files",
}

__all__ = [
    "Anonymity",
    "AnonymityError",
    "Assessment",
    "Comparison",
    "DataError",
    "FileError",
    "FileRelease",
    "InformationLoss",
    "LowerBound",
    "MicroaggError",
    "MicroaggWarning",
    "Microaggregator",
    "ParameterError",
    "Partition",
    "Release",
    "Reporter",
    "Schema",
    "SchemaSuggestion",
    "Selection",
    "Settings",
    "Verification",
    "__version__",
    "anonymity",
    "assess",
    "compare",
    "datasets",
    "generate",
    "information_loss",
    "lower_bound",
    "maskings",
    "measures",
    "method",
    "methods",
    "partition",
    "protect",
    "protect_file",
    "read_arguments",
    "read_file",
    "read_source",
    "refinements",
    "select_columns",
    "suggest_schema",
    "verify",
    "write_file",
    "write_report",
]


def __getattr__(name: str) -> _Any:
    if name == "__version__":
        return _import_module("importlib.metadata").version("microagg")
    if name not in _LATE:
        raise AttributeError(f"module 'microagg' has no attribute {name!r}")
    if _LATE[name] == "microagg.data":
        return _import_module(f"microagg.data.{name}")
    return getattr(_import_module(_LATE[name]), name)


def __dir__() -> list[str]:
    return __all__
