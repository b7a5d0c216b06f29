"""Checkpoints that nobody's fit has written, with a right checksum: a state in which one thing is not what it was."""

from pathlib import Path

import numpy as np

from cesaro.storage import checkpoint

WORDS = [-1, 2**62, 10**400, 0.5, float("nan"), float("inf"), "word", None, True, [], [1], {}]


def forge(state, rng):
    """The name of what was changed, and the state with that change."""
    name = str(rng.choice(sorted(state)))
    found, value = dict(state), state[name]
    change = int(rng.integers(6))
    if change == 0:
        del found[name]
    elif change == 1:
        found[f"{name}/more"] = found.pop(name)
    elif change == 2 or not isinstance(value, np.ndarray):
        found[name] = WORDS[rng.integers(len(WORDS))]
    elif change == 3:
        with np.errstate(all="ignore"):
            found[name] = value.astype([np.float32, np.int64, np.uint8, bool][rng.integers(4)])
    elif change == 4:
        found[name] = [value[:-1], value[None], np.concatenate([value, value]), value[:0]][rng.integers(4)]
    else:
        found[name] = value.copy()
        top = (
            np.iinfo(value.dtype).max if value.dtype.kind in "ui" else [np.nan, np.inf, 1e300, -1e300][rng.integers(4)]
        )
        found[name].reshape(-1)[rng.integers(max(1, value.size), size=min(value.size, 3))] = top
    return name, found


def write_forged(folder: Path, rng) -> str:
    """Forge every file of a directory alike; what was changed."""
    paths = sorted(folder.glob("*.checkpoint"))
    state, about = checkpoint.read(paths[-1])
    name, found = forge(state, rng)
    for path in paths:
        checkpoint.write(path, found, about)
    return name
