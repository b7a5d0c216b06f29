"""The scikit-learn estimators in one place."""

from cesaro.linear.classifier import DualAveragingClassifier
from cesaro.linear.classifier_cv import DualAveragingClassifierCV
from cesaro.linear.regressor import DualAveragingRegressor
from cesaro.linear.regressor_cv import DualAveragingRegressorCV

__all__ = [
    "DualAveragingClassifier",
    "DualAveragingClassifierCV",
    "DualAveragingRegressor",
    "DualAveragingRegressorCV",
]
