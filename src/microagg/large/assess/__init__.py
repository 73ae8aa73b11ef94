"""`assess_file`: masked files larger than memory, compared with their originals in passes."""
