"""Measures of what a group gives away about confidential values."""
