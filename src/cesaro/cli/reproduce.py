"""cesaro reproduce: the paper's experiments, and the report."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cesaro.cli import options, screen
from cesaro.cli.ending import ends_well


class Experiment(StrEnum):
    figure1 = "figure1"
    figure2 = "figure2"
    figure3 = "figure3"
    theorems = "theorems"
    all = "all"


What = Annotated[Experiment, typer.Argument(help="Which of the paper's experiments.")]
Quick = Annotated[bool, typer.Option("--quick", help="About a minute; the figures say what was shortened.")]
Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the report goes.")]


@ends_well
def reproduce(
    what: What = Experiment.all, quick: Quick = False, out: Out = Path("report"), json: options.Json = False
) -> None:
    """Run the paper's experiments and write the report."""
    from cesaro.reproduce.run import reproduce as run
    from cesaro.reproduce.run import table

    names = [each.value for each in Experiment if each != "all"] if what == "all" else [what.value]
    report = run(names, quick, out)
    if json:
        screen.as_json({"experiments": names, "quick": quick, "report": str(report)})
        return
    if "figure1" in names:
        typer.echo(f"{table(out)}\n")
    typer.echo(f"The report: {report}")
