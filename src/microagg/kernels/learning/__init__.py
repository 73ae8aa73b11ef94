"""Genetic, learning-automaton and fuzzy methods."""
