"""Measures of the risk that a record is recognised or a value guessed."""
