"""Suggest the role of each column. A suggestion is read by a person; it decides nothing."""

from microagg.suggest.suggest import suggest_schema
from microagg.suggest.suggestion import SchemaSuggestion, Suggestion

__all__ = ["SchemaSuggestion", "Suggestion", "suggest_schema"]
