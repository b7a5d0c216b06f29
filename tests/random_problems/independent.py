"""The objective from its definition, in long double, and a point near its optimum by Clarabel, an interior point method."""

from typing import Any, NamedTuple

import clarabel
import numpy as np
import scipy.sparse as sp

LONG = np.longdouble
LEAST = 1e-300  # smaller objectives are not told apart
INFINITE = 1e20  # a limit of slopes that stands for none


class Model(NamedTuple):
    """alpha (1-l1_ratio)/2 |w|^2 + alpha l1_ratio |w|_1 + sum v loss(X w + c, y) / sum v over the ball, c the intercept.

    The penalty and the ball know c as scaling * c; scaling is 0 where c bears no penalty."""

    X: np.ndarray
    y: np.ndarray  # -1, +1 or centred targets
    v: np.ndarray
    loss: str
    shape: float  # epsilon, or the quantile
    mu: float
    l1: float
    radius: float
    intercept: bool
    scaling: float

    def losses(self, p: np.ndarray) -> np.ndarray:
        """Of predictions, in long double."""
        y, e = self.y.astype(LONG), LONG(self.shape)
        m, r = y * p, np.abs(y - p)
        match self.loss:
            case "hinge":
                return np.maximum(0, 1 - m)
            case "squared_hinge":
                return np.maximum(0, 1 - m) ** 2
            case "log_loss":
                return np.log1p(np.exp(-np.abs(m))) + np.maximum(0, -m)
            case "modified_huber":
                return np.where(m >= -1, np.maximum(0, 1 - m) ** 2, -4 * m)
            case "squared_error":
                return r * r / 2
            case "absolute_error":
                return r / 2
            case "huber":
                return np.where(r <= e, r * r / 2, e * (r - e / 2))
            case "epsilon_insensitive":
                return np.maximum(0, r - e)
            case "squared_epsilon_insensitive":
                return np.maximum(0, r - e) ** 2
        return np.maximum(e * (y - p), LONG(self.shape - 1.0) * (y - p))

    def predictions(self, w: np.ndarray, c: float) -> np.ndarray:
        """In long double."""
        return self.X.astype(LONG) @ w.astype(LONG) + LONG(c)

    def length(self, w: np.ndarray, c: float) -> LONG:
        """What the ball is about."""
        inside = np.append(w.astype(LONG), LONG(self.scaling) * LONG(c))
        unit = np.abs(inside).max()
        return unit * np.sqrt(np.square(inside / unit).sum()) if unit > 0 else unit

    def objective(self, w: np.ndarray, c: float) -> LONG:
        """At a point."""
        share = self.v.astype(LONG) / self.v.astype(LONG).sum()
        penalty = LONG(self.mu) / 2 * self.length(w, c) ** 2 + LONG(self.l1) * np.abs(w.astype(LONG)).sum()
        return penalty + share @ self.losses(self.predictions(w, c))

    def sensitivity(self, w: np.ndarray, c: float, digits: float, center: float) -> LONG:
        """How much the objective changes if every prediction is off by `digits` of what it is summed of, and itself so.

        `center` has been taken off the targets, and belongs to the intercept."""
        share, p = self.v.astype(LONG) / self.v.astype(LONG).sum(), self.predictions(w, c)
        off = digits * (
            np.abs(self.X.astype(LONG)) @ np.abs(w.astype(LONG)) + abs(LONG(c)) + np.abs(self.y) + abs(center)
        )
        f = self.losses(p)
        changed = np.maximum(np.abs(self.losses(p + off) - f), np.abs(self.losses(p - off) - f))
        part = digits * (abs(LONG(c)) + abs(center)) * LONG(self.scaling)
        penalty = LONG(self.mu) * part * (abs(LONG(c)) * LONG(self.scaling) + part)
        return share @ changed + penalty + digits * self.objective(w, c) + LEAST


