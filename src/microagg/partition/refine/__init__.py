"""Refinements: each takes a partition and returns one with no higher loss; one file each."""
