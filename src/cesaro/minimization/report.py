"""What `verbose` writes to stderr."""

import sys
from dataclasses import dataclass

from scipy.optimize import OptimizeResult

from cesaro.trace import Trace


@dataclass
class Report:
    """Lines about a run: at the end, or at every measurement. No line rewrites itself, so that log files can be read."""

    trace: Trace
    verbose: int
    told: int = 0  # measurements so far

    def measured(self) -> None:
        """One line if there was a measurement since the last call."""
        if self.verbose > 1 and len(self.trace) > self.told:
            self.told = len(self.trace)
            print(self._line(), file=sys.stderr)

    def ended(self, result: OptimizeResult) -> None:
        """The last line, and why the run ended."""
        if self.verbose:
            print(f"{self._line() if len(self.trace) else 'no measurement'}  {result.message}", file=sys.stderr)

    def _line(self) -> str:
        step, _, seconds, value, lower, gap, _ = self.trace.last
        return f"step {step:>8,}  value {value:<12.6g}  lower bound {lower:<12.6g}  gap {gap:<8.1e}  {seconds:.2f} s"
