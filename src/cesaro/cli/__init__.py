"""The command line: cesaro fit, predict, cv, compare, reproduce, data.

Results go to stdout, everything else to stderr. Nothing heavy is imported before a command runs, so that help is instant.
"""

import sys
from typing import Annotated

import typer

import cesaro
from cesaro.cli.compare import compare
from cesaro.cli.cv import cv
from cesaro.cli.data import data
from cesaro.cli.errors import refuse
from cesaro.cli.fit import fit
from cesaro.cli.predict import predict
from cesaro.cli.reproduce import reproduce

app = typer.Typer(
    help="Linear models that stop when they can prove they are done, and the paper behind them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Begin with: cesaro fit a9a",
)
for command in (fit, predict, cv, compare, reproduce):
    app.command()(command)
app.add_typer(data)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cesaro {cesaro.__version__}")
        raise typer.Exit


@app.callback()
def _everywhere(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")] = False,
) -> None:
    pass


def main() -> None:
    """The entry point of the command `cesaro`."""
    try:
        code = app(standalone_mode=False)
    except Exception as error:
        refuse(error)
    sys.exit(code if isinstance(code, int) else 0)
