"""Data larger than memory: how much memory, what loss, how long."""
