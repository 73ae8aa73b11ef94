"""Groups of at least k similar records: the methods, their registry and the value object."""
