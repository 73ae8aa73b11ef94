"""Records in: frames, files and data sets by name."""
