"""Blocks of similar records, grouped one at a time."""
