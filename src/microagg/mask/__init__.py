"""From records to new values: by groups of the whole, or by a masking that makes no such groups."""
