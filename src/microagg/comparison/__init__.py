"""The trials of `compare`: what a trial is (`trial.py`), and how trials are run, stored and ranked."""
