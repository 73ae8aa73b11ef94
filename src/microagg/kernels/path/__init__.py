"""Groups along a path through the records."""
