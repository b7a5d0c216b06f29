"""Why a run stops: the one place where a status and its message are made."""

import math
import time
from dataclasses import dataclass
from typing import NamedTuple

from cesaro.minimization.run import Run
from cesaro.oracle import Callback

CONVERGED, MAX_ITER, TIME_LIMIT, CALLBACK, BAD_ORACLE, CONTRADICTION = range(6)


class StopReason(NamedTuple):
    """SciPy's status, and the message that explains it."""

    status: int
    message: str


@dataclass(frozen=True)
class StoppingRule:
    """When to stop: the gap that is enough, what may be spent, and the user's callback."""

    tol: float
    max_iter: int
    time_limit: float | None
    deadline: float  # on the monotonic clock
    callback: Callback | None

    def stop_reason(self, run: Run) -> StopReason | None:
        """Why the run ends at x_t, or None. The value and the gap are measured when they are due, and before every end."""
        if run.fault:
            return StopReason(BAD_ORACLE, f"{run.fault} at iteration {run.nit}; the last good point is returned")
        reason = self._limit_reached(run.nit)
        callback_wants_value = self.callback is not None and self.callback.wants_value
        if reason or run.t >= run.due or callback_wants_value:
            run.measure()
            if verdict := self._verdict(run):
                return verdict
        if self._stopped_by_callback(run):
            if not callback_wants_value:
                run.measure()
            reason = StopReason(CALLBACK, "the callback stopped the run")
        if reason and run.oracle.has_values and not math.isfinite(run.latest):
            return StopReason(BAD_ORACLE, f"the value of the answer is {run.latest}; the last good point is returned")
        return reason

    def _limit_reached(self, nit: int) -> StopReason | None:
        if nit >= self.max_iter:
            return StopReason(MAX_ITER, f"all {self.max_iter} iterations were made")
        if time.monotonic() >= self.deadline:
            return StopReason(TIME_LIMIT, f"the time limit of {self.time_limit:g} s was reached")
        return None

    def _verdict(self, run: Run) -> StopReason | None:
        """What the certificate says: the gap is small enough, or the lower bound refutes mu."""
        if run.contradicted():
            wrong_mu = "mu is too large for fun, or its subgradients are wrong"
            return StopReason(
                CONTRADICTION, f"the lower bound {run.lower} lies above the value {run.value}: {wrong_mu}"
            )
        gap = run.value - run.lower
        if self.tol > 0 and gap < math.inf and gap <= self.tol * max(1.0, abs(run.value)):
            return StopReason(CONVERGED, f"the gap is proved to be at most {self.tol:g} * max(1, |fun|)")
        return None

    def _stopped_by_callback(self, run: Run) -> bool:
        if self.callback is None or run.nit == 0:
            return False
        return self.callback(run.output.point(run.memory), run.nit, run.value, run.lower)

    def is_success(self, reason: StopReason) -> bool:
        """Whether the run did what was asked: reach tol, or, without one, make all its iterations."""
        return reason.status == CONVERGED or (reason.status == MAX_ITER and self.tol == 0)
