"""The loss of methods: next to the best known, the papers and the lower bound."""
