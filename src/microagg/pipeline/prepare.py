"""The second stage: missing values are filled in if requested, and the columns are scaled once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from microagg.aggregate.by_kind import rules_of
from microagg.pipeline.read import RecordsToRelease
from microagg.prepare.column import Column
from microagg.prepare.comparable import comparable
from microagg.prepare.missing import imputed
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.settings import Settings


@dataclass(frozen=True, eq=False)
class PreparedRecords:
    """Records as methods use them.

    Attributes
    ----------
    columns : mapping of str to Column
        The quasi-identifiers for grouping, with missing values filled in if requested.
    scaled : Prepared or Records
        The same after scaling.
    original : Prepared or Records
        The scaled quasi-identifiers as they were read, on which the loss is measured.
        It is the same object as `scaled` unless missing values were filled in.
    """

    columns: Mapping[str, Column]
    scaled: Prepared | Records
    original: Prepared | Records


def prepare_for_grouping(records: RecordsToRelease, settings: Settings) -> PreparedRecords:
    """Fill in missing values and scale the columns according to the settings."""
    scaled = as_released(
        comparable(records.columns, settings, records.weights), records.columns, settings
    )
    if settings.missing != "impute" or not records.has_blanks:
        return PreparedRecords(records.columns, scaled, scaled)
    rng = np.random.default_rng(settings.seed)
    complete = imputed(list(records.columns.values()), rng, records.weights)
    filled = {column.name: column for column in complete}
    grouped = as_released(comparable(filled, settings, records.weights), records.columns, settings)
    return PreparedRecords(filled, grouped, scaled)


def as_released(
    scaled: Prepared | Records, columns: Mapping[str, Column], settings: Settings
) -> Prepared | Records:
    """Return mixed records with the aggregates of their groups, which determine the loss."""
    if isinstance(scaled, Prepared):
        return scaled
    rules = rules_of(columns, settings.aggregate)
    return replace(scaled, rules=rules, keeps_blanks=settings.missing == "keep")
