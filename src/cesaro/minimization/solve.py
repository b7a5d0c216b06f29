"""minimize(): check the arguments, run the loop, return the result."""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cesaro.arguments import count, make_anchor, make_array, make_method, make_output, make_start, not_negative
from cesaro.domains import make_domain
from cesaro.methods import Method, Schedule
from cesaro.minimization.report import Report
from cesaro.minimization.result import make_result
from cesaro.minimization.run import Run
from cesaro.minimization.stopping import StoppingRule
from cesaro.oracle import make_callback, make_oracle
from cesaro.outputs import Output
from cesaro.weights import Weights, make_weights


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
    verbose: int = 0,
) -> OptimizeResult:
    """Minimise a convex function over a convex set, with a proof of how far from the minimum the answer can be.

        min f(w)  over  w in Q,
        f(w) >= f(u) + <g, w - u> + mu/2 |w - u|^2  for every subgradient g at u

    Parameters
    ----------
    fun : callable or object
        fun(x, *args) returns (value, subgradient). With a callable `jac` it returns the value alone. An object with value(x)
        and subgradient(x) is accepted too; if it has sample(x, rng), an unbiased estimate of a subgradient, that is used
        instead and nothing can be proved. With sample alone there is no value either, and `fun` of the result is nan.
    x0 : array
        Where to start; projected on the domain if it lies outside. Of whatever shape: fun, jac, callback and a projection
        of yours get arrays of that shape; `domains` of this package see it as a vector.
    args : tuple
        Further arguments of fun and jac.
    jac : True or callable
        True (SciPy's default is None): fun returns both. Otherwise jac(x, *args) is the subgradient.
    method : str or Method
        A name in `cesaro.methods.ALL`, an object from `cesaro.methods` or one of yours: an instance of a subclass of
        `cesaro.methods.ConvexMethod` or `StronglyConvexMethod`.
    mu : float
        Strong convexity of f. Required by "gda", "sc-pda" and the other methods for strongly convex problems. With mu = 0
        there is a lower bound only on bounded domains.
    domain : object with project(x) or function
        From `cesaro.domains`, or your own; a function is the projection itself.
    bounds : scipy.optimize.Bounds or sequence of (low, high)
        As in SciPy; short for domain=Box(low, high).
    weights, gamma : Weights or function t -> float
        a_t and gamma_t; by default what the method's theorem assumes, and gamma the same as weights.
    anchor : float or "auto"
        gamma_0 in units of the first weight: how strongly the start is remembered. 0.0 is the method of the textbook, and
        the paper's; "auto" makes an anchored variant of every method. Methods whose weights
        are step sizes use 1 / (1/a_t + anchor/a_1). "auto" begins with 1 and starts again with ten times as much whenever
        f(x_t) shoots far above f(x_1); what was proved before stays proved.
    output : Output
        From `cesaro.outputs`; by default what the method's theorem is about.
    max_iter : int
        Number of steps; x_t is what max_iter = t - 1 returns, if the output is the last x. The oracle is asked once a step,
        once at the last point, and whenever the value of an output that is not the last x is measured: `nfev` counts.
    tol : float
        Stop when the proved gap is at most tol * max(1, |fun|).
    time_limit : float
        Seconds, after which the run stops.
    callback : callable
        callback(x), or callback(intermediate_result=OptimizeResult), after every step; StopIteration ends the run.
    rng : None, int or numpy Generator
        For oracles that sample.
    verbose : int
        1: a line on stderr at the end; 2: one whenever value and gap are measured, too.

    Returns
    -------
    scipy.optimize.OptimizeResult
        x, fun, nit, nfev, success, status, message; `lower_bound` (no point of the domain has a lower value) and `gap` =
        fun - lower_bound, inf where nothing can be proved; `bound`, what the method's theorem says of its output, with the
        subgradients that were seen, where `cesaro` computes one ("gda", "sc-pda", "da", "pda" with their own output), else
        inf; `anchor`, the one that was used; `trace`, with arrays iteration, t, time, value, lower_bound, gap, bound: the
        same along the run. The proof takes the oracle's answers as exact up to a few units in their last place (float64 or
        float32).

    Raises
    ------
    ValueError, TypeError
        If an argument cannot be used. What happens during the run is not an error but a `status`.

    References
    ----------
    Tao, Li, Pan, Tao: Gradient descent averaging and primal-dual averaging for strongly convex optimization, AAAI 2021,
    arXiv 2012.14558.

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
    start = make_array(x0)
    oracle = make_oracle(fun, jac, args, np.random.default_rng(rng), start.shape)
    region, rule = make_domain(domain, bounds, start.shape), make_method(method, mu)
    stopping = StoppingRule(tol, max_iter, time_limit, deadline, make_callback(callback, start.shape))
    a = make_weights(rule.weights if weights is None else weights)
    b = rule.gamma(a) if gamma is None else make_weights(gamma)
    x1, remark = make_start(start, region)
    schedule, output = Schedule(a, b, make_anchor(anchor), max_iter), make_output(output, rule, a, oracle.exact)

    run = Run(oracle, rule, region, schedule, output, x1, adapt_anchor=anchor == "auto")
    report = Report(run.trace, verbose)
    run.evaluate()
    while (reason := stopping.stop_reason(run)) is None:
        report.measured()
        run.step()
        run.evaluate()
    result = make_result(run, reason, stopping.is_success(reason), remark)
    report.ended(result)
    return result
