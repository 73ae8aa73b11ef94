"""The sections of a report, one file each; `section.py` finds them by themselves."""
