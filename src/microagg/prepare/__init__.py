"""From columns of numbers to the one matrix that every method sees."""
