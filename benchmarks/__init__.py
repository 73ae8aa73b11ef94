"""Measurements: speed against named peers, loss against the literature."""
