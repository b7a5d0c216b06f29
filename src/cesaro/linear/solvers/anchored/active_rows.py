"""The working set: the rows and columns that epochs visit, first all of them, then the active rows side by side.

Where no active row has a column, h_j does not change during an epoch. So each of these resting columns follows the same
line: with u = h - K w_0 as it was when the rows were set apart, and w_0 = c then, the prox center is a c + b u, with two
numbers a, b that an epoch changes in O(1). What an epoch costs depends on the active rows alone, however wide the data.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from cesaro.compiled.flags import KERNEL
from cesaro.linear.problem.csr import Rows, entry, span
from cesaro.linear.solvers.anchored.column_kernels import follow, resting_products
from cesaro.linear.solvers.anchored.records import B
from cesaro.storage.states import require_like, require_rows

WIDE = 1 << 10  # columns from which on it can pay to have fewer
MOST_SLACK, LEAST_SLACK = 0.2, 0.02  # units of y: how far from its kink a row is at least if it is shrunk
PREDICTED = 0.1  # of |x| times the move of w: what predictions change by, or less
SPARSE = 2  # entries of the active rows for each column, up to which it does


def slack_after(move: float, unit: float) -> float:
    """How far from its kink a row has to be to be shrunk, after an epoch that moved w by `move` / |x|.

    From one epoch to the next nine of ten predictions change by 0.03 (covtype, text) to 0.13 (w8a) of that.
    """
    return unit * min(MOST_SLACK, max(LEAST_SLACK, PREDICTED * move / unit)) if unit > 0.0 else 0.0


class Columns(NamedTuple):
    """One value for every column of the working set."""

    h: np.ndarray  # K w_0 + sum_i v_i b_i x_i
    center: np.ndarray  # w_0
    total: np.ndarray  # the weighted sum of the epochs' averages
    average: np.ndarray  # of the last epoch: room

    @classmethod
    def zeros(cls, width: int) -> "Columns":
        """All of them 0."""
        return cls(*(np.zeros(width) for _ in range(4)))

    def at(self, columns: np.ndarray) -> "Columns":
        """These columns alone."""
        return Columns(*(vector[columns] for vector in self))


class WorkingSet:
    """Rows with their records, the active ones among them, and their columns."""

    def __init__(self, rows: Rows, record: np.ndarray, active: np.ndarray, columns: Columns):
        self.rows, self.record, self.active, self.columns = rows, record, active, columns

    def squared_norm_outside(self, prox_weight: float) -> float:
        """|h|^2 over the columns that are not here."""
        return 0.0

    @property
    def entries(self) -> int:
        """Of the active rows, about."""
        return len(self.rows.col) * len(self.active) // max(1, self.rows.n)

    @property
    def shrunk(self) -> bool:
        """Whether its active rows, side by side, would cost less than half as much."""
        rows, active = self.rows, len(self.active)
        return 0 < 2 * active < rows.n and rows.d >= WIDE and self.entries <= SPARSE * rows.d


class RestingColumns:
    """The columns that no row of a working set has: center = a c + b u and total = total_0 + e c + f u there."""

    def __init__(self, whole: Columns, prox_weight: float, chosen: np.ndarray):
        self.prox_weight = prox_weight  # when they were set apart
        self.a, self.b, self.e, self.f = 1.0, 0.0, 0.0, 0.0
        self.cc, self.cu, self.uu = resting_products(whole.h, whole.center, prox_weight, chosen)

    def squared(self, a: float, b: float) -> float:
        """|a c + b u|^2."""
        return max(0.0, a * a * self.cc + 2.0 * a * b * self.cu + b * b * self.uu)

    def h(self, K: float) -> tuple[float, float]:
        """h = K center + u, in terms of c and u."""
        return K * self.a, K * self.b + 1.0

    def recenter(self, sums: Any, share: float, mean_scale: float, scale: float, K: float, n: int, mu: float) -> Any:
        """What `column_kernels.recenter` does, here; its sums, with these columns' parts."""
        ha, hb = self.h(K)
        a, b = mean_scale * ha, mean_scale * hb  # the epoch's average
        swing = scale - mean_scale
        parts = (
            self.squared(swing * ha, swing * hb),
            self.squared(a - self.a, b - self.b),
            self.squared(ha, hb),
            self.squared(self.a, self.b),
            self.squared(mu * a, mu * b - 1.0 / n) * (0.5 / mu if mu > 0.0 else 0.0),
        )
        self.a, self.b = a, b
        self.e, self.f = self.e + share * a, self.f + share * b
        return tuple(one + other for one, other in zip(sums, parts, strict=True))


