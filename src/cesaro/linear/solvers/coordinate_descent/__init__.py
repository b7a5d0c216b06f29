"""Coordinate descent over columns, with working sets: for smooth losses with an L1 penalty."""
