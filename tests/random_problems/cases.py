"""Random problems for the linear models: every loss, solver, penalty, ball, intercept, weights, scale and shape."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

CLASSIFICATION = ("hinge", "squared_hinge", "log_loss", "modified_huber")
REGRESSION = (
    "squared_error",
    "huber",
    "epsilon_insensitive",
    "squared_epsilon_insensitive",
    "quantile",
    "absolute_error",
)
PAPER = ("gda", "sc-pda", "pegasos", "pa-psg-sc", "sc-rda")


@dataclass
class Case:
    """What is fitted, and how."""

    X: Any
    y: np.ndarray  # labels 0, 1, ... or targets
    v: np.ndarray | None
    parameters: dict[str, Any]
    classes: int  # 0: targets
    x_unit: float = 1.0  # of X and y: what they are about as large as
    y_unit: float = 1.0
    warm: bool = False
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def dense(self) -> np.ndarray:
        """X as an array of float64."""
        sparse: bool = sp.issparse(self.X)
        return (self.X.toarray() if sparse else self.X).astype(np.float64)


def draw(seed: int) -> Case:
    """The case of a seed."""
    rng = np.random.default_rng([19, seed])
    classes = int(rng.choice([0, 2, 3, 6], p=[0.45, 0.45, 0.05, 0.05]))
    n, d = int(rng.integers(max(2, classes), 45)), int(rng.integers(1, 10))
    if rng.random() < 0.03:
        n = int(rng.integers(200, 900))  # sums of several blocks
    x_unit, y_unit = units(rng, classes)
    X = features(rng, n, d) * x_unit
    y = labels(rng, X / x_unit, classes) if classes else targets(rng, X / x_unit) * y_unit
    single = rng.random() < 0.15 and 1e-25 < x_unit < 1e25
    X = X.astype(np.float32) if single else X
    X = sp.csr_array(X) if rng.random() < 0.3 else X
    case = Case(X, y, weights(rng, y), {}, classes, x_unit, y_unit, warm=rng.random() < 0.04)
    case.parameters = parameters(rng, case)
    return case


def units(rng: np.random.Generator, classes: int) -> tuple[float, float]:
    """Sizes of X and of targets: mostly ordinary, sometimes far from it."""
    kind = rng.choice(["one", "ordinary", "far"], p=[0.5, 0.3, 0.2])
    reach = {"one": 0.0, "ordinary": 6.0, "far": 140.0}[kind]
    x, y = 10.0 ** rng.uniform(-reach, reach, 2)
    return float(x), 1.0 if classes else float(y)


def features(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Entries of size about 1: normal, whole, heavy-tailed, in equal rows, or in columns of many sizes; some are 0."""
    kind = rng.choice(["normal", "whole", "tails", "equal", "columns"], p=[0.4, 0.2, 0.1, 0.1, 0.2])
    X = rng.normal(size=(n, d))
    if kind == "whole":
        X = rng.integers(-2, 3, size=(n, d)).astype(float)
    elif kind == "tails":
        X = rng.standard_cauchy(size=(n, d))
    elif kind == "equal":
        X = X[rng.integers(0, min(n, 3), n)]
    elif kind == "columns":
        X = X * 10.0 ** rng.uniform(-4, 4, d)
    if rng.random() < 0.4:
        X = X * (rng.random((n, d)) < rng.uniform(0.1, 0.9))
    return X


def labels(rng: np.random.Generator, X: np.ndarray, classes: int) -> np.ndarray:
    """Labels that a linear model explains in part, or wholly, or not at all; each occurs."""
    scores = X @ rng.normal(size=(X.shape[1], classes)) + rng.choice([0.0, 1.0, 30.0]) * rng.normal(
        size=(len(X), classes)
    )
    y = scores.argmax(axis=1)
    y[:classes] = np.arange(classes)
    return y


def targets(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    """Targets with noise or without, perhaps far from zero."""
    y = X @ rng.normal(size=X.shape[1]) + rng.choice([0.0, 1e-6, 1.0]) * rng.normal(size=len(X))
    size = np.abs(y).max()
    y = y / size if size > 0.0 else y
    return y + rng.choice([0.0, 0.0, 1.0, 1e4]) + (rng.normal(size=len(y)) if rng.random() < 0.1 else 0.0)


def weights(rng: np.random.Generator, y: np.ndarray) -> np.ndarray | None:
    """Sample weights: none, some zero, over many decades, or so large or small that their sum is no number."""
    kind = rng.choice(["none", "plain", "decades", "whole", "huge", "tiny"], p=[0.5, 0.2, 0.1, 0.1, 0.05, 0.05])
    v = rng.uniform(0.1, 3.0, len(y))
    if kind == "none":
        return None
    if kind == "decades":
        v = 10.0 ** rng.uniform(-9, 9, len(y))
    elif kind == "whole":
        v = rng.integers(0, 4, len(y)).astype(float)
        _, first = np.unique(y, return_index=True) if len(np.unique(y)) < 10 else (0, [0])
        v[first] = 1.0
    return v * {"huge": 5e307, "tiny": 1e-310}.get(str(kind), 1.0)


def parameters(rng: np.random.Generator, case: Case) -> dict[str, Any]:
    """What the estimator is given."""
    loss = str(rng.choice(CLASSIFICATION if case.classes else REGRESSION))
    solver = str(rng.choice(["anchored", *PAPER], p=[0.6] + [0.08] * 5))
    found: dict[str, Any] = {"loss": loss, "solver": solver, "random_state": int(rng.integers(1000))}
    found["tol"] = float(rng.choice([0.0, 1e-2, 1e-3, 1e-6, 1e-10, 1e-13]))
    found["max_iter"] = int(rng.choice([1, 2, 5, 30, 150]))
    exponent = rng.uniform(-6, 2) if rng.random() < 0.9 else rng.uniform(-20, 8)
    alpha = 10.0**exponent * case.x_unit**2
    found["alpha"] = float(np.clip(alpha, 1e-145, 1e145))
    if not case.classes:
        found["epsilon"] = float(10.0 ** rng.uniform(-3, 0) * case.y_unit)
        found["quantile"] = float(rng.choice([0.5, 0.9, 0.99, 0.123]))
    intercept = str(rng.choice(["none", "penalised", "free"]))
    found["fit_intercept"] = intercept != "none"
    found["penalize_intercept"] = intercept == "penalised" or solver != "anchored"
    found["intercept_scaling"] = float(10.0 ** rng.uniform(-1, 1) * case.x_unit) if rng.random() < 0.5 else 1.0
    sparse = rng.random() < 0.25 and solver in ("anchored", "gda", "sc-rda")
    if sparse:
        found["l1_ratio"] = float(rng.choice([0.1, 0.5, 0.99]))
    if rng.random() < 0.25 and not sparse:
        found["radius"] = float(10.0 ** rng.uniform(-2, 2) * case.y_unit / case.x_unit)
    if rng.random() < 0.25:
        found["anchor"] = float(rng.choice([0.0, 1.0, 1000.0]))
    if solver != "anchored" and rng.random() < 0.2:
        found["batch_size"] = int(rng.integers(2, 9))
    if solver != "anchored" and rng.random() < 0.1:
        found["sampling"] = "replacement"
    return found
