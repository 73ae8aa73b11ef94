"""Data-oriented heuristics: groups whose sizes follow the data."""
