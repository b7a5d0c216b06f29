"""Sums whose bits do not depend on who computed which part: over a fixed binary tree of virtual blocks.

Block j is a range of rows that depends on their number only. Leaf j is the block's own sum, the node (l, i) is
(l - 1, 2i) + (l - 1, 2i + 1), an only child stands for itself. Whoever holds consecutive blocks adds what he can to the
largest whole subtrees; whoever holds all nodes finishes. The additions are the same whatever the cut.
"""

from collections.abc import Iterable

import numpy as np

BLOCKS = 64  # of the exact mode: at most so many partitions have work at once
Nodes = dict[tuple[int, int], np.ndarray]


def edges(n: int, blocks: int = BLOCKS) -> np.ndarray:
    """Where the blocks of n rows begin, and the end of the last."""
    return np.arange(blocks + 1) * n // blocks


def grow(nodes: Nodes, leaves: Iterable[tuple[int, np.ndarray]]) -> Nodes:
    """Add leaves (j, sum) to the nodes; siblings that are both there become their parent at once."""
    for j, value in leaves:
        _add(nodes, (0, j), value)
    return nodes


def _add(nodes: Nodes, place: tuple[int, int], value: np.ndarray) -> None:
    level, i = place
    while (sibling := nodes.pop((level, i ^ 1), None)) is not None:
        value = sibling + value if i & 1 else value + sibling
        level, i = level + 1, i >> 1
    nodes[level, i] = value


def root(parts: Iterable[Nodes], blocks: int) -> np.ndarray:
    """The sum of all blocks from the nodes of all holders."""
    nodes: Nodes = {}
    for part in parts:
        for place, value in part.items():
            _add(nodes, place, value)
    size, level = blocks, 0
    while size > 1:  # an only child, the last of an odd row, moves up
        if size & 1 and (level, size - 1) in nodes:
            value = nodes.pop((level, size - 1))
            _add(nodes, (level + 1, size >> 1), value)
        size, level = (size + 1) >> 1, level + 1
    ((place, value),) = nodes.items()
    assert place == (level, 0)
    return value
