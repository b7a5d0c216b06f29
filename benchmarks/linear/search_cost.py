"""A search over alpha on text with many classes, beside GridSearchCV over plain fits of the same estimator.

    python benchmarks/linear/search_cost.py        # Markdown on stdout, a minute or two

CPU time with the final fit, 8 alphas, 5 folds, one thread, everything compiled beforehand. The rows are some of
`made_rows.characters`, tf-idf of the standard library's sources in 2^18 hashed columns, most of which so few rows do not have.
"""

import time
import warnings

import cells  # noqa: F401 - one thread, set before NumPy is loaded
import numpy as np
from made_rows import characters
from sklearn.model_selection import GridSearchCV

from cesaro import DualAveragingClassifier, DualAveragingClassifierCV

CASES = [(1300, 33, "hinge"), (1300, 33, "log_loss"), (2600, 58, "hinge"), (8000, 58, "hinge")]
ALPHAS = np.geomspace(1e-2, 1e-4, 8)


def some(X, y, n, classes):
    """n rows of the first so many classes."""
    where = np.random.default_rng(0).choice(np.flatnonzero(y < classes), n, replace=False)
    return X[where], y[where]


def seconds(model, X, y):
    """CPU time of a fit."""
    start = time.process_time()
    model.fit(X, y)
    return time.process_time() - start


def main():
    warnings.simplefilter("ignore")
    X, y = characters()
    print(
        "| rows, classes, loss | the search, s | by | GridSearchCV of plain fits, s | ratio | best scores |\n"
        "|---|---|---|---|---|---|"
    )
    for n, classes, loss in CASES:
        A, b = some(X, y, n, classes)
        one_by_one = DualAveragingClassifierCV(
            ALPHAS[:2], [(np.tile(np.arange(600), 2), np.arange(600, 700))], loss=loss
        )
        for warm in (DualAveragingClassifierCV(2, 2, loss=loss), one_by_one, DualAveragingClassifier(loss)):
            warm.fit(A[:700], b[:700])
        search = DualAveragingClassifierCV(ALPHAS, loss=loss, random_state=0)
        plain = GridSearchCV(DualAveragingClassifier(loss, random_state=0), {"alpha": ALPHAS})
        ours, theirs = seconds(search, A, b), seconds(plain, A, b)
        print(
            f"| {n:,}, {classes}, {loss} | {ours:.1f} | {search.search_.split(':')[0]} | {theirs:.1f} | "
            f"{ours / theirs:.2f} | {search.best_score_:.3f}, {plain.best_score_:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
