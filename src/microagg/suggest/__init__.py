"""Suggest the role of each column. The user checks the suggestion and decides."""

from microagg.suggest.suggest import suggest_schema
from microagg.suggest.suggestion import SchemaSuggestion, Suggestion

__all__ = ["SchemaSuggestion", "Suggestion", "suggest_schema"]
