"""Microaggregation: release records about people in groups of at least k."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from microagg.assess import assess
from microagg.compare import compare
from microagg.errors import MicroaggError, MicroaggWarning
from microagg.mask.registry import maskings
from microagg.measure.anonymity import anonymity
from microagg.measure.loss.information_loss import information_loss
from microagg.measure.registry import measures
from microagg.partition.bounds.lower_bound import lower_bound
from microagg.partition.driver import partition
from microagg.partition.partition import Partition
from microagg.partition.refine.registry import refinements
from microagg.partition.registry import methods
from microagg.protect import protect
from microagg.provenance import read_arguments
from microagg.release import Release, write_report
from microagg.schema import Schema
from microagg.select import Selection, select_columns

if _TYPE_CHECKING:
    from microagg.data import datasets, generate
    from microagg.data.files import read_file, write_file
    from microagg.estimator import Microaggregator
    from microagg.large.file_release import FileRelease
    from microagg.large.protect_file import protect_file
    from microagg.suggest import SchemaSuggestion, suggest_schema

__version__: str
__all__ = [
    "FileRelease",
    "MicroaggError",
    "MicroaggWarning",
    "Microaggregator",
    "Partition",
    "Release",
    "Schema",
    "SchemaSuggestion",
    "Selection",
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
    "methods",
    "partition",
    "protect",
    "protect_file",
    "read_arguments",
    "read_file",
    "refinements",
    "select_columns",
    "suggest_schema",
    "write_file",
    "write_report",
]

# These need scikit-learn, pyarrow or pooch, so they are imported when first used.
_LATE = {
    "Microaggregator": "microagg.estimator",
    "datasets": "microagg.data",
    "generate": "microagg.data",
    "FileRelease": "microagg.large.file_release",
    "SchemaSuggestion": "microagg.suggest",
    "protect_file": "microagg.large.protect_file",
    "read_file": "microagg.data.files",
    "suggest_schema": "microagg.suggest",
    "write_file": "microagg.data.files",
}


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
