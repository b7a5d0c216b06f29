"""Linear models by the paper's methods as they are: epochs of the recursion, a cutting plane and a proof after them.

    gda         slopes at the dual average w, output its average
    sc-rda      gda with uniform weights and output; both bear an L1 term
    pegasos     gda with uniform weights, the projection kept, output the last point
    sc-pda      slopes at the average, which is the output
    pa-psg-sc   sc-pda, the projection kept

Every row is visited once an epoch with a weight that is constant within it: so epochs are a cutting plane of the
objective. Sums are rescaled where the weight of an epoch has grown large: no sequence of weights overflows. An epoch costs
what its rows cost: O(d) work waits for an evaluation where it would count.
"""

import math
from typing import Any

import numpy as np

from cesaro.linear.bounds.rounding import norm
from cesaro.linear.problem.csr import without_redundant_arrays
from cesaro.linear.problem.mean_loss import mean_loss, recalled_cut
from cesaro.linear.problem.neighbour_order import orders_of
from cesaro.linear.problem.problem import Fit, History, Problem, objective, value_at_zero
from cesaro.linear.problem.row_order import draw_with_replacement
from cesaro.linear.problem.scalar_losses import dual_form
from cesaro.linear.solvers import driver
from cesaro.linear.solvers.averaging.epoch_cuts import EpochCuts
from cesaro.linear.solvers.averaging.evaluation_schedule import growing_evaluations
from cesaro.linear.solvers.averaging.initial_anchor import first_step
from cesaro.linear.solvers.averaging.kernel_choice import choose_kernel
from cesaro.linear.solvers.averaging.kernels import (
    ALPHA,
    ANCHOR,
    CUT,
    DONE,
    GAMMA,
    OUT,
    SCALE,
    SQUARE,
    KernelConfig,
    RunScalars,
    flush,
    fold,
    step,
)
from cesaro.linear.solvers.averaging.variants import VARIANTS, Variant, unit_ratio, variant_and_weights
from cesaro.linear.solvers.averaging.warm_start import AveragingWarmStart, run_kind
from cesaro.linear.solvers.driver import Evaluation, Report
from cesaro.linear.solvers.initial_step import anchor_for_step
from cesaro.linear.solvers.settings import Settings
from cesaro.storage.checkpoint import CheckpointSlot
from cesaro.storage.states import require_orders

DENSE = 64  # entries for each column from which on a cutting plane costs little beside its epoch
LARGE = 2.0**20  # a weight of an epoch, in units of the first since sums were rescaled


