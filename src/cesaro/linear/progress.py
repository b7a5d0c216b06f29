"""Progress of a fit, on stderr: how far, the objective, the proved gap."""

import math
import sys
import threading
from dataclasses import dataclass, field


@dataclass
class Progress:
    """One line that rewrites itself; the bar follows the epochs or the digits of the gap, whichever is further."""

    models: int
    max_iter: int
    tol: float
    scale: float  # the relative gap's unit is max(objective, scale)
    seen: dict[int, float] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, model: int, epoch: int, objective: float, lower_bound: float) -> None:
        unit = max(objective, self.scale)
        gap = (objective - lower_bound) / unit if unit > 0.0 else 0.0
        with self.lock:
            self.seen[model] = self.share(epoch, gap)
            done = sum(self.seen.values()) / self.models
            bar = "#" * round(24 * done)
            which = f"model {model + 1}/{self.models}  " if self.models > 1 else ""
            line = f"\r[{bar:<24}] {which}epoch {epoch}  objective {objective:.6g}  relative gap {gap:.1e}   "
            sys.stderr.write(line)
            sys.stderr.flush()

    def share(self, epoch: int, gap: float) -> float:
        """How much of the way is behind us, between 0 and 1."""
        digits = math.log(gap) / math.log(self.tol) if 0.0 < gap < 1.0 and 0.0 < self.tol < 1.0 else 0.0
        return min(1.0, max(epoch / self.max_iter, digits, float(gap <= self.tol and self.tol > 0.0)))

    def close(self) -> None:
        if self.seen:
            sys.stderr.write("\n")
            sys.stderr.flush()


@dataclass
class Silence:
    """No progress shown."""

    def __call__(self, model: int, epoch: int, objective: float, lower_bound: float) -> None:
        pass

    def close(self) -> None:
        pass
