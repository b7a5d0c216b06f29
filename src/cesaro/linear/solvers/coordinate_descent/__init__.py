"""Coordinate descent over columns, with working sets: for an L1 penalty."""
