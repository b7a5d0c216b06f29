"""cesaro predict: labels, one a line, and whether the exact optimum gives them too."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cesaro.cli import options
from cesaro.cli import output as screen
from cesaro.cli.errors import Trouble, check_place, ends_well
from cesaro.cli.progress import bars

Output = Annotated[Path | None, typer.Option("--output", metavar="FILE", help="Write here instead of stdout.")]
Certified = Annotated[
    bool, typer.Option("--certified", help="A second column: 1 where the exact optimum provably gives the same label.")
]


@ends_well
def predict(
    model: options.Model,
    data: options.Data,
    output: Output = None,
    certified: Certified = False,
    json: options.Json = False,
) -> None:
    """Predict the labels of DATA with a model that was kept."""
    check_place(output)
    with bars() as bar:
        bar.doing("loading")
        import cesaro
        from cesaro.cli import estimator, sources

        fitted = cesaro.load(model)
        if certified and not hasattr(fitted, "predict_certified"):
            raise Trouble("--certified is about labels, and this model is a regression", "leave --certified out.")
        rows = sources.read(data, bar)
        X = sources.same_features(rows.X, fitted.n_features_in_, rows.name)
        bar.doing("predicting")
        found, sure = fitted.predict_certified(X) if certified else (fitted.predict(X), None)
    names = [estimator.label(value) for value in found.tolist()]
    answer: dict[str, Any] = {"data": rows.name, "model": str(model), "rows": len(names)}
    answer |= {estimator.score_name(fitted.loss): _score(fitted, found, rows.y)}
    answer |= {} if sure is None else {"certified_rows": int(sure.sum())}
    if output is not None:
        _write(output, _lines(names, sure))
        answer["output"] = str(output)
    elif json:
        answer |= {"labels": names} | ({} if sure is None else {"certified": sure})
    if json:
        screen.as_json(answer)
        return
    if output is None:
        typer.echo(_lines(names, sure), nl=False)
    _remark(answer)


def _lines(names: list, sure: Any) -> str:
    """One label a line; after a tab 1 or 0 if the proof was asked for."""
    if sure is None:
        return "".join(f"{name}\n" for name in names)
    return "".join(f"{name}\t{int(proved)}\n" for name, proved in zip(names, sure, strict=True))


def _write(path: Path, text: str) -> None:
    from cesaro.storage.atomic_write import whole_file

    with whole_file(path) as file:
        file.write(text.encode())


def _score(fitted: Any, found: Any, y: Any) -> float | None:
    """Of the labels that the file has; None where none of them is one the model knows (a file without labels)."""
    import numpy as np
    from sklearn.metrics import accuracy_score, r2_score

    if not hasattr(fitted, "classes_"):
        return float(r2_score(y, found)) if len(y) > 1 else None
    if fitted.classes_.dtype.kind not in "biuf" or not np.isin(y, fitted.classes_).any():
        return None
    return float(accuracy_score(y, found))


def _remark(answer: dict) -> None:
    """How good it was, on stderr."""
    words = []
    if answer.get("accuracy") is not None:
        words.append(f"accuracy {screen.percent(answer['accuracy'])}")
    if answer.get("r2") is not None:
        words.append(f"R² {answer['r2']:.4f}")
    if "certified_rows" in answer:
        words.append(f"{screen.percent(answer['certified_rows'] / answer['rows'])} of the labels proved")
        if answer["certified_rows"] == 0:
            words.append("a smaller --tol in cesaro fit proves more")
    if words:
        screen.note(f"{', '.join(words)} ({screen.count(answer['rows'], 'row')} of {answer['data']}).")
