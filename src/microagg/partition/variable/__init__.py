"""Data-oriented heuristics: groups whose sizes follow the data, from k to 2k-1."""
