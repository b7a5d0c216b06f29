"""Logistic and squared losses: CPU time to relative suboptimality 1e-3 and 1e-6, against scikit-learn's solvers.

    python benchmarks/linear/other_losses.py a9a w8a          # Markdown on stdout, one process per cell

Whole fits without intercept, one thread, stopped by the best max_iter known in advance (Ridge and newton-cholesky: whatever
they take); the squared loss regresses the labels. Reported whatever it shows.
"""

import argparse
import json
import sys
import warnings

from cells import FILES, in_own_process, load, race, shown

ACCURACIES = (1e-3, 1e-6)
COLUMNS = {
    "log_loss": ("cesaro", "lbfgs", "newton-cholesky", "saga"),
    "squared_error": ("cesaro", "Ridge cholesky", "Ridge sparse_cg", "Ridge sag"),
}


def families(mu, n):
    """loss -> name -> max_iter -> an unfitted estimator."""
    from sklearn.linear_model import LogisticRegression, Ridge

    from cesaro import DualAveragingClassifier, DualAveragingRegressor

    ours = {"alpha": mu, "tol": 0.0, "fit_intercept": False, "random_state": 0}

    def logistic(solver):
        return lambda k: LogisticRegression(
            C=1 / (mu * n), solver=solver, tol=1e-12, fit_intercept=False, max_iter=k, random_state=0
        )

    def ridge(solver):
        return lambda k: Ridge(alpha=mu * n, solver=solver, tol=1e-12, fit_intercept=False, max_iter=k, random_state=0)

    return {
        "log_loss": {
            "cesaro": lambda k: DualAveragingClassifier("log_loss", max_iter=k, **ours),
            "lbfgs": logistic("lbfgs"),
            "newton-cholesky": logistic("newton-cholesky"),
            "saga": logistic("saga"),
        },
        "squared_error": {
            "cesaro": lambda k: DualAveragingRegressor(max_iter=k, **ours),
            "Ridge cholesky": lambda k: Ridge(alpha=mu * n, solver="cholesky", fit_intercept=False),
            "Ridge sparse_cg": ridge("sparse_cg"),
            "Ridge sag": ridge("sag"),
        },
    }


def cell(name, which):
    """{loss: {solver: [ms per accuracy]}}."""
    from cesaro import losses

    warnings.simplefilter("ignore")
    X, y = load(name)
    n = len(y)
    mu = (1e-2, 1e-4, 1.0 / n)[which]
    table = {}
    for loss, family in families(mu, n).items():
        phi = losses.ALL[loss]()

        def objective(w, phi=phi):
            return mu / 2 * w @ w + phi.value(X @ w, y).mean()

        exact = family["newton-cholesky" if loss == "log_loss" else "Ridge cholesky"](200).fit(X, y)
        best = objective(exact.coef_.ravel())
        peers = [solver for solver in family if solver != "cesaro"]
        table[loss] = race(family, peers, X, y, objective, [best * (1 + accuracy) for accuracy in ACCURACIES])
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(FILES))
    parser.add_argument("--cell", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.cell:
        return print(json.dumps(cell(asked.cell[0], int(asked.cell[1]))))
    results = {}
    for name in asked.names:
        for which, mu in enumerate(("1e-2", "1e-4", "1/n")):
            results[name, mu] = in_own_process(__file__, name, which)
            print(f"{name} {mu} done", file=sys.stderr)
    for loss, solvers in COLUMNS.items():
        print(f"\n`{loss}`: CPU ms to relative suboptimality 1e-3 and 1e-6 (–: not within three times the fastest).\n")
        print("| data | mu | " + " | ".join(solvers) + " |\n" + "|---" * (len(solvers) + 2) + "|")
        for (name, mu), table in results.items():
            print(f"| {name} | {mu} | " + " | ".join(shown(table[loss][solver]) for solver in solvers) + " |")


if __name__ == "__main__":
    main()
