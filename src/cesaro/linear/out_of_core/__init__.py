"""Rows that need not fit into memory: readers of files, parsed rows kept on disk."""
