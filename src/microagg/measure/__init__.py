"""What was lost, and whether the release holds what it promises."""
