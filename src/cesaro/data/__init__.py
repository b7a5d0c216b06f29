"""Data sets, one file per source."""
