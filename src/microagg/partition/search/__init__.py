"""Search that goes on for as long as it is given, and the choice of a method by the data."""
