"""Every private name of scikit-learn that is used, imported here and nowhere else, and its callbacks where it has them.

_fit_context                     checks parameters before `fit`, as in scikit-learn's own estimators
_check_partial_fit_first_call    what `partial_fit` asks of `classes`
_check_sample_weight, _check_y   what scikit-learn says of weights and targets that are no plain arrays
Interval, StrOptions, HasMethods the words of `_parameter_constraints`
_get_param_names                 (a method of estimators) what `__init__` takes, which scikit-learn finds anew in every `fit`
_validate_params                 (a method of estimators) which `fit` calls, and files and clusters by `validate_parameters`
validate_parameter_constraints   what that method asks of the parameters
_skl_callbacks                   (an attribute of estimators) the callbacks that were set; scikit-learn 1.9
_init_callback_context           (a method of estimators) where a fit's tasks are told to callbacks; scikit-learn 1.9
"""

import inspect
import threading
from functools import cache
from typing import Any

from sklearn.base import _fit_context
from sklearn.metrics import get_scorer_names
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions, validate_parameter_constraints
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import _check_sample_weight, _check_y

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""


__all__ = [
    "CachedParameters",
    "CallbackSupportMixin",
    "Callbacks",
    "HasMethods",
    "Interval",
    "StrOptions",
    "_check_partial_fit_first_call",
    "_check_sample_weight",
    "_check_y",
    "_fit_context",
    "get_scorer_names",
    "has_callbacks",
    "validate_parameters",
]


class CachedParameters:
    """Looks for a class's parameters once: inspecting `__init__` counts beside a small fit (benchmarks/linear/small_tables)."""

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        return super()._get_param_names()  # type: ignore[misc]

    @classmethod
    @cache
    def _allowed_defaults(cls) -> dict[str, Any]:
        """The defaults that are allowed, as all of ours are: looked at once."""
        rules: dict[str, Any] = cls._parameter_constraints  # type: ignore[attr-defined]
        parameters, allowed = inspect.signature(cls.__init__).parameters, {}
        for name in cls._get_param_names():
            default = parameters[name].default if name in parameters else inspect.Parameter.empty
            try:
                validate_parameter_constraints(rules, {name: default}, caller_name=cls.__name__)
            except ValueError:
                continue
            allowed[name] = default
        return allowed

    def _validate_params(self) -> None:
        """Only what is not the default itself: to look at all takes as long as an epoch over a small text."""
        cls, defaults = type(self), self._allowed_defaults()
        given = {name: getattr(self, name) for name in self._get_param_names()}
        changed = {name: value for name, value in given.items() if value is not defaults.get(name, defaults)}
        rules: dict[str, Any] = self._parameter_constraints  # type: ignore[attr-defined]
        validate_parameter_constraints(rules, changed, caller_name=cls.__name__)


def validate_parameters(estimator: Any) -> None:
    """Refuse parameters that `_parameter_constraints` does not allow."""
    estimator._validate_params()


def has_callbacks(estimator: Any) -> bool:
    """Whether there is a callback to tell."""
    return "_skl_callbacks" in vars(estimator)


class Callbacks:
    """Passes the progress of a fit on to the estimator's callbacks; one that says stop ends the fit as Ctrl-C does."""

    def __init__(self, estimator, models: int, progress):
        self.estimator, self.progress, self.lock = estimator, progress, threading.Lock()
        self.fit = estimator._init_callback_context(max_subtasks=models, sequential_subtasks=False)
        self.fit.call_on_fit_task_begin(estimator=estimator)
        self.models: dict[int, Any] = {}

    def __call__(self, model: int, epoch: int, objective: float, lower_bound: float) -> None:
        self.progress(model, epoch, objective, lower_bound)
        with self.lock:
            if model not in self.models:
                self.models[model] = self.fit.subcontext(task_name="model", task_id=model, max_subtasks=None)
                self.models[model].call_on_fit_task_begin(estimator=self.estimator)
            task = self.models[model].subcontext(task_name="epoch")
            task.call_on_fit_task_begin(estimator=self.estimator)
            stop = task.call_on_fit_task_end(estimator=self.estimator)
        if stop:
            raise KeyboardInterrupt

    def close(self) -> None:
        self.progress.close()
        for task in self.models.values():
            task.call_on_fit_task_end(estimator=self.estimator)
        self.fit.call_on_fit_task_end(estimator=self.estimator)
