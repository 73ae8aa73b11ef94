"""How good the groups are: loss after a given time, beside the best published."""
