"""The intercept as the anchored solver has it: whether it is free, and the constant feature that it is the weight of."""

import math
from typing import Any

import numpy as np

from cesaro.dual_form import LOGISTIC, DualForm
from cesaro.linear.bounds.free_intercept import SIDES, Plane, balanced
from cesaro.linear.bounds.intercept_interval import bound_from_planes, upper_bound
from cesaro.linear.bounds.rounding import U
from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.problem import Fit, InterceptBound, Problem, objective
from cesaro.linear.solvers.anchored import records
from cesaro.linear.solvers.anchored.records import UNKNOWN, B, Q, V, Y

LEAN = 32.0  # by so much less than r |x| the predictions of an intercept are known worse than without one
RENEWALS = 150.0  # with 50 to 500 a proof takes as many epochs as without an intercept,
CLASS_RENEWALS = 600.0  # of classes against the rest, most of which are rare, with 600 to 2,400
HELD, HELD_LOGISTIC = 0.1, 1.0  # of n mu: with 0.1 alpha = 1e-3 takes fewer epochs, with 0 alpha = 0.1 fifty


def is_free(problem: Problem) -> bool:
    """Whether there is an intercept, without a penalty."""
    return problem.rows.bias != 0.0 and not problem.penalize_intercept


def renewals(loss: DualForm, wide: bool, classes: bool = False) -> float:
    """How often an epoch may renew a free intercept: no limit but for wide rows, unless their loss is the logistic one."""
    if not wide or loss.kind == LOGISTIC:  # logistic dual values hardly follow: held back it lags for dozens of epochs
        return math.inf
    return CLASS_RENEWALS if classes else RENEWALS


def with_suitable_bias(
    rows: Rows, record: np.ndarray, sample: np.ndarray, penalty: float, renewed: float, held: float = 1.0
) -> Rows:
    """The rows with a constant feature for a free intercept: the larger, the less the anchor holds the intercept back.

    Its square is an eighth of the other features' (a twelfth with labels and no limit: with less, last digits take more
    epochs), more where these have a `penalty`, n mu, of which a part `held` outweighs their anchor.
    But S over that square is how many rows it takes to renew the intercept: if they are few, it follows each of them, and
    wide rows, which have nothing else in common, all follow it. So an epoch renews it at most so often (`renewals`).
    """
    square = records.mean_square(rows._replace(bias=0.0), record, sample)
    record[sample, Q] = UNKNOWN
    if square == 0.0:
        return rows
    most = renewed * (square / 2.0 + penalty) / rows.n
    part = 12.0 if math.isinf(renewed) and (np.abs(record[sample, Y]) == 1.0).all() else 8.0
    return rows._replace(bias=math.sqrt(min(2.0 * square, (square + held * penalty) / part, most)))


def with_own_bias(state: Any, sample: np.ndarray) -> Rows:
    """A solver's rows with such a feature, for an intercept that begins at the best constant model."""
    held = HELD_LOGISTIC if state.loss.kind == LOGISTIC else HELD
    often = renewals(state.loss, state.wide)
    return with_suitable_bias(state.rows, state.record, sample, state.more, often, held)


def begin_intercept_at(start: float, state: Any) -> None:
    """A first epoch has found what is to be added to a free intercept: add `start` to h and average, which are without."""
    h, _, _, average = state.working.columns
    S = state.prox_weight + state.n * state.mu
    state.dual_floor -= 1.01 * state.n * state.at_zero + 2.02 * S * start * start  # docs/proofs.md, section 11
    h[-1] += (state.prox_weight + state.more) * start
    average[-1] += start


def penalized(w: np.ndarray, free: bool) -> np.ndarray:
    """The weights that the penalty and the ball are about: w (..., width) without a free intercept."""
    return w[..., :-1] if free else w


def objective_of(mean: float, w: np.ndarray, mu: float, l1: float, free: bool) -> float:
    """The objective at w, whose last entry is the intercept's."""
    return float(objective(mean, penalized(w, free), mu, l1, len(w) - 1))


def penalties(problem: Problem, width: int) -> np.ndarray:
    """mu of each weight."""
    mu = np.full(width, problem.mu)
    if is_free(problem):
        mu[-1] = 0.0
    return mu


def plane_with_sum(state: Any, total: float) -> Plane:
    """The plane of a solver's dual values, few of them changed so that their sum is `total`."""
    plane, record = Plane(state.dual_value, state.g, state.lost), state.record
    columns = (record[:, B], record[:, Y], record[:, V])
    return balanced(plane, state.rows, *columns, state.loss, state.active, state.n, total)


def bound_on_intercept(state: Any, problem: Problem, fit: Fit) -> InterceptBound | None:
    """Where the optimum's intercept is, from a solver's dual values; None where these do not tell, or nobody will ask.

    Those who ask want labels. `fit` is in the columns of the state, `problem` has all of them.
    """
    square = state.mean_square - state.rows.bias**2
    if not (state.free and state.loss.cap > 0.0 and state.l1 == 0.0 and state.mu > 0.0 and square > 0.0):
        return None
    if math.isnan(state.dual_value):  # an epoch was the last
        return None
    c = fit.w[-1] * (state.rows.bias / problem.rows.bias)
    upper = upper_bound(problem, np.append(fit.w[:-1], c), fit.objective)
    r = math.sqrt(2.0 * max(0.0, upper - fit.lower_bound) / state.mu) * (1.0 + 8.0 * U)
    total = LEAN * state.mu * r / math.sqrt(square) * state.n / 2.0
    planes = {side: plane_with_sum(state, -side * total) for side in SIDES}
    return bound_from_planes(planes, fit.w, state.rows.bias, state.mu, r, upper)
