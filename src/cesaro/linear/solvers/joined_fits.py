"""Two runs of one problem, one after the other, as one fit."""

from collections.abc import Callable

import numpy as np

from cesaro.linear.problem.problem import Fit


def joined(first: Fit, second: Fit) -> Fit:
    """The better point, the better bound."""
    clock = {"epoch": first.n_iter, "time": first.history["time"][-1]}
    history = {key: np.append(column, second.history[key] + clock.get(key, 0)) for key, column in first.history.items()}
    better = second if second.objective < first.objective else first
    return second._replace(
        w=better.w,
        objective=better.objective,
        lower_bound=max(first.lower_bound, second.lower_bound),
        n_iter=first.n_iter + second.n_iter,
        history=history,
        intercept=None,
    )


def continued(first: Fit, go_on: Callable[[], Fit]) -> Fit:
    """A run and the one that goes on from it; the first alone if the second is interrupted before it has found anything."""
    try:
        return joined(first, go_on())
    except KeyboardInterrupt:
        return first._replace(status="interrupted")
