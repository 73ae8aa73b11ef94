"""From columns to the scaled records that methods use."""
