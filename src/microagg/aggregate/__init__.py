"""What replaces the values of a group."""
