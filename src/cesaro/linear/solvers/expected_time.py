"""How long the next epoch or evaluation will take: what does not fit into a time limit is not begun."""

import time
from collections.abc import Callable
from typing import Any

FORGET = 0.7  # what the longest counts for after another one: they get shorter as rows are shrunk
ENTRY = 3e-8  # seconds at most for an entry of the rows


class ExpectedTime:
    """Of something that is done again and again over rows with so many entries."""

    def __init__(self, entries: int):
        self.seconds, self.last = 0.0, 0.0  # that the next is expected to take, and that the last took
        self.most = ENTRY * entries

    def of(self, act: Callable[[], Any]) -> Any:
        """Do it, and see how long it takes; of the first no more is believed than its rows explain: it may have to compile."""
        began = time.perf_counter()
        found = act()
        self.last = time.perf_counter() - began
        self.seconds = max(min(self.last, self.most), FORGET * self.seconds)
        self.most = float("inf")
        return found
