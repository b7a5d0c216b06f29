"""When to evaluate: an evaluation costs about an epoch, so they come as the epochs grow in number."""

from cesaro.linear.problem.problem import History

OFTEN = 1.25  # an evaluation when the epochs have grown by this, where a proof ends the run
SELDOM = 3.0  # where none does


def growing_evaluations(epoch: int, first: int, history: History, tol: float) -> bool:
    """Whether an evaluation is due: at the first epoch, then when their number has grown enough."""
    return epoch - first >= max(1.0, (OFTEN if tol else SELDOM) * max(0.0, history.rows[-1][0] - first))
