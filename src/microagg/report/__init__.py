"""Summaries, reports and charts."""
