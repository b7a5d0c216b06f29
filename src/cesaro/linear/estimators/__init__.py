"""The scikit-learn estimators: validation, one problem for each class or target, predictions, certificates."""
