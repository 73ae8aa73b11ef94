"""The kernels again in plain NumPy; `registry` tells which method each twin belongs to."""
