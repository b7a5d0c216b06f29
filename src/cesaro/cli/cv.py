"""cesaro cv: which alpha predicts best, all of them in one search."""

from typing import Annotated

import typer

from cesaro.cli import options, output
from cesaro.cli.errors import INTERRUPTED, ends_well, remembering_interrupts
from cesaro.cli.progress import bars

Alphas = Annotated[int, typer.Option("--alphas", min=1, metavar="N", help="So many values, from 0.1 down to 1/(10 n).")]
Folds = Annotated[int, typer.Option("--folds", min=2, metavar="K", help="Parts that are held out in turn.")]


@ends_well
def cv(
    data: options.Data,
    test: options.Test = None,
    alphas: Alphas = 16,
    folds: Folds = 5,
    loss: options.LossOption = options.Loss.hinge,
    solver: options.SolverOption = options.Solver.anchored,
    tol: options.Tol = 1e-3,
    max_iter: options.MaxIter = 1000,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = 0,
    no_intercept: options.NoIntercept = False,
    json: options.Json = False,
) -> None:
    """Cross-validate the strength of the regularisation on DATA."""
    with bars() as bar:
        bar.doing("loading")
        from cesaro.cli import estimator, sources

        rows = sources.read_both(data, test, bar)
        sources.check_task(rows.y, estimator.score_name(loss) == "r2")
        fitted = estimator.make(
            loss,
            None,
            alphas=alphas,
            cv=folds,
            solver=solver.value,
            tol=tol,
            max_iter=max_iter,
            time_limit=time_limit,
            random_state=seed,
            fit_intercept=not no_intercept,
        )
        with bar.fitting("searching alpha"), remembering_interrupts() as interrupted:
            seconds = estimator.timed_fit(fitted, rows.X, rows.y)
        answer = estimator.description(rows, loss)
        answer |= {"loss": loss.value, "solver": solver.value, "tol": tol, "seed": seed, "folds": folds}
        answer |= {"score": estimator.score_name(loss), "alphas": fitted.alphas_}
        answer |= {
            "mean_score": fitted.cv_results_["mean_test_score"],
            "std_score": fitted.cv_results_["std_test_score"],
        }
        answer |= {"alpha": fitted.alpha_, "alpha_searched": True, "best_score": fitted.best_score_}
        answer |= estimator.proof(fitted) | {"interrupted": bool(interrupted)} | estimator.scores(fitted, rows)
        answer |= {"seconds": seconds}
    if json:
        output.as_json(answer)
    else:
        _print(answer)
    if interrupted:
        output.note("interrupted: the scores are those of one pass over the rows.")
        raise typer.Exit(INTERRUPTED)


def _print(answer: dict) -> None:
    from rich.text import Text

    from cesaro.cli.words import proof_rows, score_rows

    unit, digits, name = (100.0, 2, "accuracy %") if answer["score"] == "accuracy" else (1.0, 4, "R²")
    table = output.table("alpha", name, "± folds")
    table.add_column("")
    low, high = min(answer["mean_score"]), max(answer["mean_score"])
    for alpha, mean, spread in zip(answer["alphas"], answer["mean_score"], answer["std_score"], strict=True):
        best = alpha == answer["alpha"]
        place = " " * round(36 * (mean - low) / (high - low) if high > low else 0)
        table.add_row(
            f"{alpha:.2e}",
            f"{unit * mean:.{digits}f}",
            f"{unit * spread:.{digits}f}",
            Text.assemble(place, ("● best", "bold green") if best else ("●", "dim")),
            style="bold" if best else "",
        )
    output.title(
        answer["data"],
        f"{output.count(answer['rows'], 'row')}, {len(answer['alphas'])} values of alpha × {answer['folds']} folds, "
        f"{answer['loss']}, {output.seconds(answer['seconds'])}",
    )
    output.show(table)
    output.title("refitted", f"to all rows with alpha {answer['alpha']:.2e}")
    output.facts([*proof_rows(answer), *score_rows(answer)])
