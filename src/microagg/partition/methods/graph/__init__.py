"""Methods on trees of near records: spanning trees, forests and Ward's merging."""
