"""How much of an experiment is run, and where its finished runs are saved."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Budget:
    """The full budget, unless said otherwise."""

    runs: Path  # finished runs, one file each; what is there is not run again
    quick: bool = False
    data_sets: tuple[str, ...] = ("a9a", "w8a", "covtype", "ijcnn1")
    epochs: int = 100  # of figure 1
    seeds: int = 5
    mus: tuple[str, ...] = ("1e-4", "1e-2", "1/n")  # of the tuned methods; the first is drawn
    tuned_epochs: int = 100
    tuned_seeds: int = 5
    grid_stride: int = 1  # every so many values of the grids
    steps: int = 100_000  # of the counterexample to Corollary 1
    problems: int = 300  # random ones, for the theorems
    worst_cases: int = 6  # steps of the semidefinite programs
    time_limit: float | None = None  # seconds of training networks; what is unfinished then is continued another time


def make_budget(runs: Path, quick: bool, time_limit: float | None = None) -> Budget:
    """The full budget, or what fits into a minute on two cores."""
    if not quick:
        return Budget(runs, time_limit=time_limit)
    return Budget(
        runs,
        True,
        time_limit=time_limit,
        data_sets=("a9a",),
        epochs=30,
        mus=("1e-4",),
        tuned_epochs=5,
        tuned_seeds=2,
        grid_stride=2,
        steps=10_000,
        problems=60,
        worst_cases=3,
    )
