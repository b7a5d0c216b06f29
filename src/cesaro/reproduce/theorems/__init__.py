"""The theorems and corollaries in numbers, as printed and corrected."""
