"""Does the certificate hold, and how tight is it? 200 problems (losses, balls, sample weights, alphas), six solvers.

    python benchmarks/linear/certificate.py

The truth is the distance to the best objective that any fit of the problem finds, the default solver at tol=1e-12 among them. A
gap below it would be a false proof. Markdown on stdout: how often that happened, and the median of gap / truth where the truth
is above 1e-10.
"""

import warnings

import numpy as np

from cesaro import DualAveragingClassifier, DualAveragingRegressor
from cesaro.linear.solvers.settings import SOLVERS
from cesaro.losses import CLASSIFICATION, REGRESSION

PROBLEMS = 200
EPOCHS = 30


def problem(seed):
    """The class of the estimator, its settings, and rows, targets and weights."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(30, 300)), int(rng.integers(2, 20))
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < rng.uniform(0.3, 1.0))
    score = X @ rng.normal(size=d) + rng.normal(size=n)
    classify = seed % 2 == 0
    losses = list(CLASSIFICATION if classify else REGRESSION)
    settings = {
        "loss": losses[seed // 2 % len(losses)],
        "alpha": float(10.0 ** rng.uniform(-4, 0)),
        "radius": float(rng.uniform(0.1, 1.0)) if rng.random() < 0.3 else None,
        "fit_intercept": bool(rng.random() < 0.5),
        "random_state": seed,
    }
    v = rng.integers(1, 4, n).astype(float) if rng.random() < 0.5 else None
    return (
        DualAveragingClassifier if classify else DualAveragingRegressor,
        settings,
        (X, score > 0 if classify else score, v),
    )


def main():
    warnings.simplefilter("ignore")
    false, ratios = dict.fromkeys(SOLVERS, 0), {solver: [] for solver in SOLVERS}
    for seed in range(PROBLEMS):
        kind, settings, data = problem(seed)
        fits = {solver: kind(solver=solver, max_iter=EPOCHS, tol=0, **settings).fit(*data) for solver in SOLVERS}
        best = kind(tol=1e-12, max_iter=5000, **settings).fit(*data)
        least = min(fit.objective_ for fit in (*fits.values(), best))
        for solver, fit in fits.items():
            truth = fit.objective_ - least
            false[solver] += fit.dual_gap_ < truth
            if truth > 1e-10:
                ratios[solver].append(fit.dual_gap_ / truth)
    print(f"{PROBLEMS} problems, {EPOCHS} epochs\n")
    print("| solver | gaps below the truth | median gap / truth | of how many |\n|---|---|---|---|")
    for solver, found in ratios.items():
        print(f"| {solver} | {false[solver]} | {np.median(found):.2f} | {len(found)} |")


if __name__ == "__main__":
    main()
