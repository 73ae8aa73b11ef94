"""Attacks: what a careless or hostile author of the input may hand to microagg."""
