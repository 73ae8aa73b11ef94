"""Measures of what a group reveals about confidential values."""
