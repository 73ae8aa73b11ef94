"""File formats: one file each, registered with ``@format``.

A new format is one new file in this folder. Reading, writing, streaming, the list of suffixes in
messages and the check of options follow from what its decorator declares.
"""
