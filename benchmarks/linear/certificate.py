"""Does the certificate hold, and how tight is it? 200 problems (losses, balls, sample weights, alphas), six solvers; and

500 wide ones (columns from half of the rows to 50 times as many, up to 12 classes, L1 too) by the default solver.

    python benchmarks/linear/certificate.py

The truth is the distance to the best objective that any fit of the problem finds, the default solver at tol=1e-12 among them. A
gap below it would be a false proof. Markdown on stdout: how often that happened, and the median of gap / truth where the truth
is above 1e-10.
"""

import warnings

import numpy as np
import scipy.sparse as sp

from cesaro import DualAveragingClassifier, DualAveragingRegressor
from cesaro.linear.solvers.settings import SOLVERS
from cesaro.losses import CLASSIFICATION, REGRESSION

PROBLEMS, WIDE = 200, 500
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


def wide_problem(seed):
    """The same with few rows and many columns, most of which a row does not have."""
    rng = np.random.default_rng(10_000 + seed)
    n = int(rng.integers(30, 400))
    d = int(n * 10.0 ** rng.uniform(np.log10(0.5), np.log10(50.0)))
    X = sp.random_array((n, d), density=min(1.0, rng.uniform(2.0, 60.0) / d), rng=rng, format="csr")
    classes = int(rng.integers(2, 13)) if seed % 2 == 0 else 1
    score = X @ rng.normal(size=(d, classes)) + 0.3 * rng.normal(size=(n, classes))
    kind, settings, (_, _, v) = problem(seed)
    if settings["radius"] is None and rng.random() < 0.3:
        settings["l1_ratio"] = float(rng.uniform(0.05, 0.9))
    v = None if v is None else rng.integers(1, 4, n).astype(float)
    return kind, settings, (X, np.argmax(score, axis=1) if classes > 1 else score[:, 0], v)


def wide_proofs():
    """How many proofs of how many were false, for a loose and the default tolerance."""
    false = {"bound above the optimum": 0, "gap not reached": 0}
    proofs = 0
    for seed in range(WIDE):
        kind, settings, data = wide_problem(seed)
        best = kind(tol=1e-10, max_iter=20_000, **settings).fit(*data)
        for tol in (1e-1, 1e-3):
            fit = kind(tol=tol, max_iter=5000, **settings).fit(*data)
            least = np.minimum(best.objective_, fit.objective_)
            false["bound above the optimum"] += int(np.sum(fit.lower_bound_ > least * (1.0 + 1e-12)))
            false["gap not reached"] += int(np.sum(fit.relative_gap_ > tol))
            proofs += np.size(fit.objective_)
    return proofs, false


def main():
    warnings.simplefilter("ignore")
    proofs, wrong = wide_proofs()
    said = ", ".join(f"{what}: {count}" for what, count in wrong.items())
    print(f"{WIDE} wide problems, {proofs} proofs by the default solver; {said}.\n")
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
