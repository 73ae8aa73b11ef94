"""Other tools on the same records, with their results beside those of microagg."""
