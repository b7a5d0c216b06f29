"""cesaro fit: a model, how close to the optimum it provably is, and how well it does."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from cesaro.cli import options, output
from cesaro.cli.errors import INTERRUPTED, Trouble, check_place, ends_well, remembering_interrupts
from cesaro.cli.progress import bars

ModelFile = Annotated[
    Path | None, typer.Option("--model", metavar="FILE", help="Keep the model here, for `cesaro predict`.")
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
    Path | None, typer.Option("--checkpoint", metavar="FOLDER", help="Keep the state of the fit here as it runs.")
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on from --checkpoint: the result has the same bits as without the break.")
]


@ends_well
def fit(
    data: options.Data,
    test: options.Test = None,
    model: ModelFile = None,
    alpha: Alpha = "1e-4",
    loss: options.LossOption = options.Loss.hinge,
    solver: options.SolverOption = options.Solver.anchored,
    tol: options.Tol = 1e-3,
    max_iter: options.MaxIter = 1000,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = 0,
    checkpoint: Checkpoint = None,
    resume: Resume = False,
    no_intercept: options.NoIntercept = False,
    memory: options.Memory = 1e9,
    json: options.Json = False,
) -> None:
    """Fit a linear model to DATA and prove how close to the optimum it is."""
    check_place(model)
    resumed = _check_checkpoint(checkpoint, resume, alpha)
    with bars() as bar:
        bar.doing("loading")
        from cesaro.cli import estimator, large, sources

        begun = time.perf_counter()
        if large.is_large(data):
            _check_search(data, alpha)
            source: Any = large.LargeFile(data, test, memory, bar)
        else:
            source = estimator.InMemory(sources.read_both(data, test, bar))
        reading = time.perf_counter() - begun
        sources.check_task(source.y, estimator.score_name(loss) == "r2")
        fitted = estimator.make(
            loss,
            alpha,
            solver=solver.value,
            tol=tol,
            max_iter=max_iter,
            time_limit=time_limit,
            random_state=seed,
            fit_intercept=not no_intercept,
            checkpoint=checkpoint,
        )
        if alpha is not None:
            bar.doing("preparing")
            estimator.prepare(loss, solver)
        with bar.fitting("searching alpha" if alpha is None else "fitting"), remembering_interrupts() as interrupted:
            fitting = source.fit(fitted)
        if model is not None:
            import cesaro

            cesaro.save(fitted, model)
        bar.doing("measuring")
        answer = source.description(loss)
        answer |= {"loss": loss.value, "solver": solver.value, "tol": tol, "seed": seed}
        answer |= {"alpha": getattr(fitted, "alpha_", alpha), "alpha_searched": alpha is None}
        answer |= estimator.proof(fitted) | {"interrupted": bool(interrupted)} | source.scores(fitted)
        answer |= {"read_seconds": reading, "fit_seconds": fitting, "model": None if model is None else str(model)}
        answer |= {"checkpoint": checkpoint, "resumed": resumed}
    if json:
        output.as_json(answer)
    else:
        _print(answer)
    _remark(answer)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _check_search(data: str, alpha: float | None) -> None:
    if alpha is None:
        raise Trouble(
            f"{data} is too large to search alpha on",
            "find alpha with `cesaro cv` on some of its rows; then --alpha NUMBER.",
        )


def _check_checkpoint(checkpoint: Path | None, resume: bool, alpha: float | None) -> bool:
    """Whether there is something to go on from; only where that was asked for, and nowhere else."""
    if checkpoint is None and resume:
        raise Trouble("--resume needs the folder to go on from", "add --checkpoint FOLDER, the one of the earlier run.")
    if checkpoint is not None and alpha is None:
        raise Trouble(
            "a search for alpha has no checkpoints", "find alpha with `cesaro cv`, then fit with --alpha NUMBER."
        )
    found = checkpoint is not None and any(checkpoint.glob("*.checkpoint"))
    if found and not resume:
        raise Trouble(
            f"{checkpoint} has the checkpoint of an earlier run",
            "add --resume to go on from it, or name another folder to begin anew.",
        )
    if resume and not found:
        output.note(f"{checkpoint} has no checkpoint yet: the fit begins anew.")
    return found


def _print(answer: dict) -> None:
    from cesaro.cli.words import alpha_words, class_words, proof_rows, score_rows

    output.title(
        answer["data"], f"{output.count(answer['rows'], 'row')}, {answer['features']:,} features{class_words(answer)}"
    )
    epochs = output.count(answer["epochs"], "epoch")
    output.facts(
        [
            ("model", f"{answer['loss']}, {alpha_words(answer)}, solver {answer['solver']}"),
            *proof_rows(answer),
            *score_rows(answer),
            (
                "time",
                f"{output.seconds(answer['fit_seconds'])} for {epochs}, {output.seconds(answer['read_seconds'])} to read",
            ),
            ("kept in", answer["model"] or "nowhere: --model FILE keeps it for cesaro predict"),
        ]
    )


def _remark(answer: dict) -> None:
    """What did not go as asked."""
    import numpy as np

    worst = float(np.max(answer["relative_gap"]))
    if answer["interrupted"]:
        kept = f"and is in {answer['model']}" if answer["model"] else "but was not kept: give --model FILE"
        output.note(f"interrupted. The model at hand is usable {kept}; its proved relative gap is {worst:.1e}.")
    elif answer["tol"] > 0.0 and not answer["converged"]:
        output.note(
            f"the tolerance was not reached: the proved relative gap is {worst:.1e}, asked for {answer['tol']:g}. "
            + ("More --max-iter" if answer["solver"] == "anchored" else "--solver anchored, more --max-iter")
            + " or --time-limit, or a larger --tol helps."
        )
