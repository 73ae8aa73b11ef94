"""The sections of a report, one file each, which `section.py` discovers."""
