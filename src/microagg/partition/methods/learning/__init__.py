"""Automata and genetic search, as the papers have them."""
