"""The options that several commands share: one spelling, one help text each."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from cesaro.cli.advanced import EstimatorOptions, check_loss, nonnegative_number, positive_number


class SolverName(StrEnum):
    """The solvers of the linear models."""

    anchored = "anchored"
    gda = "gda"
    sc_pda = "sc-pda"
    pegasos = "pegasos"
    pa_psg_sc = "pa-psg-sc"
    sc_rda = "sc-rda"


def alpha_or_auto(text: str | float) -> float | None:
    """A positive number, or None for auto."""
    return None if text == "auto" else positive_number(text)


def loss_name(text: str) -> str:
    """The name of a loss; which estimator fits depends on it."""
    from cesaro.losses import ALL

    if text not in ALL:
        raise typer.BadParameter(f"{text!r} is not one of {', '.join(ALL)}.")
    return text


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A name (`cesaro data` lists them), a svmlight file (plain, gz, bz2, xz), a table (CSV, Parquet, Arrow) or - "
        "for standard input.",
    ),
]
ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="A file that `cesaro fit --model` wrote.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout instead of text.")]
LossOption = Annotated[
    str,
    typer.Option(
        "--loss",
        metavar="NAME",
        parser=loss_name,
        help="Classification: hinge, squared_hinge, log_loss, modified_huber. Regression: squared_error, absolute_error, "
        "huber, epsilon_insensitive, squared_epsilon_insensitive, quantile.",  # written out: help need not load NumPy
    ),
]
SolverOption = Annotated[
    SolverName,
    typer.Option(
        "--solver",
        metavar="NAME",
        help="anchored (dual coordinate ascent), or a method of the paper: gda, sc-pda, pegasos, pa-psg-sc, sc-rda.",
    ),
]
Tol = Annotated[
    float,
    typer.Option(
        "--tol",
        parser=nonnegative_number,
        metavar="GAP",
        help="Stop when this gap is proved, relative to the objective (more than two classes: to at least a tenth of that "
        "at 0); 0: never.",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit", parser=positive_number, metavar="SECONDS", help="Stop after so long, with the model so far."
    ),
]
MaxIter = Annotated[int, typer.Option("--max-iter", min=1, metavar="N", help="Epochs, passes over all rows, at most.")]
Seed = Annotated[int, typer.Option("--seed", min=0, max=2**32 - 1, metavar="N", help="Order of the rows.")]
Memory = Annotated[
    float,
    typer.Option(
        "--memory", parser=positive_number, metavar="BYTES", help="Private memory for a file above 256 MB of text."
    ),
]
NoIntercept = Annotated[bool, typer.Option("--no-intercept", help="No constant feature.")]
Test = Annotated[str | None, typer.Option("--test", metavar="FILE", help="Rows to measure on; a9a has its own.")]


Label = Annotated[str, typer.Option("--label", metavar="NAME", help="The column of a table that has the labels.")]


@dataclass(frozen=True, kw_only=True)
class Solving(EstimatorOptions):
    """The options of every command that fits a model, with their defaults; None leaves it to the estimator."""

    loss: LossOption = "hinge"
    tol: Tol = 1e-3
    max_iter: MaxIter = 1000
    time_limit: TimeLimit = None
    seed: Seed = 0
    no_intercept: NoIntercept = False

    def parameters(self) -> dict[str, Any]:
        """The parameters of an estimator that they set; the loss decides which estimator it is."""
        given = self.given()
        check_loss(self.loss, given)
        return given | {
            "tol": self.tol,
            "max_iter": self.max_iter,
            "time_limit": self.time_limit,
            "random_state": self.seed,
            "fit_intercept": not self.no_intercept,
        }


SOLVING = Solving()


def takes_solving(command: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: typer sees the options of Solving one by one, the command takes them as its parameter `solving`."""
    types = get_type_hints(Solving, include_extras=True)
    names = [option.name for option in fields(Solving)]
    parameters = []
    for parameter in signature(command).parameters.values():
        if parameter.name != "solving":
            parameters.append(parameter)
            continue
        for name in names:
            default = getattr(parameter.default, name)
            parameters.append(Parameter(name, parameter.kind, default=default, annotation=types[name]))

    @wraps(command)
    def gathered(**given: Any) -> Any:
        return command(solving=Solving(**{name: given.pop(name) for name in names}), **given)

    gathered.__signature__ = signature(command).replace(parameters=parameters)  # type: ignore[attr-defined]
    return gathered
