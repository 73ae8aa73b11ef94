"""From records to released values: by groups of whole records, or by a masking without such groups."""
