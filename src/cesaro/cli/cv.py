"""cesaro cv: which alpha predicts best, all of them in one search."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from cesaro.cli import options, output
from cesaro.cli.errors import EXIT_INTERRUPTED, CLIError, check_output_path, handle_errors, record_interrupts
from cesaro.cli.progress import progress_bar

Alphas = Annotated[int, typer.Option("--alphas", min=1, metavar="N", help="So many values, from 0.1 down to 1/(10 n).")]
Folds = Annotated[int, typer.Option("--folds", min=2, metavar="K", help="Parts that are held out in turn.")]

Plot = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Draw the curve of scores: a .png, .svg or .pdf file.")
]
PICTURES = (".png", ".svg", ".pdf", ".jpg")


@handle_errors
@options.takes_solving
def cv_command(
    data: options.Data,
    test: options.Test = None,
    alphas: Alphas = 16,
    folds: Folds = 5,
    solver: options.SolverOption = options.SolverName.anchored,
    solving: options.Solving = options.SOLVING,
    label: options.Label = "label",
    plot: Plot = None,
    json: options.Json = False,
) -> None:
    """Cross-validate the strength of the regularisation on DATA."""
    check_picture(plot)
    with progress_bar() as bar:
        bar.start("loading")
        from cesaro.cli import estimator, reading, sources

        rows = reading.read_with_test(data, test, bar, label).data
        sources.InMemorySource(rows).check_labels(estimator.score_name(solving.loss) == "r2")
        fitted = estimator.make_estimator(
            solving.loss, None, alphas=alphas, cv=folds, solver=solver.value, **solving.parameters()
        )
        with bar.follow_fits("searching alpha"), record_interrupts() as interrupted:
            seconds = estimator.timed_fit(fitted, rows.X, rows.y)
        result = estimator.dataset_fields(rows, solving.loss)
        result |= {
            "loss": solving.loss,
            "solver": solver.value,
            "tol": solving.tol,
            "seed": solving.seed,
            "folds": folds,
        }
        result |= {"score": estimator.score_name(solving.loss), "alphas": fitted.alphas_}
        result |= {
            "mean_score": fitted.cv_results_["mean_test_score"],
            "std_score": fitted.cv_results_["std_test_score"],
        }
        result |= {"alpha": fitted.alpha_, "alpha_searched": True, "best_score": fitted.best_score_}
        result |= (
            estimator.certificate_fields(fitted)
            | {"interrupted": bool(interrupted)}
            | estimator.score_fields(fitted, rows)
        )
        result |= {"seconds": seconds} | ({} if plot is None else {"plot": plot})
        if plot is not None:
            draw_curve(result, plot)
    if json:
        output.print_json(result)
    else:
        _print_result(result)
    if interrupted:
        output.print_note("interrupted: the scores are those of one epoch.")
        raise typer.Exit(EXIT_INTERRUPTED)
    if not json:
        output.print_done(result, seconds)


def check_picture(path: Path | None) -> None:
    """Refuse a picture that cannot be drawn before the work, not after it."""
    check_output_path(path)
    if path is not None and path.suffix.lower() not in PICTURES:
        raise CLIError(f"{path} is not a picture", f"its name must end in one of {', '.join(PICTURES)}.")
    if path is not None and find_spec("matplotlib") is None:
        raise CLIError("--plot needs matplotlib", "pip install 'cesaro[report]'")


def draw_curve(result: dict[str, Any], path: Path) -> None:
    """The mean score of every alpha, with its standard error over the folds."""
    import numpy as np
    from matplotlib.figure import Figure

    alphas, mean = np.asarray(result["alphas"]), np.asarray(result["mean_score"])
    error = np.asarray(result["std_score"]) / np.sqrt(result["folds"])
    figure = Figure(figsize=(7, 4.2), layout="constrained", dpi=150)
    ax = figure.subplots()
    ax.fill_between(alphas, mean - error, mean + error, alpha=0.2, lw=0, color="#0072B2", label="standard error")
    ax.plot(alphas, mean, "o-", color="#0072B2", label=f"mean {result['score']} of {result['folds']} folds")
    ax.axvline(result["alpha"], color="#D55E00", ls="--", label=f"best: {result['alpha']:.2g}")
    ax.set(xscale="log", xlabel="alpha", ylabel=result["score"], title=f"{result['data']}, {result['loss']}")
    ax.legend()
    ax.grid(color="#e2e5ea")
    figure.savefig(path)


def _print_result(result: dict[str, Any]) -> None:
    from rich.text import Text

    unit, digits, name = (100.0, 2, "accuracy %") if result["score"] == "accuracy" else (1.0, 4, "R²")
    table = output.make_table("alpha", name, "± folds")
    table.add_column("")
    low, high = min(result["mean_score"]), max(result["mean_score"])
    for alpha, mean, spread in zip(result["alphas"], result["mean_score"], result["std_score"], strict=True):
        best = alpha == result["alpha"]
        offset = " " * round(36 * (mean - low) / (high - low) if high > low else 0)
        table.add_row(
            f"{alpha:.2e}",
            f"{unit * mean:.{digits}f}",
            f"{unit * spread:.{digits}f}",
            Text.assemble(offset, ("● best", "bold green") if best else ("●", "dim")),
            style="bold" if best else "",
        )
    output.print_title(
        result["data"],
        f"{output.pluralize(result['rows'], 'row')}, {len(result['alphas'])} values of alpha × {result['folds']} folds, "
        f"{result['loss']}, {output.format_seconds(result['seconds'])}",
    )
    output.print_renderable(table)
    output.print_title("refitted", f"to all rows with alpha {result['alpha']:.2e}")
    output.print_facts([*output.certificate_rows(result), *output.score_rows(result)])
