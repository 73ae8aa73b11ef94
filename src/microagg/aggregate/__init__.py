"""The representatives of groups."""