# phi(p) = max_b b (y - p) - bend b^2 / 2 - eps |b| over a box: bend, eps, box, of each loss but the logistic one
def forms(loss: str, shape: float, y: np.ndarray) -> tuple[float, float, np.ndarray, np.ndarray]:
    """bend, eps and the limits of b for every row."""
    zero, one = np.zeros_like(y), np.ones_like(y)
    signed = {"hinge": (0.0, 1.0), "squared_hinge": (0.5, INFINITE), "modified_huber": (0.5, 4.0)}
    if loss in signed:
        bend, most = signed[loss]
        return bend, 0.0, np.where(y < 0, -most, zero), np.where(y > 0, most, zero)
    if loss == "quantile":
        return 0.0, 0.0, (shape - 1.0) * one, shape * one
    limit = {"huber": shape, "epsilon_insensitive": 1.0, "absolute_error": 0.5}.get(loss, INFINITE)
    bend = {"squared_error": 1.0, "huber": 1.0, "squared_epsilon_insensitive": 0.5}.get(loss, 0.0)
    return bend, shape if "insensitive" in loss else 0.0, -limit * one, limit * one


def optimum(model: Model, x_unit: float, y_unit: float) -> tuple[np.ndarray, float]:
    """w and c near the optimum, in the ball; solved in units in which X and y are about 1."""
    linear = model.loss in ("quantile", "absolute_error", "epsilon_insensitive")
    worth = y_unit if linear else y_unit**2  # of the losses
    ratio = y_unit / x_unit  # of w
    shape = model.shape if model.loss == "quantile" else model.shape / y_unit
    unit = model._replace(
        X=model.X / x_unit, y=model.y / y_unit, shape=shape, mu=float(LONG(model.mu) * LONG(ratio) ** 2 / worth),
        l1=float(LONG(model.l1) * ratio / worth), radius=model.radius / ratio, scaling=model.scaling * x_unit,
    )  # fmt: skip
    z = _solve(unit)
    w, c = z[: model.X.shape[1]] * ratio, float(z[model.X.shape[1]] * y_unit) if model.intercept else 0.0
    length = float(model.length(w, c))
    shrink = min(1.0, model.radius / length) * (1.0 - 1e-15) if length > 0.0 else 1.0
    return (w * shrink, c * shrink if model.scaling else c) if model.radius < np.inf else (w, c)


def _solve(model: Model) -> np.ndarray:
    """Variables: w, c, |w| above w where there is L1, then what each loss needs."""
    n, d = model.X.shape
    rows = Rows()
    w, c = rows.variables(d), rows.variables(1)
    share = model.v / model.v.max()
    share = share / share.sum()
    rows.quadratic[w] = model.mu
    rows.quadratic[c] = model.mu * model.scaling**2
    predictions = [(w, sp.csc_array(model.X)), (c, sp.csc_array(np.ones((n, 1))))]
    if not model.intercept:
        rows.equal([(c, sp.eye_array(1))], np.zeros(1))
    if model.l1 > 0.0:
        above, one = rows.variables(d), sp.eye_array(d)
        rows.linear[above] = model.l1
        rows.at_most([(w, one), (above, -one)], np.zeros(d))
        rows.at_most([(w, -one), (above, -one)], np.zeros(d))
    if model.loss == "log_loss":
        _logistic(rows, predictions, model.y, share)
    else:
        _piecewise(rows, predictions, model, share)
    if model.radius < np.inf:
        inside = [(w, sp.vstack([sp.csc_array((1, d)), -sp.eye_array(d), sp.csc_array((1, d))]))]
        last, offset = np.zeros((d + 2, 1)), np.append(model.radius, np.zeros(d + 1))
        last[-1] = -model.scaling
        rows.cone([*inside, (c, sp.csc_array(last))], offset, clarabel.SecondOrderConeT(d + 2))
    return rows.solve()


