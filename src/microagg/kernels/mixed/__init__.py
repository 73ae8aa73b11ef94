"""Groups of mixed records: categories, missing values and weights."""
