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
kind : {"auto", "bounds", "gap"}
    "bounds": the value reached, the lower bound, and the duality gap as the area between them; "gap": the duality gap of
    every model on a logarithmic axis; "auto": "bounds" if there is one model.
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
    """What a fit has reached and proved over its epochs, or seconds; needs matplotlib.

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
    >>> from cesaro import ConvergenceDisplay, DualAveragingClassifier
    >>> model = DualAveragingClassifier(alpha=0.1, random_state=0).fit(*make_classification(random_state=0))
    >>> display = ConvergenceDisplay.from_estimator(model)
    >>> display.ax_.get_ylabel()
    'objective'
    """

    history: dict[str, np.ndarray]
    names: list[str]

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, x: str = "epoch", kind: str = "auto", ax: Any = None, **line: Any
    ) -> Self:
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
        return cls(estimator.history_, names).plot(x=x, kind=kind, ax=ax, **line)

    def plot(self, *, x: str = "epoch", kind: str = "auto", ax: Any = None, **line: Any) -> Self:
        """Draw the history; evaluations without a proof are omitted.

        Raises
        ------
        ValueError
            If `x` or `kind` is not one of the words above, or there are several models to draw the bounds of.
        """
        import matplotlib.pyplot as plt

        if x not in ("epoch", "time"):
            raise ValueError(f'x must be "epoch" or "time": got {x!r}.')
        if kind not in ("auto", "bounds", "gap"):
            raise ValueError(f'kind must be "auto", "bounds" or "gap": got {kind!r}.')
        if kind == "bounds" and len(self.names) > 1:
            raise ValueError(f'kind="bounds" draws one model: this fit has {len(self.names)}. Use kind="gap".')
        if ax is None:
            _, ax = plt.subplots()
        draw = self._draw_gap if kind == "gap" or len(self.names) > 1 else self._draw_bounds
        self.lines_ = draw(x, ax, line)
        ax.set_xlabel({"epoch": "epoch", "time": "seconds"}[x])
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_gap(self, x: str, ax: Any, line: dict[str, Any]) -> list[Any]:
        """The gap of each model."""
        lines = []
        for k, name in enumerate(self.names):
            shown = self._proved(k)
            upper, lower = self._bounds(shown)
            lines += ax.plot(self.history[x][shown], upper - lower, **{"label": name, "marker": ".", **line})
        ax.set(ylabel="proved gap", yscale="log")
        return lines

    def _draw_bounds(self, x: str, ax: Any, line: dict[str, Any]) -> list[Any]:
        """Value and lower bound, and the area between them; the axis shows what is left after the first evaluations."""
        shown = self._proved(0)
        at, (upper, lower) = self.history[x][shown], self._bounds(shown)
        above = ax.plot(at, upper, **{"label": "value reached", "marker": ".", "color": "#0072B2", **line})
        below = ax.plot(at, lower, **{"label": "lower bound, proved", "marker": ".", "color": "#D55E00", **line})
        ax.fill_between(at, lower, upper, color="#0072B2", alpha=0.15, lw=0, label="duality gap")
        if len(at):
            room = (upper - lower)[min(2, len(at) - 1)] or abs(upper[-1]) or 1.0
            ax.set_ylim(lower[-1] - room, upper[-1] + room)
        ax.set_ylabel("objective")
        return [*above, *below]

    def _proved(self, model: int) -> np.ndarray:
        """Which evaluations of a model have a lower bound, and leave a gap."""
        whose = self.history.get("model", np.zeros(len(self.history["epoch"]), dtype=int))
        gap = self.history["objective"] - self.history["lower_bound"]
        return (whose == model) & np.isfinite(gap) & (gap > 0.0)

    def _bounds(self, shown: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The best value and the best lower bound so far: both hold from then on."""
        history = self.history
        return np.minimum.accumulate(history["objective"][shown]), np.maximum.accumulate(history["lower_bound"][shown])
