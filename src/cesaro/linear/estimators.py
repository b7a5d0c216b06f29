"""The scikit-learn estimators in one place."""

from cesaro.linear.classifier import DualAveragingClassifier
from cesaro.linear.regressor import DualAveragingRegressor

__all__ = ["DualAveragingClassifier", "DualAveragingRegressor"]
