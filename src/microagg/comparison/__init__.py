"""What `compare` tries: a trial (`trial.py`), how it runs, where it is kept, and how trials are ranked."""
