"""Groups of values on a line."""
