"""cesaro predict: labels, one a line, and whether the exact optimum gives them too."""

import warnings
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
Scores = Annotated[
    bool, typer.Option("--scores", help="Further columns: the score of the second of two classes, or of every class.")
]
Probabilities = Annotated[
    bool,
    typer.Option("--probabilities", help="Further columns: the probability of every class, where the loss has any."),
]


@handle_errors
def predict_command(
    model: options.ModelPath,
    data: options.Data,
    output: Output = None,
    certified: Certified = False,
    scores: Scores = False,
    probabilities: Probabilities = False,
    label: options.Label = "label",
    json: options.Json = False,
) -> None:
    """Predict the labels of DATA with a saved model."""
    stream = _stream(output)
    check_output_path(output if stream is None else None)
    with progress_bar() as bar:
        bar.start("loading")
        import cesaro
        from cesaro.cli import estimator, reading

        fitted = cesaro.load(model)
        _check_columns(fitted, certified, scores, probabilities)
        names = getattr(fitted, "feature_names_in_", None)
        rows = reading.read_dataset(data, bar, label, names, labelled=False).data
        X = reading.match_features(rows.X, fitted.n_features_in_, rows.name)
        bar.start("predicting")
        with estimator.rows_without_names():
            found = fitted.predict(X)
            columns = _columns(fitted, X, certified, scores, probabilities)
    labels = [estimator.format_label(value) for value in found.tolist()]
    result: dict[str, Any] = {"data": rows.name, "model": str(model), "rows": len(labels)}
    result |= {estimator.score_name(fitted.loss): _score(fitted, found, rows.y)}
    if certified:
        result["certified_rows"] = int(columns["certified"].sum())
    if scores or probabilities:
        result["classes"] = [estimator.format_label(value) for value in fitted.classes_.tolist()]
    if output is not None:
        _write(output, _lines(labels, columns), stream)
        result["output"] = str(output)
    elif json:
        result |= {"labels": labels} | columns
    if json:
        screen.print_json(result)
        return
    if output is None:
        typer.echo(_lines(labels, columns), nl=False)
    _print_notes(result)


def _check_columns(fitted: Any, certified: bool, scores: bool, probabilities: bool) -> None:
    """Refuse columns that the model does not have."""
    asked = {"--certified": certified, "--scores": scores, "--probabilities": probabilities}
    if not hasattr(fitted, "classes_") and any(asked.values()):
        flag = next(flag for flag, wanted in asked.items() if wanted)
        raise CLIError(f"{flag} is about labels, and this model is a regression", f"leave {flag} out.")
    if probabilities and not hasattr(fitted, "predict_proba"):
        raise CLIError(
            f"a model with --loss {fitted.loss} has no probabilities",
            "fit it with --loss log_loss or modified_huber, or use --scores.",
        )


def _columns(fitted: Any, X: Any, certified: bool, scores: bool, probabilities: bool) -> dict[str, Any]:
    """What stands beside the labels, by name."""
    found = {}
    if certified:
        with warnings.catch_warnings():  # that none is certified is said in the notes
            warnings.filterwarnings("ignore", message=".*label.* certified: ", category=UserWarning)
            found["certified"] = fitted.predict_certified(X)[1]
    if scores:
        found["scores"] = fitted.decision_function(X)
    if probabilities:
        found["probabilities"] = fitted.predict_proba(X)
    return found


def _lines(labels: list[Any], columns: dict[str, Any]) -> str:
    """One label a line; after tabs 1 or 0 for the proof, then numbers, with all their digits."""
    import numpy as np

    beside = [
        [[str(int(cell)) if values.dtype == bool else repr(cell) for cell in row] for row in table.tolist()]
        for values in columns.values()
        for table in [np.asarray(values).reshape(len(labels), -1)]
    ]
    rows = zip(labels, *beside, strict=True) if beside else ((each,) for each in labels)
    return "".join("\t".join([str(first), *(cell for part in rest for cell in part)]) + "\n" for first, *rest in rows)


def _stream(path: Path | None) -> int | None:
    """The number of the open file that a name such as /dev/stdout stands for."""
    named = {"/dev/stdout": 1, "/dev/stderr": 2}.get(str(path))
    number = str(path).removeprefix("/dev/fd/")
    return int(number) if number.isdecimal() and number != str(path) else named


def _write(path: Path, text: str, stream: int | None) -> None:
    from cesaro.storage.atomic_write import whole_file

    if stream is not None:  # written to, never replaced
        with open(stream, "wb", closefd=False) as file:
            file.write(text.encode("utf-8"))
        return
    with whole_file(path) as file:
        file.write(text.encode("utf-8"))


def _score(fitted: Any, found: Any, y: Any) -> float | None:
    """Of the labels that the file has; None where they cannot be scored: there are none, or the model knows none of them."""
    import numpy as np
    from sklearn.metrics import r2_score

    words = y.dtype.kind == "U"
    if not words and not np.isfinite(y).all():
        return None
    if not hasattr(fitted, "classes_"):
        return float(r2_score(y, found)) if len(y) > 1 and not words else None
    if words != (fitted.classes_.dtype.kind == "U") or not np.isin(y, fitted.classes_).any():
        return None
    return float(np.mean(y == found))


def _print_notes(result: dict[str, Any]) -> None:
    """How good it was, on stderr."""
    words = []
    if "classes" in result:
        screen.print_note(
            f"the columns of numbers are in the order of the classes: {', '.join(map(str, result['classes']))}."
        )
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
