"""Twins of `kernels/line`."""
