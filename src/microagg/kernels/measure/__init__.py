"""Disclosure-risk measures."""
