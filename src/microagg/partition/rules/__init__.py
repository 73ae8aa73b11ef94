"""Rules that several methods share: seeds, growth, leftovers, axes."""