class AveragingSolver(driver.Solver):
    """A run of one model: its vectors, its order of rows, its cutting planes."""

    def __init__(self, problem: Problem, variant: Variant, weights: Any, draws: bool, rng: Any, batch_size: int = 1):
        rows, v = problem.rows, np.asarray(problem.v, dtype=float)
        self.problem, self.rows = problem, without_redundant_arrays(rows)
        self.variant, self.weights, self.draws, self.rng = variant, weights, draws, rng
        single = batch_size == 1 and problem.l1 == 0
        self.orders = orders_of(rows, np.flatnonzero(v).astype(np.uint32), problem.y, problem.layout, marks=single)
        self.count = len(self.orders.order)
        self.share = v / (v.sum() / self.count)  # mean 1
        self.v = np.ones(1) if draws or (v == v[0]).all() else self.share
        loss, kind = dual_form(problem.loss), (variant.primal, variant.keep, variant.cubic)
        self.config = KernelConfig(loss, problem.mu, problem.l1, problem.radius, *kind, float(self.count))
        apart = single and not variant.primal  # z is read by itself
        self.zr = np.zeros((2, rows.d + 1)).T if apart else np.zeros((rows.d + 1, 2))
        self.scalars, self.epoch, self.first = np.array(RunScalars()), 0, 0
        self.step, self.mean_square = 0.0, 0.0
        self.targets = np.stack([problem.y, np.zeros(rows.n)], axis=1)  # and the lazy update of the average
        self.cuts, self.plane_each = EpochCuts(problem), DENSE * rows.d <= len(rows.col)
        recall = draws or (variant.keep and problem.radius < math.inf)  # then z is not the sum of the rows' slopes
        self.slope_sums = np.zeros((rows.n if recall else 0, 2))
        self.slopes = np.zeros(min(batch_size, self.count))  # of a batch
        self.single = single
        self.sums = np.zeros((self.count + 1 if problem.l1 > 0 else 0, 3))  # prefix sums, and when a column was flushed
        self.flushed = np.zeros(rows.d + 1 if problem.l1 > 0 else 0, dtype=np.uint64)
        self.width = rows.width
        self.known: np.ndarray | None = None
        self.run_epoch = choose_kernel(self)
        self.least_unit, self.entries = problem.least_unit, len(rows.col)
        self.at_zero: np.ndarray = np.array([value_at_zero(problem)])

    def begin(self, w: np.ndarray | None, anchor: float | str) -> None:
        """Begin at w_0 = w (0 without an anchor) with the anchor gamma_0."""
        if anchor == "auto":
            self.step, self.mean_square = first_step(self)
            anchor = anchor_for_step(self.step, self.mean_square, self.problem.mu)
        self.zr[:], self.scalars[:], self.epoch = 0.0, RunScalars(anchor=float(anchor)), 0
        self.slope_sums[:], self.targets[:, 1] = 0.0, 0.0
        if w is not None:
            w = self.into_ball(w)
            self.zr[: len(w), 0] = -self.problem.mu * float(anchor) * w
            self.scalars[SQUARE] = self.zr[:, 0] @ self.zr[:, 0]
            self.known = w
        self.cuts.begin(self.zr[:, 0], 0.0, self.scalars[SQUARE], 0)

    def go_on(self, zr: np.ndarray, scalars: np.ndarray, epoch: int, w: np.ndarray) -> None:
        """Begin where an earlier run ended."""
        self.zr[:], self.scalars[:], self.epoch, self.first, self.known = zr, scalars, epoch, epoch, self.into_ball(w)
        self.scalars[CUT] = 0.0
        self.cuts.begin(zr[:, 0], scalars[DONE], zr[:, 0] @ zr[:, 0], epoch)

    def restart(self) -> bool:
        """With a tenth of the step, if it was ours to choose. Cutting planes stay: they are true whatever follows."""
        if self.step < 1e-9:
            return False
        self.step /= 10.0
        self.begin(self.known, anchor_for_step(self.step, self.mean_square, self.problem.mu))
        return True

    def advance(self, running: list[int] | None = None) -> None:
        """One epoch."""
        self.epoch += 1
        scalars = self.scalars
        scalars[GAMMA] /= unit_ratio(self.weights, self.epoch)
        if not 1.0 / LARGE <= scalars[GAMMA] <= LARGE:
            self.rescale(1.0 / scalars[GAMMA])
        done = scalars[DONE]
        self.run_epoch(self, draw_with_replacement(self.share, self.rng) if self.draws else self.orders.draw(self.rng))
        if self.problem.radius < math.inf:
            self.fold()  # |z|^2 anew
        scalars[DONE] = done + scalars[GAMMA] * self.count  # one rounding, where a running sum has many
        self.cuts.grow(scalars[GAMMA] * self.count)
        if self.plane_each:
            self.add_plane()

    def add_plane(self) -> None:
        """The cutting plane of the epochs since the last, where z is the sum of the rows' slopes."""
        if not len(self.slope_sums):
            self.cuts.add(self.zr[:, 0], self.scalars[DONE], self.scalars[CUT], self.epoch, self.count)
            self.scalars[CUT] = 0.0

    def rescale(self, ratio: float) -> None:
        """All sums in a unit in which they are so many times as large."""
        self.zr *= ratio
        self.targets[:, 1] *= ratio
        self.slope_sums *= ratio
        self.scalars[[OUT, DONE, ANCHOR, CUT, GAMMA]] *= ratio
        self.scalars[SQUARE] *= ratio**2
        self.cuts.rescale(ratio)

    def fold(self) -> None:
        """The average is in r alone."""
        scalars = self.scalars
        scalars[SQUARE] = fold(self.zr, scalars[ALPHA], scalars[SCALE])
        scalars[ALPHA], scalars[SCALE] = 0.0, 1.0

    def state(self) -> dict[str, Any]:
        names = ("zr", "scalars", "slope_sums", "epoch", "step", "mean_square")
        orders = {"grouped": self.orders.grouped, "still": self.orders.still, "rng": self.rng.bit_generator.state}
        mine = {name: getattr(self, name) for name in names} | {"cuts": self.cuts.state()}
        return mine | orders | {"lazy": self.targets[:, 1].copy()}

    def resume(self, state: dict[str, Any]) -> None:
        require_orders(state, self.state(), repeats=self.draws)
        self.zr[:], self.targets[:, 1] = state["zr"], state["lazy"]
        self.orders.grouped[:], self.orders.still = state["grouped"], state["still"]
        self.rng.bit_generator.state = state["rng"]
        self.cuts.resume(state["cuts"])
        self.scalars, self.slope_sums[:], self.epoch = state["scalars"], state["slope_sums"], state["epoch"]
        self.step, self.mean_square = state["step"], state["mean_square"]

    def output(self) -> np.ndarray:
        """The point that the method returns."""
        flush(self.rows, self.targets, self.zr)
        self.fold()
        z, r = self.zr[: self.width].T
        out, A, anchor, square = self.scalars[OUT : SQUARE + 1]
        if self.variant.last:
            w = step(self.config, self.config.radius, self.config.mu, anchor + A, 1.0, square)[0] * z
        else:
            w = r / out if out > 0 else np.zeros(len(z))
        return self.into_ball(w)  # a mean of points inside, rounded

    def into_ball(self, w: np.ndarray) -> np.ndarray:
        """w, or the nearest point in the ball."""
        length = norm(w) if self.problem.radius < math.inf else 0.0
        return w * (self.problem.radius / length) if length > self.problem.radius else w

    def objectives(self, points: np.ndarray) -> np.ndarray:
        """Of points (1, width)."""
        p, full = self.problem, np.zeros(self.problem.rows.d + 1)
        full[: self.width] = points[0]
        loss = mean_loss(self.rows, p.y, p.v, self.orders.sorted, self.config.loss, full)
        return np.atleast_1d(objective(loss, points[0], p.mu, p.l1, p.rows.d))

    def bound(self) -> float:
        """A proved lower bound of the optimum."""
        if len(self.slope_sums):
            p, s = self.problem, np.zeros(self.problem.rows.d + 1)
            c = recalled_cut(p.rows, p.y, self.share, self.config.loss, self.slope_sums, s) / self.count
            sizes, n = self.cuts.sizes, self.count
            self.cuts.planes.add(s[: self.width] / n, sizes.below(c, n), 1.0, sizes.lost(c, n, 0.0))
        self.add_plane()
        return self.cuts.planes.bound()

    def evaluation_due(self, history: History, tol: float) -> bool:
        return growing_evaluations(self.epoch, self.first, history, tol)

    def evaluate(self, running: list[int], tol: float, last: bool) -> Evaluation:
        return self._evaluation(self.output()[None], self.bound())

    def known_points(self) -> Evaluation | None:
        return None if self.known is None else self._evaluation(self.known[None])

    def after_interrupt(self, running: list[int]) -> Evaluation:
        return self._evaluation(self.output()[None])

    def _evaluation(self, points: np.ndarray, bound: float = -math.inf) -> Evaluation:
        return Evaluation(points, self.objectives(points), np.array([bound]), np.array([self.count]))


