"""Large-neighbourhood search."""
