"""Groups of k grown from seeds."""
