"""minimize(): the one loop. Ask at x_t, take in the answer, measure now and then, step."""

import itertools
import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cesaro.arguments import count, make_anchor, make_method, make_output, make_start, not_negative
from cesaro.certificate import THEOREMS, Bundle
from cesaro.domains import Domain, make_domain
from cesaro.methods import Method, Schedule
from cesaro.oracle import Answer, Oracle, fault, make_callback, make_oracle
from cesaro.outputs import Output
from cesaro.trace import Trace
from cesaro.weights import Weights, make_weights

CONVERGED, MAX_ITER, TIME_LIMIT, CALLBACK, BAD_ORACLE, CONTRADICTION = range(6)


def minimize(
    fun: Any,
    x0: Any,
    *,
    args: tuple[Any, ...] = (),
    jac: Any = True,
    method: str | Method = "sc-pda",
    mu: float | None = None,
    domain: Any = None,
    bounds: Any = None,
    weights: Weights | Callable[[int], float] | None = None,
    gamma: Weights | Callable[[int], float] | None = None,
    anchor: float | str = "auto",
    output: Output | None = None,
    max_iter: int = 1000,
    tol: float = 0.0,
    time_limit: float | None = None,
    callback: Callable[..., Any] | None = None,
    rng: Any = None,
) -> OptimizeResult:
    """Minimise a convex function over a convex set, with a proof of how far from the minimum the answer can be.

        min f(w)  over  w in Q,      f(w) >= f(u) + <g, w - u> + mu/2 |w - u|^2  for every subgradient g at u

    Parameters
    ----------
    fun : callable or object
        fun(x, *args) returns (value, subgradient). With a callable `jac` it returns the value alone. An object with value(x)
        and subgradient(x) is accepted too; if it has sample(x, rng), an unbiased estimate of a subgradient, that is used
        instead and nothing can be proved.
    x0 : array of shape (d,)
        Where to start; projected on the domain if it lies outside.
    args : tuple
        Further arguments of fun and jac.
    jac : True or callable
        True (SciPy's default is None): fun returns both. Otherwise jac(x, *args) is the subgradient.
    method : str or Method
        A name in `cesaro.methods.ALL` or an object from `cesaro.methods`.
    mu : float
        Strong convexity of f. Required by "gda", "sc-pda" and the other methods for strongly convex problems. With mu = 0
        there is a lower bound only on bounded domains.
    domain : object with project(x)
        From `cesaro.domains`, or your own.
    bounds : scipy.optimize.Bounds or sequence of (low, high)
        As in SciPy; short for domain=Box(low, high).
    weights, gamma : Weights or function t -> float
        a_t and gamma_t; by default what the method's theorem assumes, and gamma the same as weights.
    anchor : float or "auto"
        gamma_0 in units of the first weight: how strongly the start is remembered. 0.0 is the paper. Methods whose weights
        are step sizes use 1 / (1/a_t + anchor/a_1). "auto" begins with 1 and starts again with ten times as much whenever
        f(x_t) shoots far above f(x_1); what was proved before stays proved.
    output : Output
        From `cesaro.outputs`; by default what the method's theorem is about.
    max_iter : int
        Number of steps. The oracle is asked once more than that, at the last point.
    tol : float
        Stop when the proved gap is at most tol * max(1, |fun|).
    time_limit : float
        Seconds, after which the run stops.
    callback : callable
        callback(x), or callback(intermediate_result=OptimizeResult), after every step; StopIteration ends the run.
    rng : None, int or numpy Generator
        For oracles that sample.

    Returns
    -------
    scipy.optimize.OptimizeResult
        x, fun, nit, nfev, success, status, message; `lower_bound` (no point of the domain has a lower value) and `gap` =
        fun - lower_bound, inf where nothing can be proved; `bound`, the theorem's own a-priori bound where one holds, else inf;
        `anchor`, the one that was used; `trace`, with arrays iteration, time, value, lower_bound, gap. The proof takes the
        oracle's answers as exact up to a few units in their last place (float64 or float32).

    Raises
    ------
    ValueError, TypeError
        If an argument cannot be used. What happens during the run is not an error but a `status`.

    References
    ----------
    Tao, Li, Pan, Tao: Gradient descent averaging and primal-dual averaging for strongly convex optimization, AAAI 2021.

    Examples
    --------
    >>> import numpy as np, cesaro
    >>> def f(w):                                 # w^2/2 + |w - 2|, minimum 3/2 at w = 1
    ...     return w[0]**2 / 2 + abs(w[0] - 2), w + np.sign(w - 2)
    >>> res = cesaro.minimize(f, [10.0], mu=1.0, tol=1e-3)
    >>> res.success, bool(res.lower_bound <= 1.5 <= res.fun), bool(res.gap <= 1e-3 * res.fun)
    (True, True, True)
    """
    tol, max_iter = not_negative("tol", tol), count("max_iter", max_iter)
    deadline = math.inf if time_limit is None else time.monotonic() + not_negative("time_limit", time_limit)
    oracle, region = make_oracle(fun, jac, args, np.random.default_rng(rng)), make_domain(domain, bounds)
    rule, call = make_method(method, mu), make_callback(callback)
    a = make_weights(rule.weights if weights is None else weights)
    b = rule.gamma(a) if gamma is None else make_weights(gamma)
    x1, remark = make_start(x0, region)
    schedule, output = Schedule(a, b, make_anchor(anchor), max_iter), make_output(output, rule, a, oracle.exact)
    run = Run(oracle, rule, region, schedule, output, x1)

    for nit in itertools.count():
        answer = oracle(run.state.x)
        if anchor == "auto" and run.exploded(answer):
            answer = run.restart(max_iter - nit)
        wrong = fault(answer, x1.size, oracle.exact)
        if wrong:
            astray = run.state.x.shape != x1.shape or not np.all(np.isfinite(run.state.x))
            cause = "a step or projection led to no finite point" if astray else f"the oracle returned {wrong}"
            run.refuse(nit, answer)
            status, message = BAD_ORACLE, f"{cause} at iteration {nit}; the last good point is kept"
            break
        run.take_in(answer)
        late, done = time.monotonic() >= deadline, nit >= max_iter
        if run.t >= run.due or late or done or (call and call.wants_value):
            run.measure(nit)
            if run.contradicted():
                status, message = (
                    CONTRADICTION,
                    f"the lower bound {run.lower} lies above the value {run.value}: {WRONG_MU}",
                )
                break
            if tol > 0 and run.value - run.lower <= tol * max(1.0, abs(run.value)):
                status, message = CONVERGED, f"the gap is proved to be at most {tol:g} * max(1, |fun|)"
                break
        if call and nit > 0 and call(run.output.point(run.memory), nit, run.value, run.lower):
            if not call.wants_value:
                run.measure(nit)
            status, message = CALLBACK, "the callback stopped the run"
            break
        if done:
            status, message = MAX_ITER, f"all {max_iter} iterations were made"
            break
        if late:
            status, message = TIME_LIMIT, f"the time limit of {time_limit:g} s was reached"
            break
        run.step(answer)
    if not math.isfinite(run.latest) and status in (MAX_ITER, TIME_LIMIT, CALLBACK):
        status, message = BAD_ORACLE, f"the value of the answer is {run.latest}; the last good point is kept"
    success = status == CONVERGED or (status == MAX_ITER and tol == 0)
    return run.result(nit, status, success, remark + message)


