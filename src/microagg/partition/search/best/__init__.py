"""The portfolio of search and proof."""
