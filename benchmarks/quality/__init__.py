"""Losses against what is printed and what is best."""
