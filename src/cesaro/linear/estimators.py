"""The scikit-learn estimators, in one place: classifier.py, regressor.py, and their cross-validated forms in crossval.py."""

from cesaro.linear.classifier import DualAveragingClassifier
from cesaro.linear.regressor import DualAveragingRegressor

__all__ = ["DualAveragingClassifier", "DualAveragingRegressor"]
