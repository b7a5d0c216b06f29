"""The report of all figures: an HTML page, and drawings as PDF and PNG."""
