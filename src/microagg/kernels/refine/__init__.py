"""Refinements of a partition."""
