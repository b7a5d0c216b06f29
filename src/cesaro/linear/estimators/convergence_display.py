"""A picture of a fit's history: what was reached, what was proved."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from cesaro.docstrings import complete

DRAWING = """
Parameters
----------
x : {"epoch", "time"}
    The horizontal axis.
ax : matplotlib axes or None
    Where to draw; None makes a new figure.
**line : dict
    Passed to matplotlib's plot.

Returns
-------
ConvergenceDisplay
    With what was drawn.
"""


@complete(DRAWING)
@dataclass
class ConvergenceDisplay:
    """The proved gap of a fitted model over its epochs (or seconds); needs matplotlib.

    Parameters
    ----------
    history : dict of arrays
        `history_` of an estimator: epoch, time, objective, lower_bound and, with several models, model.
    names : list of str
        One label per model.

    Attributes
    ----------
    ax_, figure_, lines_ : matplotlib objects
        What `plot` drew.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from cesaro.linear import ConvergenceDisplay, DualAveragingClassifier
    >>> model = DualAveragingClassifier(alpha=0.1, random_state=0).fit(*make_classification(random_state=0))
    >>> display = ConvergenceDisplay.from_estimator(model)
    >>> display.ax_.get_ylabel()
    'proved gap'
    """

    history: dict[str, np.ndarray]
    names: list[str]

    @classmethod
    def from_estimator(cls, estimator: Any, *, x: str = "epoch", ax: Any = None, **line: Any) -> Self:
        """Draw the history of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator of `cesaro.linear`
            Whose `history_` to draw.

        Raises
        ------
        TypeError
            If the estimator has no history.
        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "history_"):
            raise TypeError(f"{type(estimator).__name__} has no history_: give an estimator of cesaro.linear.")
        models = int(estimator.history_["model"].max()) + 1 if "model" in estimator.history_ else 1
        labels = getattr(estimator, "classes_", np.arange(models))
        names = [str(labels[k]) for k in range(models)] if models > 1 else [type(estimator).__name__]
        return cls(estimator.history_, names).plot(x=x, ax=ax, **line)

    def plot(self, *, x: str = "epoch", ax: Any = None, **line: Any) -> Self:
        """Draw objective - best lower bound of each model on a logarithmic axis; epochs without a proof are omitted.

        Raises
        ------
        ValueError
            If `x` is neither "epoch" nor "time".
        """
        import matplotlib.pyplot as plt

        if x not in ("epoch", "time"):
            raise ValueError(f'x must be "epoch" or "time": got {x!r}.')
        if ax is None:
            _, ax = plt.subplots()
        model = self.history.get("model", np.zeros(len(self.history["epoch"]), dtype=int))
        gap = self.history["objective"] - self.history["lower_bound"]
        self.lines_ = []
        for k, name in enumerate(self.names):
            shown = (model == k) & np.isfinite(gap) & (gap > 0.0)
            self.lines_ += ax.plot(self.history[x][shown], gap[shown], **{"label": name, "marker": ".", **line})
        ax.set(xlabel={"epoch": "epoch", "time": "seconds"}[x], ylabel="proved gap", yscale="log")
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self
