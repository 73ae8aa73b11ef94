"""Where the tasks of large files run: one file for each back end, and `choose.py`, which chooses one."""
