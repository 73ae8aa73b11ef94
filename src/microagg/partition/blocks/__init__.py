"""Blocks of similar records, grouped one at a time: cuts, borders, and what mends them."""
