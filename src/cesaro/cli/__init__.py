"""The command line: cesaro fit, predict, cv, compare, reproduce, data.

Results go to stdout, everything else to stderr. Nothing heavy is imported before a command runs, so that help is instant.
"""

import sys
from typing import Annotated

import typer

import cesaro
from cesaro.cli.compare import compare_command
from cesaro.cli.cv import cv_command
from cesaro.cli.data import data_app
from cesaro.cli.errors import exit_with_usage_error
from cesaro.cli.fit import fit_command
from cesaro.cli.output import replace_unprintable_characters
from cesaro.cli.predict import predict_command
from cesaro.cli.reproduce import reproduce_command

app = typer.Typer(
    help="Linear models that stop when they can prove they are done, and the paper behind them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Begin with: cesaro fit a9a",
)
COMMANDS = {
    "fit": fit_command,
    "predict": predict_command,
    "cv": cv_command,
    "compare": compare_command,
    "reproduce": reproduce_command,
}
for name, command in COMMANDS.items():
    app.command(name)(command)
app.add_typer(data_app)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cesaro {cesaro.__version__}")
        raise typer.Exit


@app.callback()
def _options_of_all_commands(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """The entry point of the command `cesaro`."""
    replace_unprintable_characters()
    try:
        code = app(standalone_mode=False)
    except Exception as error:
        exit_with_usage_error(error)
    sys.exit(code if isinstance(code, int) else 0)
