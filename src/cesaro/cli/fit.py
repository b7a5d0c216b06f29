"""cesaro fit: a model, how close to the optimum it provably is, and how well it does."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from cesaro.cli import options, output
from cesaro.cli.errors import EXIT_INTERRUPTED, CLIError, check_output_path, handle_errors, record_interrupts
from cesaro.cli.progress import ProgressBar, progress_bar

ModelFile = Annotated[
    Path | None, typer.Option("--model", metavar="FILE", help="Save the model here, for `cesaro predict`.")
]
Alpha = Annotated[
    Any,
    typer.Option(
        "--alpha",
        parser=options.alpha_or_auto,
        metavar="auto|NUMBER",
        help="Strength of the regularisation; auto: chosen by cross-validation.",
    ),
]
Checkpoint = Annotated[
    Path | None, typer.Option("--checkpoint", metavar="FOLDER", help="Save the state of the fit here as it runs.")
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on from --checkpoint, to the same bits; a finished fit to a tighter --tol.")
]


@handle_errors
@options.takes_solving
def fit_command(
    data: options.Data,
    test: options.Test = None,
    model: ModelFile = None,
    alpha: Alpha = "1e-4",
    solver: options.SolverOption = options.SolverName.anchored,
    solving: options.Solving = options.SOLVING,
    checkpoint: Checkpoint = None,
    resume: Resume = False,
    label: options.Label = "label",
    memory: options.Memory = 1e9,
    json: options.Json = False,
) -> None:
    """Fit a linear model to DATA and prove how close to the optimum it is."""
    check_output_path(model)
    resumed = _check_checkpoint(checkpoint, resume, alpha)
    with progress_bar() as bar:
        bar.start("loading")
        from cesaro.cli import estimator

        started = time.perf_counter()
        source = _open_source(data, test, memory, alpha, bar, label)
        reading = time.perf_counter() - started
        source.check_labels(regression=estimator.score_name(solving.loss) == "r2")
        fitted = estimator.make_estimator(
            solving.loss, alpha, solver=solver.value, checkpoint=checkpoint, **solving.parameters()
        )
        fitting, interrupted = _fit_source(source, fitted, alpha is None, bar)
        if model is not None:
            import cesaro

            cesaro.save(fitted, model)
        bar.start("measuring")
        result = source.data_fields(solving.loss)
        result |= {"loss": solving.loss, "solver": solver.value, "tol": solving.tol, "seed": solving.seed}
        result |= {"alpha": getattr(fitted, "alpha_", alpha), "alpha_searched": alpha is None}
        result |= estimator.certificate_fields(fitted) | {"interrupted": interrupted} | source.score_fields(fitted)
        result |= {"read_seconds": reading, "fit_seconds": fitting, "model": None if model is None else str(model)}
        result |= {"checkpoint": checkpoint, "resumed": resumed}
    if json:
        output.print_json(result)
    else:
        _print_result(result)
    _print_notes(result)
    if not json:
        output.print_done(result, result["fit_seconds"])
    if interrupted:
        raise typer.Exit(EXIT_INTERRUPTED)


def _open_source(data: str, test: str | None, memory: float, alpha: float | None, bar: ProgressBar, label: str) -> Any:
    """The rows in memory, or a file that is too large for that."""
    from cesaro.cli import reading, sources

    if sources.is_large(data):
        _check_search(data, alpha)
        return sources.OutOfCoreSource(data, test, memory, bar, label)
    return sources.InMemorySource(*reading.read_with_test(data, test, bar, label))


def _fit_source(source: Any, fitted: Any, search: bool, bar: ProgressBar) -> tuple[float, bool]:
    """Fit; the seconds it took, without loading kernels, and whether Ctrl-C ended it."""
    from cesaro.cli import estimator

    if not search:
        bar.start("preparing")
        estimator.warm_up_kernels(fitted.loss, fitted.solver)
    with bar.follow_fits("searching alpha" if search else "fitting"), record_interrupts() as interrupted:
        seconds = source.fit(fitted)
    return seconds, bool(interrupted)


def _check_search(data: str, alpha: float | None) -> None:
    """Refuse a search for alpha, which needs the rows in memory."""
    if alpha is None:
        raise CLIError(
            f"{data} is too large to search alpha on",
            "find alpha with `cesaro cv` on some of its rows; then --alpha NUMBER.",
        )


def _check_checkpoint(checkpoint: Path | None, resume: bool, alpha: float | None) -> bool:
    """Whether there is something to go on from; only where that was asked for, and nowhere else."""
    if checkpoint is None and resume:
        raise CLIError(
            "--resume needs the folder to go on from", "add --checkpoint FOLDER, the one of the earlier run."
        )
    if checkpoint is not None and alpha is None:
        raise CLIError(
            "a search for alpha has no checkpoints", "find alpha with `cesaro cv`, then fit with --alpha NUMBER."
        )
    found = checkpoint is not None and any(checkpoint.glob("*.checkpoint"))
    if found and not resume:
        raise CLIError(
            f"{checkpoint} has the checkpoint of an earlier run",
            "add --resume to go on from it, or name another folder to begin anew.",
        )
    if resume and not found:
        output.print_note(f"{checkpoint} has no checkpoint yet: the fit begins anew.")
    return found


def _print_result(result: dict[str, Any]) -> None:
    output.print_title(
        result["data"],
        f"{output.pluralize(result['rows'], 'row')}, {result['features']:,} features{output.describe_classes(result)}",
    )
    epochs = output.pluralize(result["epochs"], "epoch")
    fitting, reading = (output.format_seconds(result[key]) for key in ("fit_seconds", "read_seconds"))
    output.print_facts(
        [
            ("model", f"{result['loss']}, {output.describe_alpha(result)}, solver {result['solver']}"),
            *output.certificate_rows(result),
            *output.score_rows(result),
            ("time", f"{fitting} for {epochs}, {reading} to read"),
            ("saved in", result["model"] or "nowhere: --model FILE saves it for cesaro predict"),
        ]
    )


def _print_notes(result: dict[str, Any]) -> None:
    """What did not go as asked."""
    import numpy as np

    gaps = np.atleast_1d(result["relative_gap"])
    worst, unproved = float(gaps.max()), np.count_nonzero(gaps > result["tol"])
    of_classes = f" by {unproved} of {len(gaps)} models" if len(gaps) > 1 else ""
    if result["interrupted"]:
        where = f"and is in {result['model']}" if result["model"] else "but was not saved: give --model FILE"
        output.print_note(f"interrupted. The model at hand is usable {where}; its proved relative gap is {worst:.1e}.")
    elif result["tol"] > 0.0 and not result["converged"]:
        output.print_note(
            f"the tolerance was not reached{of_classes}: the proved relative gap is {worst:.1e}, asked for {result['tol']:g}. "
            + ("More --max-iter" if result["solver"] == "anchored" else "--solver anchored, more --max-iter")
            + " or --time-limit, or a larger --tol helps."
        )
