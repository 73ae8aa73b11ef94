"""Twins of `kernels/learning`."""
