"""Lower bounds: pricing and neighbour degrees."""
