"""The public names as type checkers see them; `make docs` writes it from the options."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from numpy.typing import ArrayLike

from microagg.assessment import Assessment as Assessment
from microagg.comparison.table import Comparison as Comparison
from microagg.data import datasets as datasets
from microagg.data import generate as generate
from microagg.data.files import read_file as read_file
from microagg.data.files import write_file as write_file
from microagg.data.source import read_source as read_source
from microagg.errors import AnonymityError as AnonymityError
from microagg.errors import DataError as DataError
from microagg.errors import FileError as FileError
from microagg.errors import MicroaggError as MicroaggError
from microagg.errors import MicroaggWarning as MicroaggWarning
from microagg.errors import ParameterError as ParameterError
from microagg.estimator import Microaggregator as Microaggregator
from microagg.large.file_release import FileRelease as FileRelease
from microagg.mask.registry import maskings as maskings
from microagg.measure.anonymity import Anonymity as Anonymity
from microagg.measure.anonymity import anonymity as anonymity
from microagg.measure.loss.information_loss import InformationLoss as InformationLoss
from microagg.measure.loss.information_loss import information_loss as information_loss
from microagg.measure.registry import measures as measures
from microagg.partition.bounds.lower_bound import LowerBound as LowerBound
from microagg.partition.bounds.lower_bound import lower_bound as lower_bound
from microagg.partition.driver import partition as partition
from microagg.partition.partition import Partition as Partition
from microagg.partition.refine.registry import refinements as refinements
from microagg.partition.registry import method as method
from microagg.partition.registry import methods as methods
from microagg.provenance import read_arguments as read_arguments
from microagg.release import Release as Release
from microagg.reporter import Reporter as Reporter
from microagg.schema import Schema as Schema
from microagg.select import Selection as Selection
from microagg.select import select_columns as select_columns
from microagg.settings import Settings as Settings
from microagg.suggest.suggest import suggest_schema as suggest_schema
from microagg.suggest.suggestion import SchemaSuggestion as SchemaSuggestion
from microagg.verify import Verification as Verification
from microagg.verify import verify as verify

__version__: str
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
    "assess_file",
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
]

def assess(
    original: Any,
    released: Any = ...,
    *,
    quasi_identifiers: Sequence[str] | None = ...,
    confidential: Sequence[str] | None = ...,
    kinds: Mapping[str, Literal["continuous", "ordinal", "nominal"]] | None = ...,
    orders: Mapping[str, Sequence[Any]] | None = ...,
    scale: Literal["zscore", "range", "none"] | None = ...,
    distance: Literal["euclidean", "gower"] = ...,
    column_weights: Mapping[str, float] | None = ...,
    hierarchies: Mapping[str, Any] | None = ...,
    distance_tables: Mapping[str, Any] | None = ...,
    date_format: Mapping[str, str] | None = ...,
    weights: str | None = ...,
    target: str | None = ...,
    unit: str | None = ...,
    match_on: str | None = ...,
    rows: ArrayLike | None = ...,
    measures: str | Sequence[str] | None = ...,
    loss_weight: float = ...,
    progress: Reporter | None = ...,
) -> Assessment: ...

def assess_file(
    original: str | Path,
    released: str | Path,
    *,
    quasi_identifiers: Sequence[str] | None = ...,
    confidential: Sequence[str] | None = ...,
    kinds: Mapping[str, Literal["continuous", "ordinal", "nominal"]] | None = ...,
    orders: Mapping[str, Sequence[Any]] | None = ...,
    scale: Literal["zscore", "range", "none"] | None = ...,
    distance: Literal["euclidean", "gower"] = ...,
    column_weights: Mapping[str, float] | None = ...,
    hierarchies: Mapping[str, Any] | None = ...,
    distance_tables: Mapping[str, Any] | None = ...,
    date_format: Mapping[str, str] | None = ...,
    weights: str | None = ...,
    unit: str | None = ...,
    separator: str | None = ...,
    encoding: str | None = ...,
    decimal: str | None = ...,
    numeric_names: bool = ...,
    blank: str | Sequence[str] | None = ...,
    memory: str | int = ...,
    work: str | Path | None = ...,
    measures: str | Sequence[str] | None = ...,
    loss_weight: float = ...,
    progress: Reporter | None = ...,
) -> Assessment: ...

def compare(
    data: Any,
    k: int | Iterable[int],
    *,
    quasi_identifiers: Sequence[str] | None = ...,
    confidential: Sequence[str] | None = ...,
    kinds: Mapping[str, Literal["continuous", "ordinal", "nominal"]] | None = ...,
    orders: Mapping[str, Sequence[Any]] | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    columns: str | Sequence[str] | None = ...,
    segments: int | Sequence[Sequence[str]] | None = ...,
    seed: int = ...,
    scale: Literal["zscore", "range", "none"] | None = ...,
    distance: Literal["euclidean", "gower"] = ...,
    column_weights: Mapping[str, float] | None = ...,
    hierarchies: Mapping[str, Any] | None = ...,
    distance_tables: Mapping[str, Any] | None = ...,
    aggregate: Literal["auto", "hybrid"] | Mapping[str, Literal["mean", "median", "trimmed", "mode"]] = ...,
    integers: Literal["float", "round"] = ...,
    round_to: Mapping[str, float] | None = ...,
    missing: Literal["error", "keep", "group", "impute", "suppress"] = ...,
    date_format: Mapping[str, str] | None = ...,
    weights: str | None = ...,
    strata: str | Sequence[str] | None = ...,
    small_strata: Literal["error", "merge", "suppress"] = ...,
    l_diversity: int | None = ...,
    t_closeness: float | None = ...,
    target: str | None = ...,
    unit: str | None = ...,
    methods: str | Iterable[str] = ...,
    refine: str | Iterable[str | None] | None = ...,
    loss: str = ...,
    loss_weight: float = ...,
    jobs: int = ...,
    cache: str | Path | None = ...,
    schema: Schema | Mapping[str, Any] | None = ...,
    progress: Reporter | None = ...,
) -> Comparison: ...

def protect(
    data: Any,
    k: int,
    *,
    quasi_identifiers: Sequence[str] | None = ...,
    identifiers: Sequence[str] | None = ...,
    confidential: Sequence[str] | None = ...,
    kinds: Mapping[str, Literal["continuous", "ordinal", "nominal"]] | None = ...,
    orders: Mapping[str, Sequence[Any]] | None = ...,
    method: str = ...,
    parameters: Mapping[str, Any] | None = ...,
    refine: str | Sequence[str] | None = ...,
    columns: str | Sequence[str] | None = ...,
    segments: int | Sequence[Sequence[str]] | None = ...,
    seed: int = ...,
    engine: Literal["cpu", "cuda", "auto"] | None = ...,
    scale: Literal["zscore", "range", "none"] | None = ...,
    distance: Literal["euclidean", "gower"] = ...,
    column_weights: Mapping[str, float] | None = ...,
    hierarchies: Mapping[str, Any] | None = ...,
    distance_tables: Mapping[str, Any] | None = ...,
    aggregate: Literal["auto", "hybrid"] | Mapping[str, Literal["mean", "median", "trimmed", "mode"]] = ...,
    integers: Literal["float", "round"] = ...,
    round_to: Mapping[str, float] | None = ...,
    missing: Literal["error", "keep", "group", "impute", "suppress"] = ...,
    index: Literal["drop", "keep"] = ...,
    date_format: Mapping[str, str] | None = ...,
    weights: str | None = ...,
    strata: str | Sequence[str] | None = ...,
    small_strata: Literal["error", "merge", "suppress"] = ...,
    l_diversity: int | None = ...,
    t_closeness: float | None = ...,
    unit: str | None = ...,
    strict: bool = ...,
    schema: Schema | Mapping[str, Any] | None = ...,
    progress: Reporter | None = ...,
) -> Release: ...

def protect_file(
    source: str | Path,
    output: str | Path,
    k: int,
    *,
    quasi_identifiers: Sequence[str] | None = ...,
    identifiers: Sequence[str] | None = ...,
    confidential: Sequence[str] | None = ...,
    kinds: Mapping[str, Literal["continuous", "ordinal", "nominal"]] | None = ...,
    orders: Mapping[str, Sequence[Any]] | None = ...,
    method: str = ...,
    parameters: Mapping[str, Any] | None = ...,
    seed: int = ...,
    scale: Literal["zscore", "range", "none"] | None = ...,
    column_weights: Mapping[str, float] | None = ...,
    hierarchies: Mapping[str, Any] | None = ...,
    distance_tables: Mapping[str, Any] | None = ...,
    aggregate: Literal["auto", "hybrid"] | Mapping[str, Literal["mean", "median", "trimmed", "mode"]] = ...,
    integers: Literal["float", "round"] = ...,
    round_to: Mapping[str, float] | None = ...,
    missing: Literal["error", "keep", "group", "impute", "suppress"] = ...,
    date_format: Mapping[str, str] | None = ...,
    weights: str | None = ...,
    strata: str | Sequence[str] | None = ...,
    small_strata: Literal["error", "merge", "suppress"] = ...,
    l_diversity: int | None = ...,
    t_closeness: float | None = ...,
    unit: str | None = ...,
    strict: bool = ...,
    separator: str | None = ...,
    encoding: str | None = ...,
    decimal: str | None = ...,
    numeric_names: bool = ...,
    blank: str | Sequence[str] | None = ...,
    memory: str | int = ...,
    work: str | Path | None = ...,
    workers: int | None = ...,
    cluster: str | None = ...,
    client: Any = ...,
    schema: Schema | Mapping[str, Any] | None = ...,
    report: str | Path | None = ...,
    external_report: str | Path | None = ...,
    audience: str = ...,
    overwrite: bool = ...,
    progress: Reporter | None = ...,
) -> FileRelease: ...
