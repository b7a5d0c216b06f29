"""The state of the anchored solver: dual values, h, the prox center, the active rows; one evaluation.

`recenter` is the proximal-point move, `evaluate` the lower bound from the dual values; an epoch is in `solver`.

The dual values are feasible whatever the anchor, so that at any time

    f* >= theta D + min_{|w| <= R}  mu/2 |w|^2 + l1 |w|_1 - theta <g, w> ,     g = mean b_i x_i,  D = -mean phi*(-b_i)

for every theta in [0, 1]. What rounding may have done to D and g is taken into account, in the worst case
(`bounds.rounding`); g is summed afresh where that would matter for `tol`. An intercept without a penalty has its own prox
weight K + n mu, and the bound is that of `bounds.free_intercept`.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from cesaro.linear.bounds.dual_bound import dual_bound
from cesaro.linear.bounds.rounding import TERM, U, norm, sum_error
from cesaro.linear.problem.block_order import pieces
from cesaro.linear.problem.csr import without_redundant_arrays
from cesaro.linear.problem.problem import Problem
from cesaro.linear.problem.row_order import by_length, neighbours_to_keep, shuffled_in_place
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers.anchored import column_kernels, kernels, records
from cesaro.linear.solvers.anchored.active_rows import MOST_SLACK, ActiveRows, Columns, WorkingSet
from cesaro.linear.solvers.anchored.best_intercept import with_free_intercept
from cesaro.linear.solvers.anchored.intercept import is_free, objective_of, penalized, with_own_bias
from cesaro.linear.solvers.anchored.prox_weight import ProxWeightRule, are_wide
from cesaro.linear.solvers.anchored.records import B, V
from cesaro.storage.states import require_like

SAMPLE = 2000  # rows from which the mean of |x|^2 is taken: the first epoch measures the others as it meets them
NUMBERS = ("prox_weight", "noise", "length", "dual_floor", "seed", "gap", "slack")


class Epoch(NamedTuple):
    """What an epoch has done."""

    average: np.ndarray  # of w
    changes: int  # of dual values
    gap: float  # the sum of the rows' Fenchel-Young gaps, as they were met
    mean_scale: float  # what takes h to w: the average's,
    scale: float  # and at the end


class SolverState:
    """Everything that changes during a solve of one problem."""

    def __init__(self, problem: Problem, seed: Any, own_bias: bool = False):
        """With `own_bias` the constant feature of a free intercept gets a value that suits the solver."""
        rows, y, v = problem.rows, problem.y, problem.v
        self.mu, self.l1, self.radius, self.layout = problem.mu, problem.l1, problem.radius, problem.layout
        self.free = is_free(problem)
        self.empty = np.empty if self.layout is None else self.layout.empty
        self.rows, self.loss = without_redundant_arrays(rows), dual_form(problem.loss)
        self.seed = int(np.random.default_rng(seed).integers(1, 2**32))
        self.record, self.found_active = self.empty((rows.n, 4)), self.empty(rows.n, np.uint32)
        order, share = self.empty(rows.n, np.uint32), np.count_nonzero(v) / v.sum()
        self.n, self.at_zero = records.prepare(y, v, share, self.loss, self.record, order)
        unit = 1.0 if self.loss.cap > 0.0 else sum(np.abs(y[piece]).sum() for piece in pieces(rows.n)) / rows.n
        self.unit, self.slack = unit, MOST_SLACK * unit
        self.block, self.wide = neighbours_to_keep(y), are_wide(self.n, rows.d)
        self.rule, self.prox_weight, self.gap = ProxWeightRule(self.wide), 0.0, math.inf
        self.noise, self.length = 0.0, 0.0  # bounds on the rounding error of n g, and on the sizes that h is made of;
        self.dual_floor = 0.0  # and on n D, from below, when an epoch begins
        self.dual_value = math.nan  # D, less what rounding may have added, until an epoch changes it
        active = order[: self.n]  # the rows that the next epoch visits
        sorted_rows = by_length(active, rows.ptr, self.layout)
        self.evaluation_order = None if sorted_rows is None else sorted_rows[0]
        self.shuffle(active)
        some = active[: SAMPLE // 4 if self.wide else SAMPLE]
        self.rows = with_own_bias(self, some) if own_bias and self.free else self.rows
        self.mean_square = records.mean_square(self.rows, self.record, some)
        self.whole = WorkingSet(self.rows, self.record, active, Columns.zeros(rows.d + 1))
        self.working: WorkingSet = self.whole

    @property
    def active(self) -> np.ndarray:
        """The active rows, where none are set apart."""
        return self.whole.active

    @property
    def center(self) -> np.ndarray:
        """The prox center."""
        return self.whole.columns.center

    @property
    def g(self) -> np.ndarray:
        """mean b_i x_i."""
        found, h = np.empty_like(self.center), self.whole.columns.h
        column_kernels.mean_of_dual_values(h, self.center, self.prox_weight, self.more, self.n, found)
        return found

    @property
    def more(self) -> float:
        """By how much the prox weight of an intercept without a penalty is larger than the others'."""
        return self.n * self.mu if self.free else 0.0

    def shuffle(self, order: np.ndarray) -> None:
        """Shuffle an array in place."""
        self.seed = shuffled_in_place(order, self.seed, self.block)

    def reorder(self, first: bool) -> None:
        """A new order of the active rows. The first is new already, but rows in a file have to come by groups."""
        here = self.working
        if self.layout is not None and not (first and self.layout.single(self.rows.n)):
            here.active = self.layout.shuffle(here.active, self.rows.n, self.shuffle)
        elif not first:
            self.shuffle(here.active)

    def set_apart(self) -> None:
        """Where few rows are still active, put them side by side, in a random order. Rows in a file stay there."""
        if self.layout is None and self.l1 == 0.0 and self.working.shrunk:
            self.write_back()
            self.working = ActiveRows(self.whole, self.prox_weight, self.whole.active)

    def write_back(self) -> None:
        """Bring the whole up to date with what epochs over some of its rows have done, and go on with it."""
        if isinstance(self.working, ActiveRows):
            self.working.write_back(self.prox_weight)
            self.working = self.whole

    def parts(self, first: bool) -> int:
        """Of how many points an epoch's average consists: of as many as cost little beside the epoch."""
        return (4 if first else 2) * max(1, min(8, self.working.entries // (8 * len(self.working.columns.h))))

    def recenter_at_average(self, done: Epoch, prox_weight: float, share: float) -> tuple[float, float]:
        """Move the prox center to an epoch's average, which counts `share` in the average of all epochs.

        Returns how far the epoch's end was from its average, and that from the prox center.
        """
        K, here, n = self.prox_weight, self.working, self.n
        scale = min(done.scale, 1.0 / max(K + n * self.mu, 1e-300))
        sparse = None if self.l1 == 0.0 else (n * self.l1, 0.0)
        (h, center, total, average), held = here.columns, abs(here.columns.center[-1])
        sums = column_kernels.recenter(
            h, average, center, total, share, scale, sparse, K, prox_weight, n, self.mu, self.l1, self.free
        )
        if isinstance(here, ActiveRows):
            sums = here.resting.recenter(sums, share, done.mean_scale, scale, K, n, self.mu)
        oscillation, move, hh, cc, gap = sums
        self.gap = done.gap / n + (gap if self.radius == math.inf else 0.0)
        self.count_rounding(done.changes)
        self.dual_floor -= self.length / (2.0 * (K + n * self.mu)) * self.length
        far, held = math.sqrt(cc) + math.sqrt(move), held + abs(center[-1])
        self.length = float(math.sqrt(hh) + (K + prox_weight) * far + self.more * held)
        self.count_rounding(1)
        self.prox_weight = prox_weight
        return math.sqrt(oscillation), math.sqrt(move)

    def count_rounding(self, changes: int) -> None:
        """Add what so many changes of a dual value may have rounded in h. docs/proofs.md, section 11, has why."""
        S, most = self.prox_weight + self.n * self.mu, self.n * self.at_zero * (1.0 + (self.n + TERM) * U)
        rise = max(0.0, most - self.dual_floor)  # f(0) was summed row after row
        longest = self.length + math.sqrt(2.0 * S) * math.sqrt(rise) + self.n * self.l1 * math.sqrt(len(self.center))
        if self.radius < math.inf:
            longest += (rise + self.free * (self.length / (2.0 * S) * self.length)) / self.radius
        self.noise += (3 * changes + 16) * U * longest

    def recenter(self, w: np.ndarray, prox_weight: float, g: np.ndarray | None = None) -> None:
        """Move the prox center to w, and give the anchor this weight; g is that of the dual values, if not given."""
        columns, g = self.whole.columns, self.g if g is None else g
        columns.center[:], self.prox_weight = w, prox_weight
        columns.h[:] = prox_weight * w + self.n * g
        columns.h[-1] += self.more * w[-1]
        self.length = norm(columns.h) + (prox_weight + self.more) * norm(w)

    def point(self) -> np.ndarray:
        """w of h."""
        S, T = self.prox_weight + self.n * self.mu, self.n * self.l1
        return self.into_ball(point_of(self.whole.columns.h, S, T, math.inf))

    def into_ball(self, w: np.ndarray) -> np.ndarray:
        """w, or the nearest point in the ball."""
        length = norm(penalized(w, self.free)) if self.radius < math.inf else 0.0
        if length <= self.radius:
            return w
        inside = w * (self.radius / length)
        inside[-1] = w[-1] if self.free else inside[-1]
        return inside

    def evaluate(self, w: np.ndarray, tol: float = 0.0, last: bool = True) -> tuple[float, float]:
        """Objective at w, whose free intercept may become the best, and a lower bound. Rows not at rest are active again."""
        p = self.empty(self.rows.n) if self.free else None
        mean, D, size, slopes, active = kernels.evaluate(
            self.rows, self.record, self.evaluation_order, w, p, self.loss, self.slack, self.found_active
        )
        f = objective_of(mean, w, self.mu, self.l1, self.free)
        if self.lost * norm(w) > 0.01 * max(tol * f, min(self.gap, f), 1e-12 * f):
            self.sum_afresh()
        self.dual_value = D - sum_error(self.n, size)
        self.dual_floor = self.n * self.dual_value
        self.activate(active)
        if p is not None:
            return with_free_intercept(self, w, p, mean, slopes, tol, last)
        return float(f), dual_bound(self.dual_value, self.g, self.mu, self.l1, self.radius, self.lost)

    def activate(self, active: int) -> None:
        """The first rows of `found_active`, or all if there are none, are the next epoch's."""
        if active:
            self.whole.active = self.empty(active, np.uint32)
            self.whole.active[:] = self.found_active[:active]
        else:
            self.whole.active = np.flatnonzero(self.record[:, V]).astype(np.uint32)

    @property
    def lost(self) -> float:
        """A bound on |g - the true g|."""
        return (self.noise + 8.0 * U * self.length) / self.n

    def state(self) -> dict[str, Any]:
        """What it takes between two epochs to go on as if the run had never stopped."""
        columns = {name: getattr(self.whole.columns, name) for name in ("h", "center", "total")}
        arrays = {"b": self.record[:, B], "active": self.whole.active, "columns": columns}
        kept = arrays | {name: getattr(self, name) for name in NUMBERS} | {"rule": self.rule.state()}
        return kept | ({"apart": self.working.state()} if isinstance(self.working, ActiveRows) else {})

    def resume(self, state: dict[str, Any]) -> None:
        """Go on from there. Squared norms are measured again when they are met."""
        apart = state.pop("apart", None)
        require_like(state, self.state(), rows={"active": self.rows.n})
        self.record[:, B], self.whole.active = state["b"], state["active"]
        for name in NUMBERS:
            setattr(self, name, state[name])
        self.rule.resume(state["rule"])
        for name, value in state["columns"].items():
            getattr(self.whole.columns, name)[:] = value
        self.working = self.whole if apart is None else ActiveRows.resumed(self.whole, self.prox_weight, apart)

    def load_dual_values(self, b: np.ndarray) -> None:
        """Take over an earlier run's dual values, if it had as many rows."""
        if len(b) == len(self.record):
            self.dual_floor = -records.load_dual_values(b, self.loss, self.record)
            self.sum_afresh()

    def sum_afresh(self) -> None:
        """g afresh from the dual values."""
        g, lost = np.zeros_like(self.center), np.zeros_like(self.center)
        self.noise = 8.0 * U * kernels.sum_dual_values(self.rows, self.record, g, lost)
        self.recenter(self.center, self.prox_weight, (g + lost) / self.n)


def point_of(h: np.ndarray, S: float, T: float, radius: float) -> np.ndarray:
    """w = soft(h, T) / S, in the ball; the last entry, the intercept's, bears no L1."""
    if T > 0.0:
        h = np.append(np.sign(h[:-1]) * np.maximum(np.abs(h[:-1]) - T, 0.0), h[-1])
    length = norm(h) / S
    return h / S * min(1.0, radius / length if length > 0.0 else 1.0)
