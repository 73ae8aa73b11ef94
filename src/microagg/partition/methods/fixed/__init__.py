"""Fixed-size heuristics: a seed rule x a growth rule x a leftovers rule."""