def _piecewise(rows: "Rows", predictions: list, model: Model, share: np.ndarray) -> None:
    """y - p = a + e + up - down: a^2 / (2 bend), |e| <= eps, and the limits of b times up and down."""
    bend, eps, low, high = forms(model.loss, model.shape, model.y)
    n, one = len(model.y), sp.eye_array(len(model.y))
    parts = list(predictions)
    if bend > 0.0:
        a = rows.variables(n)
        rows.quadratic[a] = share / bend
        parts.append((a, one))
    if eps > 0.0:
        e = rows.variables(n)
        rows.at_most([(e, one)], np.full(n, eps))
        rows.at_most([(e, -one)], np.full(n, eps))
        parts.append((e, one))
    for sign, limit in ((1.0, high), (-1.0, -low)):
        if (limit < INFINITE).all():
            m = rows.variables(n)
            rows.at_most([(m, -one)], np.zeros(n))
            rows.linear[m] = share * limit
            parts.append((m, sign * one))
        elif (limit < INFINITE).any():  # the squared hinge has a limit of 0 on one side
            free = (limit < INFINITE).astype(float)
            m = rows.variables(n)
            rows.at_most([(m, -one)], np.zeros(n))
            parts.append((m, sp.diags_array(sign * free)))
            rows.equal([(m, sp.diags_array(1.0 - free))], np.zeros(n))
    rows.equal(parts, model.y)


def _logistic(rows: "Rows", predictions: list, y: np.ndarray, share: np.ndarray) -> None:
    """t >= log(1 + exp(-y p)) where exp(-t) + exp(-y p - t) <= 1."""
    n = len(y)
    t, first, second = rows.variables(n), rows.variables(n), rows.variables(n)
    rows.linear[t] = share
    one = sp.eye_array(n)
    rows.at_most([(first, one), (second, one)], np.ones(n))
    nothing, offset, exponential = sp.csc_array((1, n)), np.array([0.0, 1.0, 0.0]), clarabel.ExponentialConeT()
    for i in range(n):
        at = sp.csc_array(([1.0], ([0], [i])), shape=(1, n))
        exponent, power = sp.vstack([at, nothing, nothing]), sp.vstack([nothing, nothing, -at])
        margin = [
            (which, sp.vstack([y[i] * A.tocsr()[[i]], sp.csc_array((2, A.shape[1]))])) for which, A in predictions
        ]
        rows.cone([(t, exponent), (first, power)], offset, exponential)
        rows.cone([(t, exponent), (second, power), *margin], offset, exponential)


class Rows:
    """A cone programme, piece by piece: A x + s = b, s in cones."""

    def __init__(self) -> None:
        self.size, self.blocks, self.b, self.cones = 0, [], [], []
        self.quadratic: dict[Any, Any] = {}
        self.linear: dict[Any, Any] = {}

    def variables(self, count: int) -> "Variables":
        """So many more."""
        self.size += count
        return Variables(self.size - count, self.size)

    def cone(self, parts: list, b: np.ndarray, cone: Any) -> None:
        """b - sum A x in the cone."""
        self.blocks.append(parts)
        self.b.append(b)
        self.cones.append(cone)

    def at_most(self, parts: list, b: np.ndarray) -> None:
        """sum A x <= b."""
        self.cone(parts, b, clarabel.NonnegativeConeT(len(b)))

    def equal(self, parts: list, b: np.ndarray) -> None:
        """sum A x = b."""
        self.cone(parts, b, clarabel.ZeroConeT(len(b)))

    def solve(self) -> np.ndarray:
        """x."""
        q, P = np.zeros(self.size), np.zeros(self.size)
        for which, value in self.linear.items():
            q[which.low : which.high] = value
        for which, value in self.quadratic.items():
            P[which.low : which.high] = value
        entries: tuple[list, list, list] = ([], [], [])
        at = 0
        for parts, b in zip(self.blocks, self.b, strict=True):
            for which, A in parts:
                A = A.tocoo()
                for place, found in zip(entries, (A.data, A.row + at, A.col + which.low), strict=True):
                    place.append(found)
            at += len(b)
        data, row, col = (np.concatenate(parts) for parts in entries)
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
        A = sp.csc_matrix((data, (row, col)), shape=(at, self.size))
        solver = clarabel.DefaultSolver(sp.diags(P, format="csc"), q, A, np.concatenate(self.b), self.cones, settings)
        x = np.array(solver.solve().x)
        return np.where(np.isfinite(x), x, 0.0)


class Variables(NamedTuple):
    """A range of them."""

    low: int
    high: int
