"""The state of a run of minimize: evaluate at x_t, measure now and then, step."""

import math
from dataclasses import replace

import numpy as np

from cesaro.certificate import THEOREMS, Bundle
from cesaro.domains import Domain
from cesaro.methods import Method, Schedule
from cesaro.oracle import Answer, Oracle, fault
from cesaro.outputs import Output
from cesaro.trace import Trace


class Run:
    """The attempts at one problem. Each begins at x_1, a later one with a larger anchor; the bounds of all of them hold."""

    def __init__(
        self,
        oracle: Oracle,
        rule: Method,
        domain: Domain,
        schedule: Schedule,
        output: Output,
        x1: np.ndarray,
        adapt_anchor: bool,
    ) -> None:
        self.oracle, self.rule, self.domain = oracle, rule, domain
        self.schedule, self.output, self.x1 = schedule, output, x1
        self.adapt_anchor, self.max_iter = adapt_anchor, schedule.horizon
        self.trace = Trace()
        self.bundle = Bundle(rule.mu, domain, x1.size) if oracle.exact else None
        self.nit = 0  # steps, over all attempts
        self.fault = ""  # why the last answer of the oracle cannot be used
        self.first: Answer | None = None  # at x_1
        self.initial = math.nan  # f(x_1)
        self.point, self.value, self.lower = x1, math.inf, -math.inf
        self.latest = math.nan  # the value as last measured, finite or not
        self._begin()

    def _begin(self) -> None:
        self.state, self.memory = self.rule.start(self.x1, self.schedule.anchor), None
        self.t, self.due = 1, 1
        covered = self.oracle.exact and self.output == self.rule.output(self.schedule.weights)
        theorem = THEOREMS.get(type(self.rule)) if covered else None
        self.theorem = theorem(self.rule.mu, self.domain.reach(self.x1)) if theorem else None

    def evaluate(self) -> None:
        """Ask the oracle at x_t and take its answer in; begin again if this attempt has exploded."""
        answer = self.oracle(self.state.x)
        if self.adapt_anchor and self._exploded(answer):
            answer = self._restart()
        self.fault = self._fault(answer)
        if self.fault:
            self._refuse(answer)
        else:
            self._take_in(answer)

    def _exploded(self, answer: Answer) -> bool:
        """Whether f(x_t) is far above f(x_1); with a sampling oracle, whether the last measured value is."""
        if self.t == 1 or self.schedule.anchor > 1e30:
            return False
        unit = max(1.0, abs(self.initial))
        if not self.oracle.exact:
            lost = not ((math.isfinite(self.latest) or not self.oracle.has_values) and np.all(np.isfinite(answer.g)))
            return lost or self.latest > self.initial + 10 * unit
        latest, before = answer.value, self.answer.value
        overflow = not math.isfinite(latest) and (self.t == 2 or before > self.initial + unit)
        return overflow or latest > self.initial + 10 * unit

    def _restart(self) -> Answer:
        """Begin again with ten times the anchor; the answer at x_1 is known."""
        assert self.first is not None
        anchor, steps_left = 10 * max(0.1, self.schedule.anchor), self.max_iter - self.nit
        self.schedule = replace(self.schedule, anchor=anchor, horizon=steps_left)
        self._begin()
        if self.bundle:
            self.bundle.begin()
        return self.first

    def _fault(self, answer: Answer) -> str:
        """Why an answer cannot be used; empty if it can."""
        wrong = fault(answer, self.x1.size, self.oracle.exact)
        if wrong and (self.state.x.shape != self.x1.shape or not np.all(np.isfinite(self.state.x))):
            return "a step or projection led to no finite point"
        return wrong and f"the oracle returned {wrong}"

    def _refuse(self, answer: Answer) -> None:
        """Stay with the last good point; at the very first answer that is x_1, with its value if that is one."""
        if self.memory is not None:
            self.measure()
        elif math.isfinite(answer.value):
            self.value = answer.value

    @np.errstate(over="ignore", invalid="ignore")
    def _take_in(self, answer: Answer) -> None:
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

    def measure(self) -> None:
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
            self.trace.record(self.nit, self.now.t, value, self.lower, value - self.lower, self.bound)
        self.due = max(self.t + 1, math.ceil(1.1 * self.t))

    @property
    def bound(self) -> float:
        """What the method's theorem says of the output now; inf where there is none."""
        return self.theorem.value if self.theorem and self.memory is not None else math.inf

    def contradicted(self) -> bool:
        """Whether the lower bound is above the value, by more than the value's own rounding."""
        return self.lower > self.value + (self.x1.size + 4) * self.oracle.eps * abs(self.value)

    def step(self) -> None:
        """On to x_{t+1}; an overflow here is found by the next answer, not by a warning."""
        with np.errstate(over="ignore", invalid="ignore"):
            self.state = self.rule.step(self.state, self.answer.g, self.now, self.domain)
        self.t, self.nit = self.t + 1, self.nit + 1