def solve(
    problem: Problem, settings: Settings, start: AveragingWarmStart | None, report: Report | None, slot: CheckpointSlot
) -> Fit:
    """Run epochs until the proved relative gap is at most tol; the answer is the point of lowest objective.

    `anchor` is gamma_0 in units of the first weight, 0.0 the paper's; `averaging` the weights of dual and output.
    """
    name = settings.solver
    if problem.l1 > 0 and (problem.radius < math.inf or VARIANTS[name] not in (VARIANTS["gda"], VARIANTS["sc-rda"])):
        raise ValueError(
            f"an L1 term needs solver='gda', 'sc-rda' or 'anchored' and no radius: got solver={name!r}, "
            f"radius={problem.radius}. With both, a step is no longer sparse."
        )
    variant, weights = variant_and_weights(name, settings.averaging)
    rng, draws = np.random.default_rng(settings.seed), settings.sampling == "replacement"
    kind = run_kind(problem, name)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # without an anchor a run may explode
        solver = AveragingSolver(problem, variant, weights, draws, rng, settings.batch_size)
        if slot.saved is None and start is not None and start.kind == kind:
            solver.go_on(start.zr, start.scalars, start.epoch, start.w)
        elif slot.saved is None:
            solver.begin(None if start is None else start.w, settings.anchor)
        (fit,) = driver.run_to_end(solver, settings, report, slot)
        flush(solver.rows, solver.targets, solver.zr)
        solver.fold()
    if fit.status == "interrupted":  # perhaps in the middle of an epoch's bookkeeping: the next fit begins at w
        kind = ()
    return fit._replace(state=AveragingWarmStart(solver.zr, solver.scalars, solver.epoch, fit.w, kind))
