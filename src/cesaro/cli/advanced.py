"""Options for the parameters of the estimators that few need to set; None leaves them at their defaults."""

import math
from dataclasses import dataclass, fields
from typing import Annotated, Any

import typer

from cesaro.cli.errors import CLIError

PANEL = "Parameters of the estimator"
REGRESSION = (
    "squared_error",
    "absolute_error",
    "huber",
    "epsilon_insensitive",
    "squared_epsilon_insensitive",
    "quantile",
)


def positive_number(text: str | float) -> float:
    """A positive finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0.0):
        raise typer.BadParameter(f"{text} is not a positive number.")
    return value


def nonnegative_number(text: str | float) -> float:
    """A finite number from 0 on."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0.0):
        raise typer.BadParameter(f"{text} is not a number from 0 on.")
    return value


def share(text: str | float) -> float:
    """A number between 0 and 1."""
    value = nonnegative_number(text)
    if value > 1.0:
        raise typer.BadParameter(f"{text} is not a number between 0 and 1.")
    return value


def anchor_or_auto(text: str | float) -> float | str:
    """A number from 0 on, or auto."""
    return "auto" if text == "auto" else nonnegative_number(text)


def class_weights(text: str) -> Any:
    """balanced, or LABEL=WEIGHT pairs."""
    if text == "balanced":
        return text
    pairs = [pair.rpartition("=") for pair in text.split(",")]
    if not all(label and mark for label, mark, _ in pairs):
        raise typer.BadParameter(f"{text!r} is neither balanced nor pairs as in -1=1,1=5.")
    return {_label(label): nonnegative_number(weight) for label, _, weight in pairs}


def _label(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def averaging_weights(text: str) -> Any:
    """uniform, linear, or the power p of weights t^p."""
    from cesaro.weights import Linear, Power, Uniform

    named = {"auto": "auto", "uniform": Uniform(), "linear": Linear()}
    return named[text] if text in named else Power(nonnegative_number(text))


def _option(flag: str, metavar: str, words: str, parser: Any = None, **limits: Any) -> Any:
    return typer.Option(flag, metavar=metavar, help=words, parser=parser, rich_help_panel=PANEL, **limits)


@dataclass(frozen=True, kw_only=True)
class EstimatorOptions:
    """An option for each such parameter, by its name."""

    penalize_intercept: Annotated[
        bool | None, _option("--penalize-intercept", "", "The intercept bears the L2 penalty, as in LinearSVC.")
    ] = None
    intercept_scaling: Annotated[
        float | None,
        _option(
            "--intercept-scaling", "X", "The constant feature: the larger, the weaker its penalty.", positive_number
        ),
    ] = None
    l1_ratio: Annotated[float | None, _option("--l1-ratio", "R", "Share of the L1 norm in the penalty.", share)] = None
    radius: Annotated[float | None, _option("--radius", "R", "Bound on the norm of the weights.", positive_number)] = (
        None
    )
    epsilon: Annotated[
        float | None, _option("--epsilon", "E", "Of the losses huber and epsilon_insensitive.", nonnegative_number)
    ] = None
    quantile: Annotated[float | None, _option("--quantile", "Q", "Of --loss quantile, between 0 and 1.", share)] = None
    class_weight: Annotated[
        Any, _option("--class-weight", "WEIGHTS", "balanced, or LABEL=WEIGHT,LABEL=WEIGHT.", class_weights)
    ] = None
    n_jobs: Annotated[int | None, _option("--n-jobs", "N", "Threads over classes; -1: all cores.")] = None
    anchor: Annotated[Any, _option("--anchor", "auto|X", "Weight of the starting point.", anchor_or_auto)] = None
    averaging: Annotated[
        Any,
        _option(
            "--averaging", "NAME|P", "Weights of the paper's solvers: uniform, linear, a power.", averaging_weights
        ),
    ] = None
    batch_size: Annotated[int | None, _option("--batch-size", "N", "Rows a step of the paper's solvers.", min=1)] = None
    sampling: Annotated[
        str | None, _option("--sampling", "NAME", "reshuffle or replacement, of the paper's solvers.")
    ] = None

    def given(self) -> dict[str, Any]:
        """Those that were set."""
        values = {option.name: getattr(self, option.name) for option in fields(EstimatorOptions)}
        return {name: value for name, value in values.items() if value is not None}


def check_loss(loss: str, given: dict[str, Any]) -> None:
    """Refuse options that the loss has no use for: whoever sets one expects a difference."""
    users = {
        "quantile": ["quantile"],
        "epsilon": ["huber", "epsilon_insensitive", "squared_epsilon_insensitive"],
    }
    for name, losses in users.items():
        if name in given and loss not in losses:
            raise CLIError(f"--{name} is of no use with --loss {loss}", f"it belongs to --loss {' or '.join(losses)}.")
    if "class_weight" in given and loss in REGRESSION:
        raise CLIError(f"--class-weight is of no use with --loss {loss}", "a regression has no classes.")
