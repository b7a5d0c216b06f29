"""cesaro compare: the solvers side by side on one problem."""

from typing import Annotated, Any

import typer

from cesaro.cli import options, screen
from cesaro.cli.ending import Trouble, ends_well
from cesaro.cli.progress import bars

ALL = ",".join(solver.value for solver in options.Solver)
Solvers = Annotated[str, typer.Option("--solvers", metavar="A,B,C", help="Which, in this order.")]
Alpha = Annotated[
    float, typer.Option("--alpha", parser=options.positive, metavar="NUMBER", help="Strength of the regularisation.")
]


@ends_well
def compare(
    data: options.Data,
    solvers: Solvers = ALL,
    test: options.Test = None,
    alpha: Alpha = 1e-4,
    loss: options.LossOption = options.Loss.hinge,
    tol: options.Tol = 1e-3,
    max_iter: options.MaxIter = 100,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = 0,
    no_intercept: options.NoIntercept = False,
    json: options.Json = False,
) -> None:
    """Fit DATA with several solvers: objective, proved gap, epochs, seconds, accuracy."""
    names = _names(solvers)
    with bars() as bar:
        bar.doing("loading")
        from cesaro.cli import estimator, sources

        rows = sources.read_both(data, test, bar)
        sources.check_task(rows.y, estimator.score_name(loss) == "r2")
        settings = {"tol": tol, "time_limit": time_limit, "random_state": seed, "fit_intercept": not no_intercept}
        results = []
        for name in names:
            bar.doing(f"preparing {name}")
            estimator.prepare(loss, name)
            fitted = estimator.make(loss, alpha, solver=name, max_iter=max_iter, **settings)
            with bar.fitting(name):
                seconds = estimator.timed_fit(fitted, rows.X, rows.y)
            row = {"solver": name} | estimator.proof(fitted) | estimator.scores(fitted, rows)
            results.append(row | {"seconds": seconds})
        answer = estimator.description(rows, loss)
        answer |= {"loss": loss.value, "alpha": alpha, "tol": tol, "max_iter": max_iter, "seed": seed}
        answer |= {"results": _with_distance(results)}
    if json:
        screen.as_json(answer)
    else:
        _print(answer, rows.test_note)


def _names(solvers: str) -> list[str]:
    known = [solver.value for solver in options.Solver]
    names = [name.strip() for name in solvers.split(",") if name.strip()]
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise Trouble(
            f"--solvers {solvers}: {unknown[0] if unknown else 'nothing'} is not a solver",
            f"there are {', '.join(known)}.",
        )
    return list(dict.fromkeys(names))


def _with_distance(results: list[dict]) -> list[dict]:
    """Every result with its distance to the best lower bound that any of them has proved: it holds for all."""
    import numpy as np

    best = np.max([row["lower_bound"] for row in results], axis=0)
    return [row | {"above_optimum_at_most": np.subtract(row["objective"], best)} for row in results]


def _print(answer: dict, test_note: str) -> None:
    import numpy as np
    from rich.table import Table

    key = "accuracy" if "train_accuracy" in answer["results"][0] else "r2"
    several = np.ndim(answer["results"][0]["objective"]) > 0
    tested = f"test_{key}" in answer["results"][0]
    table = Table(box=None, padding=(0, 2), header_style="cyan")
    table.add_column("solver", no_wrap=True)
    heads = ["objective", "own proof", "above optimum ≤", "epochs", "seconds", "train", *(["test"] if tested else [])]
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)
    least = min(np.mean(row["objective"]) for row in answer["results"])

    def score(value: float) -> str:
        return screen.percent(value) if key == "accuracy" else f"{value:.4f}"

    def distance(value: Any) -> str:
        worst = float(np.max(value))
        return f"{max(worst, 0.0):.1e}" if np.isfinite(worst) else "-"

    for row in answer["results"]:
        table.add_row(
            row["solver"],
            f"{np.mean(row['objective']):.7g}",
            distance(row["gap"]) + (" ✓" if row["converged"] else "  "),
            distance(row["above_optimum_at_most"]),
            f"{row['epochs']}",
            f"{row['seconds']:.3f}",
            score(row[f"train_{key}"]),
            *([score(row[f"test_{key}"])] if tested else []),
            style="bold" if np.mean(row["objective"]) == least else "",
        )
    screen.title(
        answer["data"],
        f"{screen.count(answer['rows'], 'row')}, {answer['features']:,} features, {answer['loss']}, "
        f"alpha {answer['alpha']:.3g}, at most {screen.count(answer['max_iter'], 'epoch')}, tol {answer['tol']:g}"
        + (f", test rows: {test_note}" if tested else ""),
    )
    screen.show(table)
    if several:
        screen.show("Objectives are means over the one-vs-rest models, gaps the worst of them.")
    screen.show(
        "✓ proved the tolerance by itself. Above optimum: by the best lower bound that any of them proved. "
        "Seconds: wall time, compiled before."
    )
