"""The choice of a method by the number of records and the effort."""
