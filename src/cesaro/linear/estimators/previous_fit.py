"""What a fit leaves for the next one."""

from typing import Any

from cesaro.linear.problem.problem import Problem


class PreviousFit:
    """Besides the weights: the solver's states, for a warm start or the next batch."""

    def __init__(
        self, problem: Problem, solver: str, models: int, states: list[Any], online: list[Any] | None = None
    ) -> None:
        self.n, self.loss, self.solver = problem.rows.n, problem.loss, solver
        self.columns = (problem.rows.d, problem.rows.bias)
        self.models, self.states, self.online = models, states, online

    def matches(self, problems: list[Problem], solver: str) -> bool:
        """Whether `states` are about problems of this shape."""
        rows, loss = problems[0].rows, problems[0].loss
        mine = (self.n, self.columns, self.loss, self.solver, self.models)
        return bool(self.states) and mine == (rows.n, (rows.d, rows.bias), loss, solver, len(problems))
