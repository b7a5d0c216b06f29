"""What minimize returns, in SciPy's form."""

import math

from scipy.optimize import OptimizeResult

from cesaro.minimization.run import Run
from cesaro.minimization.stopping import BAD_ORACLE, CONTRADICTION, StopReason


def make_result(run: Run, reason: StopReason, success: bool, remark: str) -> OptimizeResult:
    """The run's answer, with what is proved of it; a contradiction proves nothing."""
    run.trace.stop()
    contradiction = reason.status == CONTRADICTION
    proved = math.isfinite(run.lower) and math.isfinite(run.value) and not contradiction
    message = remark + reason.message
    if not run.oracle.exact:
        message += "; nothing is proved, because the oracle samples its subgradients"
    elif not proved and reason.status < BAD_ORACLE:
        message += "; nothing is proved: give mu > 0, or a bounded domain"
    return OptimizeResult(
        x=run.point.copy().reshape(run.oracle.shape),
        fun=run.value,
        nit=run.nit,
        nfev=run.oracle.calls,
        success=success,
        status=reason.status,
        message=message[:1].upper() + message[1:] + ".",
        lower_bound=run.lower if proved else -math.inf,
        gap=run.value - run.lower if proved else math.inf,
        bound=math.inf if contradiction else run.bound,
        anchor=run.schedule.anchor,
        trace=run.trace,
    )
