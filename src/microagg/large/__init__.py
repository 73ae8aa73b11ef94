"""Files larger than memory: read in pieces, grouped block by block, released in the same order."""
