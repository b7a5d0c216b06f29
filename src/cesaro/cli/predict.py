"""cesaro predict: labels, one a line, and whether the exact optimum gives them too."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cesaro.cli import options
from cesaro.cli import output as screen
from cesaro.cli.errors import CLIError, check_output_path, handle_errors
from cesaro.cli.progress import progress_bar

Output = Annotated[Path | None, typer.Option("--output", metavar="FILE", help="Write here instead of stdout.")]
Certified = Annotated[
    bool, typer.Option("--certified", help="A second column: 1 where the exact optimum provably gives the same label.")
]


@handle_errors
def predict_command(
    model: options.ModelPath,
    data: options.Data,
    output: Output = None,
    certified: Certified = False,
    json: options.Json = False,
) -> None:
    """Predict the labels of DATA with a saved model."""
    check_output_path(output)
    with progress_bar() as bar:
        bar.start("loading")
        import cesaro
        from cesaro.cli import estimator, sources

        fitted = cesaro.load(model)
        if certified and not hasattr(fitted, "predict_certified"):
            raise CLIError("--certified is about labels, and this model is a regression", "leave --certified out.")
        rows = sources.read_dataset(data, bar)
        X = sources.match_features(rows.X, fitted.n_features_in_, rows.name)
        bar.start("predicting")
        found, sure = fitted.predict_certified(X) if certified else (fitted.predict(X), None)
    names = [estimator.format_label(value) for value in found.tolist()]
    result: dict[str, Any] = {"data": rows.name, "model": str(model), "rows": len(names)}
    result |= {estimator.score_name(fitted.loss): _score(fitted, found, rows.y)}
    result |= {} if sure is None else {"certified_rows": int(sure.sum())}
    if output is not None:
        _write(output, _lines(names, sure))
        result["output"] = str(output)
    elif json:
        result |= {"labels": names} | ({} if sure is None else {"certified": sure})
    if json:
        screen.print_json(result)
        return
    if output is None:
        typer.echo(_lines(names, sure), nl=False)
    _print_notes(result)


def _lines(names: list[Any], sure: Any) -> str:
    """One label a line; after a tab 1 or 0 if the proof was asked for."""
    if sure is None:
        return "".join(f"{name}\n" for name in names)
    return "".join(f"{name}\t{int(proved)}\n" for name, proved in zip(names, sure, strict=True))


def _write(path: Path, text: str) -> None:
    from cesaro.storage.atomic_write import whole_file

    with whole_file(path) as file:
        file.write(text.encode("utf-8"))


def _score(fitted: Any, found: Any, y: Any) -> float | None:
    """Of the labels that the file has; None where none of them is one the model knows (a file without labels)."""
    import numpy as np
    from sklearn.metrics import accuracy_score, r2_score

    if not hasattr(fitted, "classes_"):
        return float(r2_score(y, found)) if len(y) > 1 else None
    if fitted.classes_.dtype.kind not in "biuf" or not np.isin(y, fitted.classes_).any():
        return None
    return float(accuracy_score(y, found))


def _print_notes(result: dict[str, Any]) -> None:
    """How good it was, on stderr."""
    words = []
    if result.get("accuracy") is not None:
        words.append(f"accuracy {screen.format_percent(result['accuracy'])}")
    if result.get("r2") is not None:
        words.append(f"R² {result['r2']:.4f}")
    if "certified_rows" in result:
        words.append(f"{screen.format_percent(result['certified_rows'] / result['rows'])} of the labels proved")
        if result["certified_rows"] == 0:
            words.append("a smaller --tol in cesaro fit proves more")
    if words:
        screen.print_note(f"{', '.join(words)} ({screen.pluralize(result['rows'], 'row')} of {result['data']}).")
