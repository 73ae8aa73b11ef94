"""Measures of the risk that a record is re-identified or a value is guessed."""
