"""cesaro compare: the solvers side by side on one problem."""

from typing import Annotated, Any

import typer

from cesaro.cli import options, output
from cesaro.cli.errors import CLIError, handle_errors, record_interrupts
from cesaro.cli.progress import progress_bar

ALL_SOLVERS = ",".join(solver.value for solver in options.SolverName)
Solvers = Annotated[str, typer.Option("--solvers", metavar="A,B,C", help="Which, in this order.")]
Alpha = Annotated[
    float,
    typer.Option("--alpha", parser=options.positive_number, metavar="NUMBER", help="Strength of the regularisation."),
]
FEW_EPOCHS = options.Solving(max_iter=100)


@handle_errors
@options.takes_solving
def compare_command(
    data: options.Data,
    solvers: Solvers = ALL_SOLVERS,
    test: options.Test = None,
    alpha: Alpha = 1e-4,
    solving: options.Solving = FEW_EPOCHS,
    label: options.Label = "label",
    json: options.Json = False,
) -> None:
    """Fit DATA with several solvers: objective, proved gap, epochs, seconds, accuracy. The intercept bears the penalty."""
    names, loss = _solver_names(solvers), solving.loss
    with progress_bar() as bar:
        bar.start("loading")
        from cesaro.cli import estimator, reading, sources

        rows = reading.read_with_test(data, test, bar, label).data
        sources.InMemorySource(rows).check_labels(regression=estimator.score_name(loss) == "r2")
        results = []
        for name in names:
            bar.start(f"preparing {name}")
            estimator.warm_up_kernels(loss, name)
            same = solving.parameters() | {
                "penalize_intercept": True
            }  # as the paper's solvers do, so that all solve one problem
            fitted = estimator.make_estimator(loss, alpha, solver=name, **same)
            with bar.follow_fits(name), record_interrupts() as interrupted:
                seconds = estimator.timed_fit(fitted, rows.X, rows.y)
            if interrupted:  # a solver that was cut short does not compare
                raise KeyboardInterrupt
            row = {"solver": name} | estimator.certificate_fields(fitted) | estimator.score_fields(fitted, rows)
            results.append(row | {"seconds": seconds})
        result = estimator.dataset_fields(rows, loss)
        result |= {"loss": loss, "alpha": alpha, "tol": solving.tol, "max_iter": solving.max_iter, "seed": solving.seed}
        result |= {"results": _with_distance(results)}
    if json:
        output.print_json(result)
    else:
        _print_result(result)


def _solver_names(solvers: str) -> list[str]:
    known = [solver.value for solver in options.SolverName]
    names = [name.strip() for name in solvers.split(",") if name.strip()]
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise CLIError(
            f"--solvers {solvers}: {unknown[0] if unknown else 'nothing'} is not a solver",
            f"there are {', '.join(known)}.",
        )
    return list(dict.fromkeys(names))


def _with_distance(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every result with its distance to the best lower bound that any of them has proved: it holds for all."""
    import numpy as np

    best = np.max([row["lower_bound"] for row in results], axis=0)
    return [row | {"above_optimum_at_most": np.subtract(row["objective"], best)} for row in results]


def _print_result(result: dict[str, Any]) -> None:
    import numpy as np

    first = result["results"][0]
    key, unit = ("accuracy", " %") if "train_accuracy" in first else ("r2", " R²")
    parts = [part for part in ("train", "test") if f"{part}_{key}" in first]
    heads = ("solver", "objective", "proved gap", "true gap ≤", "epochs", "seconds", *(part + unit for part in parts))
    table = output.make_table(*heads)
    least = min(np.mean(row["objective"]) for row in result["results"])

    def worst(value: Any) -> str:
        largest = float(np.max(value))
        return f"{max(largest, 0.0):.1e}" if np.isfinite(largest) else "none"

    for row in result["results"]:
        scores = [row[f"{part}_{key}"] for part in parts]
        table.add_row(
            row["solver"],
            f"{np.mean(row['objective']):#.7g}",
            f"{worst(row['gap'])} {'✓' if row['converged'] else ' '}",
            worst(row["above_optimum_at_most"]),
            f"{row['epochs']}",
            f"{row['seconds']:.3f}",
            *(f"{100 * score:.2f}" if key == "accuracy" else f"{score:.4f}" for score in scores),
            style="bold" if np.mean(row["objective"]) == least else "",
        )
    output.print_title(
        result["data"],
        f"{output.pluralize(result['rows'], 'row')}, {result['features']:,} features, {result['loss']}, "
        f"alpha {result['alpha']:.3g}, at most {output.pluralize(result['max_iter'], 'epoch')}",
    )
    output.print_renderable(table)
    remarks = [
        f"✓ a relative gap of {result['tol']:g}, proved by the solver itself; true gap: by the best bound of all."
    ]
    if np.ndim(first["objective"]) > 0:
        remarks.append("Objectives are means over the one-vs-rest models, gaps the worst of them.")
    if "test" in parts:
        remarks.append(f"Test: {output.pluralize(first['test_rows'], 'row')}, {first['test_note']}.")
    for remark in remarks:
        output.print_title("", remark)
