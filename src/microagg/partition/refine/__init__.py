"""Refinements: a partition in, one of no more loss out, one file each."""