WRONG_MU = "mu is too large for fun, or its subgradients are wrong"


class Run:
    """The attempts at one problem. Each begins at x_1, a later one with a larger anchor; the bounds of all of them hold."""

    def __init__(
        self, oracle: Oracle, rule: Method, domain: Domain, schedule: Schedule, output: Output, x1: np.ndarray
    ) -> None:
        self.oracle, self.rule, self.domain = oracle, rule, domain
        self.schedule, self.output, self.x1 = schedule, output, x1
        self.trace = Trace()
        self.bundle = Bundle(rule.mu, domain, x1.size) if oracle.exact else None
        self.first: Answer | None = None  # at x_1
        self.initial = math.nan  # f(x_1)
        self.point, self.value, self.lower = x1, math.inf, -math.inf
        self.latest = math.nan  # the value as last measured, finite or not
        self.begin()

    def begin(self) -> None:
        self.state, self.memory = self.rule.start(self.x1, self.schedule.anchor), None
        self.t, self.due = 1, 1
        covered = self.oracle.exact and self.output == self.rule.output(self.schedule.weights)
        theorem = THEOREMS.get(type(self.rule)) if covered else None
        self.theorem = theorem(self.rule.mu, self.domain.reach(self.x1)) if theorem else None

    def exploded(self, answer: Answer) -> bool:
        """Has this attempt shot far above where it began? A sampling oracle is judged by the last measured value."""
        if self.t == 1 or self.schedule.anchor > 1e30:
            return False
        unit = max(1.0, abs(self.initial))
        if not self.oracle.exact:
            lost = not (math.isfinite(self.latest) and np.all(np.isfinite(answer.g)))
            return lost or self.latest > self.initial + 10 * unit
        latest, before = answer.value, self.answer.value
        overflow = not math.isfinite(latest) and (self.t == 2 or before > self.initial + unit)
        return overflow or latest > self.initial + 10 * unit

    def restart(self, steps_left: int) -> Answer:
        """Begin again with ten times the anchor; the answer at x_1 is known."""
        assert self.first is not None
        self.schedule = replace(self.schedule, anchor=10 * max(0.1, self.schedule.anchor), horizon=steps_left)
        self.begin()
        if self.bundle:
            self.bundle.begin()
        return self.first

    @np.errstate(over="ignore", invalid="ignore")
    def take_in(self, answer: Answer) -> None:
        """x_t, f(x_t) and g_t enter the output, the lower model and the theorem's sum."""
        if self.first is None:
            self.first, self.initial = answer, answer.value
        self.now, self.answer = self.schedule.at(self.t), answer
        self.memory = self.output.update(self.memory, self.state, self.t, answer.value)
        x, g = self.state.x, answer.g
        if self.bundle:
            gg = float(g @ g)
            self.bundle.add(answer.value, g, x, gg, float(x @ x), self.now.share)
            if self.theorem:
                self.theorem.add(self.now, gg)

    def measure(self, nit: int) -> None:
        """Value and proved gap of the output, while the clock stands still; next time when t has grown by a tenth."""
        with self.trace:
            point = self.output.point(self.memory)
            known = point is self.state.x and self.oracle.exact
            value = self.answer.value if known else self.oracle.value(point)
            if math.isnan(self.initial):
                self.initial = value
            self.latest = value
            if math.isfinite(value) or not math.isfinite(self.value):
                self.point, self.value = point, value
            if self.bundle:
                self.lower = self.bundle.bound(self.oracle.eps)
            self.trace.record(nit, value, self.lower, value - self.lower)
        self.due = max(self.t + 1, math.ceil(1.1 * self.t))

    def contradicted(self) -> bool:
        """Is the lower bound above the value, by more than the value's own rounding?"""
        return self.lower > self.value + (self.x1.size + 4) * self.oracle.eps * abs(self.value)

    def refuse(self, nit: int, answer: Answer) -> None:
        """Keep the last good point; at the very first answer that is x_1, with its value if that is one."""
        if self.memory is not None:
            self.measure(nit)
        elif math.isfinite(answer.value):
            self.value = answer.value

    def step(self, answer: Answer) -> None:
        """On to x_{t+1}; an overflow here is found out by the next answer, not by a warning."""
        with np.errstate(over="ignore", invalid="ignore"):
            self.state = self.rule.step(self.state, answer.g, self.now, self.domain)
        self.t += 1

    def result(self, nit: int, status: int, success: bool, message: str) -> OptimizeResult:
        self.trace.stop()
        proved = math.isfinite(self.lower) and math.isfinite(self.value) and status != CONTRADICTION
        if not self.oracle.exact:
            message += "; nothing is proved, because the oracle samples its subgradients"
        elif not proved and status < BAD_ORACLE:
            message += "; nothing is proved: give mu > 0, or a bounded domain"
        holds = self.memory is not None and status != CONTRADICTION
        return OptimizeResult(
            x=self.point.copy(),
            fun=self.value,
            nit=nit,
            nfev=self.oracle.calls,
            success=success,
            status=status,
            message=message[:1].upper() + message[1:] + ".",
            lower_bound=self.lower if proved else -math.inf,
            gap=self.value - self.lower if proved else math.inf,
            bound=self.theorem.value if self.theorem and holds else math.inf,
            anchor=self.schedule.anchor,
            trace=self.trace,
        )