class ActiveRows(WorkingSet):
    """Some rows of a working set, side by side, with the columns they have."""

    def __init__(self, whole: WorkingSet, prox_weight: float, which: np.ndarray):
        rows, self.whole, self.which = whole.rows, whole, which
        length = rows.ptr[which + np.uint32(1)] - rows.ptr[which]
        ptr = np.zeros(len(which) + 1, rows.ptr.dtype)
        np.cumsum(length, out=ptr[1:])
        data = None if rows.data is None else np.empty(int(ptr[-1]), rows.data.dtype)
        col, found = np.empty(int(ptr[-1]), np.uint32), np.empty(rows.d + 1, np.uint32)
        place = np.full(rows.d + 1, np.uint32(rows.d + 1))
        count = gather_rows(rows, which, data, col, place, found)
        found[count] = rows.d  # the intercept's
        self.chosen = found[: count + 1].copy()
        self.resting = RestingColumns(whole.columns, prox_weight, self.chosen)
        super().__init__(
            rows._replace(data=data, col=col, ptr=ptr, d=count),
            whole.record[which],
            np.arange(len(which), dtype=np.uint32),
            whole.columns.at(self.chosen),
        )

    def squared_norm_outside(self, prox_weight: float) -> float:
        return self.resting.squared(*self.resting.h(prox_weight))

    def write_back(self, prox_weight: float) -> None:
        """Bring the whole up to date."""
        whole, rest, mine = self.whole.columns, self.resting, self.columns
        self.whole.record[self.which], self.whole.active = self.record, self.which[self.active]
        follow(whole.h, whole.center, whole.total, rest.prox_weight, prox_weight, rest.a, rest.b, rest.e, rest.f)
        whole.h[self.chosen], whole.center[self.chosen], whole.total[self.chosen] = mine.h, mine.center, mine.total

    def state(self) -> dict[str, Any]:
        """What it takes, besides the whole, to go on as if nothing had happened."""
        columns = {name: getattr(self.columns, name) for name in ("h", "center", "total")}
        kept = {"which": self.which, "active": self.active, "b": self.record[:, B], "columns": columns}
        return kept | {"resting": {name: float(value) for name, value in vars(self.resting).items()}}

    @classmethod
    def resumed(cls, whole: WorkingSet, prox_weight: float, state: dict[str, Any]) -> "ActiveRows":
        """Go on from there."""
        require_rows("which", state["which"], whole.rows.n)
        mine = cls(whole, prox_weight, state["which"])
        require_like(state, mine.state(), rows={"active": len(mine.which)})
        mine.active, mine.record[:, B] = state["active"], state["b"]
        for name, value in state["columns"].items():
            getattr(mine.columns, name)[:] = value
        vars(mine.resting).update(state["resting"])
        return mine


@njit(**KERNEL)
def gather_rows(rows, which, data, col, place, found):
    """Copy the rows' entries one after the other, their columns numbered as they are met: found[place[c]] = c."""
    source_data, source_col, none = rows.data, rows.col, np.uint32(rows.d + 1)
    count, to = np.uint32(0), np.uint64(0)
    for k in range(which.shape[0]):
        lo, hi = span(rows, which[k])
        for e in range(lo, hi):
            c = source_col[e]
            if place[c] == none:
                place[c], found[count] = count, c
                count += np.uint32(1)
            col[to] = place[c]
            if data is not None:
                data[to] = entry(source_data, e)
            to += np.uint64(1)
    return count
