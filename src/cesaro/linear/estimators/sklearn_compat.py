"""scikit-learn's callbacks (`sklearn.callback`), where the installed version has them: models and epochs are tasks."""

import threading
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""


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
