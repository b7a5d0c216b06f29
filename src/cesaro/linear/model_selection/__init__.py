"""Cross-validation over alpha: folds, the search, all models of a path in one pass."""
