"""What no partition can beat: proven lower bounds of the loss."""
