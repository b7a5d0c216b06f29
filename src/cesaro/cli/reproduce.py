"""cesaro reproduce: the paper's experiments, and the report."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cesaro.cli import options, output
from cesaro.cli.errors import CLIError, handle_errors


class Experiment(StrEnum):
    figure1 = "figure1"
    figure2 = "figure2"
    figure3 = "figure3"
    theorems = "theorems"
    all = "all"


What = Annotated[
    Experiment, typer.Argument(metavar="[WHAT]", help="figure1, figure2, figure3, theorems or all.", show_default=True)
]
Quick = Annotated[bool, typer.Option("--quick", help="About a minute; the figures say what was shortened.")]
Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where numbers, pictures and the report go.")]

Limit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        min=0.0,
        help="Train no further network after this long, in each figure; the same command continues.",
    ),
]


@handle_errors
def reproduce_command(
    what: What = Experiment.all,
    quick: Quick = False,
    out: Out = Path("report"),
    time_limit: Limit = None,
    json: options.Json = False,
) -> None:
    """Run the paper's experiments and write the report; finished runs in the folder are not run again."""
    if out.is_file():
        raise CLIError(f"{out} is a file", "--out names a folder, which is made if it is not there.")
    from cesaro.reproduce import run
    from cesaro.reproduce.figure1.methods_table import format_table
    from cesaro.reproduce.verdicts import verdict_rows, verdict_text

    names = run.select_figures([what.value])
    report = run.reproduce(names, quick, out, time_limit)
    if json:
        output.print_json({"experiments": names, "quick": quick, "out": out, "report": report})
        return
    figures = run.saved_figures(out)
    if "figure1" in names:
        typer.echo(f"{format_table(figures['figure1'].table)}\n")
    typer.echo(f"{verdict_text(verdict_rows(list(figures.values())))}\n")
    typer.echo(f"The report: {report}")
