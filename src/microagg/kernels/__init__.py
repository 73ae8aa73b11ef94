"""The compiled loops: arrays in, arrays out, no objects.

Numba is imported here and nowhere else, and only when a method runs, so that importing
microagg and asking the command line for help cost nothing. `tests/twins` has the same
algorithms in plain NumPy.
"""
