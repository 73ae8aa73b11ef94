"""Neighbour search: the spatial index, exhaustive scans, and the pool of ungrouped records."""
