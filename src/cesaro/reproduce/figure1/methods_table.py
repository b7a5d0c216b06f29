"""The table of methods: suboptimality after 1, 3 and 10 epochs, the proved gap after 10, and the CPU seconds that these took.

scikit-learn's SGDClassifier and LinearSVC solve the same problem in the last rows; they prove nothing.
"""

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from cesaro.linear.problem.mean_loss import objective_at
from cesaro.linear.problem.problem import Problem
from cesaro.reproduce.figure1.claims import in_words, level
from cesaro.reproduce.figure1.runs import MU, TABLE, load_problem, optimum
from cesaro.reproduce.results import load_or_compute

HEADER = ("method", "setting", *(f"f - f* after {e}" for e in TABLE), f"proved gap after {TABLE[-1]}", "CPU seconds")
NAMES = {"table": "as printed", "ours, with the anchor": "with the anchor"}


def methods_table(folder: Path, curves: dict[str, Any], seeds: int) -> tuple[tuple[str, ...], ...]:
    """Of the first data set that is there: a header, then a row per method; means over the seeds."""
    if not curves:
        return ()
    name = next(iter(curves))
    rows = [table_row(m, NAMES[setting], curve) for (m, setting), curve in curves[name].items() if setting in NAMES]
    rows += [table_row(peer, "scikit-learn", peer_curve(folder, name, peer, seeds)) for peer in PEERS]
    return ((f"{HEADER[0]} on {name}", *HEADER[1:]), *rows)


def tuned_table(curves: dict[str, Any]) -> str:
    """What was chosen, and what sampling and anchor do one at a time, in words."""
    if not curves:
        return ""
    edges = [f"{m} on {name}" for name, known in curves.items() for (m, s), c in known.items() if c.get("edge")]
    words = [f" Chosen at an end of the grid: {len(edges)} of the searches."] if edges else []
    for method in ("GDA", "SC-PDA"):
        levels = {
            setting: [level(known, method, setting) / level(known, method, "as printed") for known in curves.values()]
            for setting in ("reshuffled", "anchor tuned", "anchor tuned, reshuffled")
        }
        said = ", ".join(f"{setting} {in_words(values)}" for setting, values in levels.items())
        words.append(f" f - f* of {method} over that as printed: {said}.")
    return "".join(words)


def table_row(method: str, setting: str, curve: dict[str, Any]) -> tuple[str, ...]:
    """One line of the table, in words."""
    columns = [np.flatnonzero(curve["epoch"] == epoch) for epoch in TABLE]
    gaps = tuple(f"{curve['gap'][:, at].mean():.1e}" if len(at) else "-" for at in columns)
    last = columns[-1] if len(columns[-1]) else [-1]
    proof = f"{curve['proof'].mean():.1e}" if "proof" in curve else "none"
    return (method, setting, *gaps, proof, f"{np.median(curve['seconds'][:, last]):.3f}")


def make_sgd_classifier(epochs: int, seed: int, n: int) -> Any:
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier("hinge", alpha=MU, fit_intercept=False, max_iter=epochs, tol=None, random_state=seed)


def make_linear_svc(epochs: int, seed: int, n: int) -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC(loss="hinge", C=1 / (MU * n), fit_intercept=False, max_iter=epochs, tol=1e-12, random_state=seed)


PEERS = {"SGDClassifier": make_sgd_classifier, "LinearSVC": make_linear_svc}


def peer_curve(folder: Path, name: str, peer: str, seeds: int) -> dict[str, Any]:
    """epoch, seconds and gap of a peer; every number is a fit that ends after so many epochs."""
    found = [peer_run(folder, name, peer, seed) for seed in range(seeds)]
    return {
        "epoch": np.array(TABLE),
        "seconds": np.array([run["seconds"] for run in found]),
        "gap": np.array([run["objective"] for run in found]) - optimum(folder, name)["lower_bound"],
    }


def peer_run(folder: Path, name: str, peer: str, seed: int) -> dict[str, Any]:
    def make() -> dict[str, Any]:
        p = load_problem(name)
        fits = [timed_peer_fit(p, PEERS[peer](epochs, seed, p.rows.n)) for epochs in TABLE]
        return {"seconds": [seconds for seconds, _ in fits], "objective": [value for _, value in fits]}

    path = folder / f"{name}_{peer}_scikit-learn_seed{seed}.json"
    return load_or_compute(path, {"mu": MU, "peer": peer, "seed": seed, "epochs": list(TABLE)}, make)


def timed_peer_fit(p: Problem, estimator: Any) -> tuple[float, float]:
    """Seconds, and our objective at its point."""
    rows = p.rows
    X = sp.csr_matrix((rows.data, rows.col.astype(np.int32), rows.ptr.astype(np.int32)), (rows.n, rows.d))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that so few epochs are not enough is what the table shows
        started = time.process_time()
        estimator.fit(X, p.y)
        return time.process_time() - started, objective_at(p, estimator.coef_[0])


def format_table(table: tuple[tuple[str, ...], ...]) -> str:
    """In aligned columns."""
    if not table:
        return ""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(_aligned(cell, width, k) for k, (cell, width) in enumerate(zip(cells, widths, strict=True)))
             for cells in table]  # fmt: skip
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def _aligned(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column < 2 else cell.rjust(width)
