"""minimize(): the one loop. Ask at x_t, take in the answer, measure now and then, step."""

import difflib
import itertools
import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from .certificate import EPS, THEOREMS, Bundle
from .domains import Domain, make_domain
from .methods import ALL, Method, Schedule
from .oracle import Answer, Oracle, fault, make_callback, make_oracle
from .outputs import Output
from .trace import Trace
from .weights import Weights, make_weights

CONVERGED, MAX_ITER, TIME_LIMIT, CALLBACK, BAD_ORACLE, CONTRADICTION = range(6)


def minimize(
    fun: Any,
    x0: Any,
    *,
    args: tuple = (),
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
    callback: Callable | None = None,
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
        From `cesaro.domains`, or your own. `bounds` as in SciPy is short for a Box.
    weights, gamma : Weights or function t -> float
        a_t and gamma_t; by default what the method's theorem assumes, and gamma the same as weights.
    anchor : float or "auto"
        gamma_0 in units of the first weight: how strongly the start is remembered. 0.0 is the paper. "auto" begins with 1 and
        starts again with ten times as much whenever f(x_t) shoots far above f(x_1); what was proved before stays proved.
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
        `trace`, with arrays iteration, time, value, lower_bound, gap.

    Examples
    --------
    >>> import numpy as np, cesaro
    >>> def f(w):                                 # w^2/2 + |w - 2|, minimum 3/2 at w = 1
    ...     return w[0]**2 / 2 + abs(w[0] - 2), w + np.sign(w - 2)
    >>> res = cesaro.minimize(f, [10.0], mu=1.0, tol=1e-3)
    >>> res.success, bool(res.lower_bound <= 1.5 <= res.fun), bool(res.gap <= 1e-3 * res.fun)
    (True, True, True)

    References
    ----------
    Tao, Li, Pan, Tao: Gradient descent averaging and primal-dual averaging for strongly convex optimization, AAAI 2021.
    """
    _not_negative(tol=tol, max_iter=max_iter, time_limit=time_limit or 0.0)
    oracle, region = make_oracle(fun, jac, args, np.random.default_rng(rng)), make_domain(domain, bounds)
    rule, gamma_0, call = make_method(method, mu), _make_anchor(anchor), make_callback(callback)
    a = make_weights(rule.weights if weights is None else weights)
    schedule = Schedule(a, rule.gamma(a) if gamma is None else make_weights(gamma), gamma_0, max_iter)
    x1, remark = _make_start(x0, region)
    run = Run(oracle, rule, region, schedule, rule.output(a) if output is None else output, x1)
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit

    status, message = MAX_ITER, f"all {max_iter} iterations were made"
    for nit in itertools.count():
        answer = oracle(run.state.x)
        wrong = fault(answer, x1.size, oracle.exact)
        if anchor == "auto" and run.exploded(answer, wrong):
            answer, wrong = run.restart(), ""
        if wrong:
            status, message = BAD_ORACLE, f"the oracle returned {wrong} at iteration {nit}; the last good point is kept"
            break
        run.take_in(answer)
        late = time.monotonic() >= deadline
        if run.t >= run.due or late or nit == max_iter or (call and call.wants_value):
            gap = run.measure(nit)
            if gap < -16 * (x1.size + 4) * EPS * abs(run.value):
                status, message = CONTRADICTION, CONTRADICTED.format(run.value - gap, run.value)
                break
            if gap <= tol * max(1.0, abs(run.value)) and tol > 0:
                status, message = CONVERGED, f"the gap is proved to be at most {tol:g} * max(1, |fun|)"
                break
        if call and nit > 0 and call(run.output.point(run.memory), nit, run.value, run.lower):
            status, message = CALLBACK, "the callback stopped the run"
            break
        if late or nit == max_iter:
            if late:
                status, message = TIME_LIMIT, f"the time limit of {time_limit:g} s was reached"
            break
        run.step(answer)
    return run.result(nit, status, remark + message, reached=status == CONVERGED or (status == MAX_ITER and not tol))


class Run:
    """The attempts at one problem. Each begins at x_1, a later one with a larger anchor; the bounds of all of them hold."""

    def __init__(
        self, oracle: Oracle, rule: Method, domain: Domain, schedule: Schedule, output: Output, x1: np.ndarray
    ):
        self.oracle, self.rule, self.domain = oracle, rule, domain
        self.schedule, self.output, self.x1 = schedule, output, x1
        self.trace = Trace()
        self.bundle = Bundle(rule.mu, domain, x1.size) if oracle.exact else None
        self.first: Answer | None = None  # at x_1
        self.point, self.value, self.lower = x1, math.nan, -math.inf
        self.begin()

    def begin(self) -> None:
        self.state, self.memory = self.rule.start(self.x1, self.schedule.anchor), None
        self.t, self.due, self.measured = 1, 1, 0
        covered = self.oracle.exact and self.output == self.rule.output(self.schedule.weights)
        theorem = THEOREMS.get(type(self.rule)) if covered else None
        self.theorem = theorem(self.rule.mu, self.domain.reach(self.x1)) if theorem else None

    def exploded(self, answer: Answer, wrong: str) -> bool:
        """Has the attempt shot far above where it began?"""
        if self.first is None or self.t == 1 or self.schedule.anchor > 1e30:
            return False
        start = self.first.value
        return bool(wrong) or answer.value > start + 10 * max(1.0, abs(start))

    def restart(self) -> Answer:
        """Begin again with ten times the anchor; the answer at x_1 is known."""
        assert self.first is not None
        self.schedule = replace(self.schedule, anchor=10 * self.schedule.anchor)
        self.begin()
        if self.bundle:
            self.bundle.begin()
        return self.first

    def take_in(self, answer: Answer) -> None:
        """x_t, f(x_t) and g_t enter the output, the lower model and the theorem's sum."""
        self.first = self.first or answer
        self.now, self.answer = self.schedule.at(self.t), answer
        self.memory = self.output.update(self.memory, self.state, self.t, answer.value)
        x, g = self.state.x, answer.g
        if self.bundle:
            gg = float(g @ g)
            self.bundle.add(answer.value, g, x, gg, float(x @ x), self.now.share)
            if self.theorem:
                self.theorem.add(self.now, gg)

    def measure(self, nit: int) -> float:
        """Value and proved gap of the output, while the clock stands still; next time when t has grown by a tenth."""
        with self.trace:
            point = self.output.point(self.memory)
            known = point is self.state.x and self.oracle.exact
            value = self.answer.value if known else self.oracle.value(point)
            if math.isfinite(value):
                self.point, self.value = point, value
            if self.bundle:
                self.lower = self.bundle.bound()
            gap = self.value - self.lower
            self.trace.record(nit, self.value, self.lower, gap)
        self.measured, self.due = self.t, max(self.t + 1, math.ceil(1.1 * self.t))
        return gap

    def step(self, answer: Answer) -> None:
        """On to x_{t+1}; an overflow here is found out by the next answer, not by a warning."""
        with np.errstate(over="ignore", invalid="ignore"):
            self.state = self.rule.step(self.state, answer.g, self.now, self.domain)
        self.t += 1

    def result(self, nit: int, status: int, message: str, reached: bool) -> OptimizeResult:
        if self.memory is not None and status in (CALLBACK, BAD_ORACLE):
            self.measure(nit)
        if not self.oracle.exact:
            message += "; nothing is proved, because the oracle samples its subgradients"
        elif self.lower == -math.inf and status != BAD_ORACLE:
            message += "; nothing is proved: give mu > 0, or a bounded domain"
        lower = self.lower if status != CONTRADICTION else -math.inf
        return OptimizeResult(
            x=self.point.copy(),
            fun=self.value,
            nit=nit,
            nfev=self.oracle.calls,
            success=reached,
            status=status,
            message=message[:1].upper() + message[1:] + ".",
            lower_bound=lower,
            gap=self.value - lower if math.isfinite(lower) else math.inf,
            bound=self.theorem.value if self.theorem and status != CONTRADICTION else math.inf,
            trace=self.trace,
        )


CONTRADICTED = "the lower bound {} lies above the value {}: mu is too large for fun, or its subgradients are wrong"


def make_method(method: str | Method, mu: float | None) -> Method:
    """A method by name, given mu; or the object itself."""
    if isinstance(method, Method):
        if mu is not None and mu != method.mu:
            raise ValueError(f"mu = {mu} contradicts {method}. Leave mu out: the method object carries it.")
        return _check_mu(type(method).__name__, method)
    if not isinstance(method, str):
        raise TypeError(f"method must be a name or an object from cesaro.methods: got {method!r}.")
    if method.lower() not in ALL:
        near = difflib.get_close_matches(method.lower(), ALL, n=1, cutoff=0.3)
        hint = f'Did you mean "{near[0]}"?' if near else ""
        raise ValueError(f"unknown method {method!r}. {hint} There are: {', '.join(ALL)}.")
    if mu is not None and (isinstance(mu, bool) or not isinstance(mu, int | float | np.number)):
        raise TypeError(f"mu must be a number: got {mu!r}.")
    cls: Any = ALL[method.lower()]
    if cls.needs_mu and mu is None:
        raise ValueError(f'method "{method}" needs mu, the strong convexity of fun: got None. {WITHOUT_MU}')
    return _check_mu(method, cls(mu=float(mu or 0.0)))


WITHOUT_MU = 'Without strong convexity use method="pda", which needs no mu.'


def _check_mu(name: str, method: Method) -> Method:
    if method.needs_mu and not (math.isfinite(method.mu) and method.mu > 0):
        raise ValueError(f'mu must be positive and finite for "{name}": got {method.mu}. {WITHOUT_MU}')
    if not (math.isfinite(method.mu) and method.mu >= 0):
        raise ValueError(f"mu must be finite and not negative: got {method.mu}. Leave it out if fun is merely convex.")
    return method


def _make_anchor(anchor: float | str) -> float:
    if anchor == "auto":
        return 1.0
    if isinstance(anchor, str):
        raise ValueError(f'anchor must be "auto" or a number that is not negative: got {anchor!r}.')
    _not_negative(anchor=anchor)
    return float(anchor)


def _make_start(x0: Any, domain: Domain) -> tuple[np.ndarray, str]:
    """x_1 in the domain, and a remark if that is not x0."""
    x0 = np.atleast_1d(np.array(x0, dtype=float))
    if x0.ndim != 1 or x0.size == 0:
        raise ValueError(f"x0 must be one vector: got shape {x0.shape}. Flatten it and reshape inside fun.")
    if not np.all(np.isfinite(x0)):
        raise ValueError(f"x0 must be finite: coordinate {int(np.argmin(np.isfinite(x0)))} is not.")
    x1 = np.array(domain.project(x0), dtype=float)
    if x1.shape != x0.shape or not np.all(np.isfinite(x1)):
        raise ValueError(f"domain.project(x0) must return a finite vector of shape {x0.shape}: got {x1!r}.")
    outside = np.abs(x1 - x0).max() > 1e-12 * max(1.0, np.abs(x0).max())
    return x1, "x0 was outside the domain and was projected on it; " if outside else ""


def _not_negative(**numbers: float) -> None:
    for name, number in numbers.items():
        if not (number >= 0 and math.isfinite(number)):
            raise ValueError(f"{name} must be finite and not negative: got {number}.")
